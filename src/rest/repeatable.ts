import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operations, RequestDataLayer } from '../data/data-layer.ts';
import { idempotencyHeaders, REPLAYED_HEADER } from '../http/idempotency.ts';
import { JSON_TYPE } from '../http/json.ts';
import type { Principal } from '../model/principal.ts';

/**
 * Runs an operation that changes something. If the request has an `Idempotency-Key`, the response is kept, and is sent
 * again when the request is repeated.
 *
 * @param operation runs the operation on a data layer, and returns the body of the response
 * @returns the body of the response, as an object or as JSON
 */
export async function repeatable(
  data: RequestDataLayer,
  principal: Principal,
  request: FastifyRequest,
  reply: FastifyReply,
  operation: (data: Operations) => Promise<object>,
): Promise<object | string> {
  const headers = idempotencyHeaders(request);
  if (headers === undefined) return operation(data);
  const content = JSON.stringify([request.method, request.url, request.body]);
  const attempt = await data.attempt(principal, { ...headers, content });
  reply.type(JSON_TYPE);
  if (attempt.response !== undefined) {
    reply.header(REPLAYED_HEADER, 'true');
    return attempt.response;
  }
  try {
    const response = JSON.stringify(await operation(attempt.data));
    await attempt.keep(response);
    return response;
  } finally {
    await attempt.abandon();
  }
}
