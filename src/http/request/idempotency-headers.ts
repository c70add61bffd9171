import type { FastifyRequest } from 'fastify';
import { bearerToken } from './authorization.ts';

const IDEMPOTENCY_HEADER = 'idempotency-key';

export const REPLAYED_HEADER = 'idempotency-replayed';

export type IdempotencyHeaders = { readonly key: string; readonly bearerToken: string };

// Source: RFC 9651, section 3.3.3. A text that is not a string of structured fields is the key itself.
const QUOTED = /^"((?:[^"\\]|\\["\\])*)"$/;

/**
 * Returns the key and the token of a request, or undefined if it has no `Idempotency-Key`. The key is a string of structured
 * fields, or a plain text. Source: IETF draft-ietf-httpapi-idempotency-key-header-07.
 *
 * @throws UNAUTHENTICATED if it has one and no token
 */
export function idempotencyHeaders({ headers }: FastifyRequest): IdempotencyHeaders | undefined {
  const sent = headers[IDEMPOTENCY_HEADER];
  if (sent === undefined) return undefined;
  // Node joins repeated headers by a comma and a space, which makes them invalid.
  const text = String(sent);
  const key = QUOTED.exec(text)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? text;
  return { key, bearerToken: bearerToken(headers.authorization) };
}
