import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { type ApiError, responseTooLarge } from '../model/api-error.ts';

/** The most bytes that a GraphQL response may have. */
export const MAX_RESPONSE_BYTES = 5_000_000;

// JSON writes a UTF-16 unit of text in at most six bytes, as \u0001.
const MAX_BYTES_PER_UNIT = 6;

// What a number, a boolean, null or a time takes at most.
const MAX_SCALAR_BYTES = 30;

type Result = ExecutionResult | FormattedExecutionResult;

/**
 * Writes a result as JSON.
 *
 * A resource is in memory once, and in the response as often as the query selects it. So
 * the size is added up before the text is made, which for a large result is done exactly.
 *
 * @returns the text, or an error if it would be too large
 */
export function resultJson(result: Result): string | ApiError {
  const isSmall = sizeBound(result) <= MAX_RESPONSE_BYTES;
  if (!isSmall && !isWithin(MAX_RESPONSE_BYTES, result)) return responseTooLarge(MAX_RESPONSE_BYTES);
  return JSON.stringify(result);
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
  for (const key in object) size += 4 + key.length + sizeBound(object[key]);
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
