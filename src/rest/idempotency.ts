import type { FastifyReply } from 'fastify';
import type { Call } from '../data/data-layer.ts';
import { beginIdempotent } from '../data/idempotency/begin-idempotent.ts';
import { type IdempotencyHeaders, REPLAYED_HEADER } from '../http/request/idempotency-headers.ts';
import { JSON_TYPE } from '../http/server/json.ts';
import { normalizedFields, type Validator } from '../model/fields/fields.ts';
import type { JsonObject } from '../model/fields/json.ts';

/** An operation that changes something, with its input. */
export type Operation = {
  readonly id: string;
  readonly input: JsonObject;
  readonly validators: Readonly<Record<string, Validator<unknown>>>;
  /** Returns the body of the response. */
  readonly run: (call: Call) => Promise<object>;
};

/**
 * Runs an operation of a request with an `Idempotency-Key`, and keeps the response for a replay.
 *
 * @returns the body of the response, as an object or as JSON
 */
export async function withIdempotencyKey(
  call: Call,
  headers: IdempotencyHeaders,
  reply: FastifyReply,
  { id, input, validators, run }: Operation,
): Promise<object | string> {
  const content = [id, normalizedFields(input, validators)];
  const keyed = { ...headers, content, passwords: [], locksAccount: false };
  const { replay, first } = await beginIdempotent(call, keyed);
  reply.type(JSON_TYPE);
  if (replay !== undefined) {
    reply.header(REPLAYED_HEADER, 'true');
    return replay();
  }
  try {
    const response = JSON.stringify(await run(first.call));
    await first.keep(response);
    return response;
  } finally {
    await first.undo();
  }
}
