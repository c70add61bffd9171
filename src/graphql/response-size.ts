import type { ExecutionResult, FieldNode, FormattedExecutionResult } from 'graphql';
import { ApiError } from '../model/api-error.ts';
import { MAX_DESCRIPTION_LENGTH } from '../model/fields.ts';

/** The maximum size of a GraphQL response, in bytes. */
export const MAX_RESPONSE_BYTES = 5_000_000;

// The maximum size of a UTF-16 unit in JSON: an escape sequence such as \u0001.
const MAX_BYTES_PER_UNIT = 6;

// The maximum size of a number, a boolean, null or a time.
const MAX_SCALAR_BYTES = 30;

// The maximum size of a field other than a description: a title of 200 characters, or a URL.
const MAX_FIELD_BYTES = 2500;

type Result = ExecutionResult | FormattedExecutionResult;

/** Returns the maximum size of a field in a response, with its key, in bytes. */
export function maxFieldBytes({ name, alias = name, selectionSet }: FieldNode): number {
  const keyBytes = alias.value.length + 10;
  if (selectionSet !== undefined) return keyBytes;
  const isDescription = name.value === 'description';
  return keyBytes + (isDescription ? MAX_BYTES_PER_UNIT * MAX_DESCRIPTION_LENGTH : MAX_FIELD_BYTES);
}

/**
 * Returns the JSON of a result, or an error if it would exceed `MAX_RESPONSE_BYTES`.
 *
 * The size is checked before the JSON is created: a resource is in memory only once, but in the
 * JSON as often as the query selects it. An upper bound is computed first, and the exact size only
 * if the bound exceeds the limit.
 *
 * @param maxBytes the maximum size of a response to the query, if it is known
 */
export function resultJson(result: Result, maxBytes = Number.POSITIVE_INFINITY): string | ApiError {
  const isSmall = maxBytes <= MAX_RESPONSE_BYTES || sizeBound(result) <= MAX_RESPONSE_BYTES;
  if (!isSmall && !isWithin(MAX_RESPONSE_BYTES, result)) return responseTooLarge();
  return JSON.stringify(result);
}

/** Returns the error for a response of more than `MAX_RESPONSE_BYTES` bytes. */
function responseTooLarge(): ApiError {
  const message = `The response would have more than ${MAX_RESPONSE_BYTES} bytes. Request fewer fields or items.`;
  return new ApiError('INVALID_ARGUMENT', 'RESPONSE_TOO_LARGE', message);
}

/** Returns an upper bound of the size of a value in JSON, in bytes. It depends only on the lengths of texts. */
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
    // Most members are texts. This avoids a call for each.
    size += typeof member === 'string' ? MAX_BYTES_PER_UNIT * member.length : sizeBound(member);
  }
  return size;
}

/** Returns whether the JSON of a value has at most `limit` bytes. Stops when the limit is exceeded. */
function isWithin(limit: number, value: unknown): boolean {
  let remaining = limit;
  function subtract(part: unknown): boolean {
    if (typeof part !== 'object' || part === null || part instanceof Date) {
      remaining -= Buffer.byteLength(JSON.stringify(part) ?? '');
    } else if (Array.isArray(part)) {
      remaining -= 2 + Math.max(0, part.length - 1);
      return remaining >= 0 && part.every(subtract);
    } else {
      const members = Object.entries(part).filter(([, member]) => member !== undefined);
      remaining -= 2 + Math.max(0, members.length - 1);
      return (
        remaining >= 0 &&
        members.every(([key, member]) => subtract(key) && --remaining >= 0 && subtract(member))
      );
    }
    return remaining >= 0;
  }
  return subtract(value);
}
