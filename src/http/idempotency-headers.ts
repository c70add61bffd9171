import type { FastifyRequest } from 'fastify';
import { bearerToken } from './authorization.ts';

export const REPLAYED_HEADER = 'idempotency-replayed';

export type IdempotencyHeaders = { readonly key: string; readonly bearerToken: string };

/**
 * Returns the key and the token of an authenticated request, or undefined if it has no `Idempotency-Key`.
 * Source: IETF draft-ietf-httpapi-idempotency-key-header.
 */
export function idempotencyHeaders({ headers }: FastifyRequest): IdempotencyHeaders | undefined {
  const key = headers['idempotency-key'];
  // Node joins repeated headers by a comma and a space, which makes them invalid.
  return key === undefined
    ? undefined
    : { key: String(key), bearerToken: bearerToken(headers.authorization) };
}
