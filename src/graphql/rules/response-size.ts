import type { ExecutionResult, FormattedExecutionResult } from 'graphql';
import { ApiError } from '../../model/errors.ts';

export const MAX_RESPONSE_BYTES = 5_000_000;

/**
 * Returns the JSON of a result, or an error if it would exceed `MAX_RESPONSE_BYTES`.
 *
 * A resource is in memory only once, but in the JSON as often as the query selects it. The lengths
 * of the texts are therefore added up before the JSON is created.
 *
 * @param reserveMemory counts bytes of memory, and returns an error if they are not available
 */
export function resultJson(
  result: ExecutionResult | FormattedExecutionResult,
  reserveMemory: (bytes: number) => ApiError | undefined,
): string | ApiError {
  const leastBytes = minBytes(result);
  if (leastBytes <= MAX_RESPONSE_BYTES) {
    const refusal = reserveMemory(leastBytes);
    if (refusal !== undefined) return refusal;
    const json = JSON.stringify(result);
    const bytes = Buffer.byteLength(json);
    if (bytes <= MAX_RESPONSE_BYTES) return reserveMemory(bytes - leastBytes) ?? json;
  }
  const message = `The response would have more than ${MAX_RESPONSE_BYTES} bytes. Request fewer fields or items.`;
  return new ApiError('RESPONSE_TOO_LARGE', { message });
}

/** Returns a lower bound of the size of a value in JSON, in bytes. A character has at most six bytes. */
export function minBytes(value: unknown): number {
  if (typeof value === 'string') return 2 + value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let size = 0;
  if (Array.isArray(value)) {
    for (const item of value) size += 1 + minBytes(item);
    return size;
  }
  const object = value as Readonly<Record<string, unknown>>;
  for (const key in object) {
    const member = object[key];
    if (member !== undefined) size += 3 + key.length + minBytes(member);
  }
  return size;
}
