import type { ExecutionResult, FieldNode, FormattedExecutionResult } from 'graphql';
import { ApiError } from '../model/api-error.ts';
import { MAX_DESCRIPTION_LENGTH } from '../model/fields.ts';

/** The most bytes that a GraphQL response may have. */
export const MAX_RESPONSE_BYTES = 5_000_000;

// JSON writes a UTF-16 unit of text in at most six bytes, as \u0001.
const MAX_BYTES_PER_UNIT = 6;

// What a number, a boolean, null or a time takes at most.
const MAX_SCALAR_BYTES = 30;

// What any field but a description takes at most: a title of 200 characters, or a URL.
const MAX_FIELD_BYTES = 2500;

type Result = ExecutionResult | FormattedExecutionResult;

/** The most bytes that a field of a resource takes in a response, with its key. */
export function maxFieldBytes({ name, alias = name, selectionSet }: FieldNode): number {
  const keyBytes = alias.value.length + 10;
  if (selectionSet !== undefined) return keyBytes;
  const isDescription = name.value === 'description';
  return keyBytes + (isDescription ? MAX_BYTES_PER_UNIT * MAX_DESCRIPTION_LENGTH : MAX_FIELD_BYTES);
}

/**
 * Writes a result as JSON.
 *
 * A resource is in memory once, and in the response as often as the query selects it. So
 * the size is added up before the text is made, which for a large result is done exactly.
 *
 * @param maxBytes how many bytes it can have at most, as far as that is known of the query
 * @returns the text, or an error if it would be too large
 */
export function resultJson(result: Result, maxBytes = Number.POSITIVE_INFINITY): string | ApiError {
  const isSmall = maxBytes <= MAX_RESPONSE_BYTES || sizeBound(result) <= MAX_RESPONSE_BYTES;
  if (!isSmall && !isWithin(MAX_RESPONSE_BYTES, result)) return responseTooLarge();
  return JSON.stringify(result);
}

/** A response of more than `MAX_RESPONSE_BYTES` bytes. */
function responseTooLarge(): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    reason: 'RESPONSE_TOO_LARGE',
    message: `The response would have more than ${MAX_RESPONSE_BYTES} bytes. Ask for fewer fields or items.`,
  });
}

/** Returns at least as many bytes as the JSON of a value has, without looking at its text. */
function sizeBound(value: unknown): number {
  if (typeof value === 'string') return 2 + MAX_BYTES_PER_UNIT * value.length;
  if (typeof value !== 'object' || value === null) return MAX_SCALAR_BYTES;
  let size = MAX_SCALAR_BYTES;
  if (Array.isArray(value)) {
    for (const item of value) size += 1 + sizeBound(item);
    return size;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    const member = object[key];
    size += 6 + key.length;
    // Most members are text.
    size += typeof member === 'string' ? MAX_BYTES_PER_UNIT * member.length : sizeBound(member);
  }
  return size;
}

/** Whether the JSON of a value has at most `limit` bytes. Ends as soon as it has more. */
function isWithin(limit: number, value: unknown): boolean {
  let left = limit;
  function subtract(part: unknown): boolean {
    if (typeof part !== 'object' || part === null || part instanceof Date) {
      left -= Buffer.byteLength(JSON.stringify(part) ?? '');
    } else if (Array.isArray(part)) {
      left -= 2 + Math.max(0, part.length - 1);
      return left >= 0 && part.every(subtract);
    } else {
      const entries = Object.entries(part).filter(([, each]) => each !== undefined);
      left -= 2 + Math.max(0, entries.length - 1);
      return left >= 0 && entries.every(([key, each]) => subtract(key) && --left >= 0 && subtract(each));
    }
    return left >= 0;
  }
  return subtract(value);
}
