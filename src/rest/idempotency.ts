import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Changes, RequestChanges } from '../data/data-layer.ts';
import { idempotencyHeaders, REPLAYED_HEADER } from '../http/idempotency-headers.ts';
import { JSON_TYPE } from '../http/json.ts';

/** An operation that changes something. Returns the body of the response. */
export type Operation = (changes: Changes) => Promise<object>;

/**
 * Runs an operation. If the request has an `Idempotency-Key`, the response is kept for a replay.
 *
 * @returns the body of the response, as an object or as JSON
 */
export async function withIdempotencyKey(
  changes: RequestChanges,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: Operation,
): Promise<object | string> {
  const headers = idempotencyHeaders(request);
  if (headers === undefined) return operation(changes);
  const content = JSON.stringify([request.method, request.url, request.body]);
  const keyed = await changes.beginKeyed({ ...headers, content, hasSeveral: false });
  reply.type(JSON_TYPE);
  if (keyed.replay !== undefined) {
    reply.header(REPLAYED_HEADER, 'true');
    return keyed.replay();
  }
  try {
    const response = JSON.stringify(await operation(keyed.operations));
    await keyed.keep(response);
    return response;
  } finally {
    await keyed.undo();
  }
}
