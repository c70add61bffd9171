import type { DataLayer } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import { tokenMissing } from './http-error.ts';

/** Returns the principal of an `Authorization` header. @throws UNAUTHENTICATED if it has no valid bearer token */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

/** Returns a function that authenticates requests by their bearer token. */
export function bearerAuthenticator(data: DataLayer): Authenticate {
  return async (authorization) => data.authenticate(bearerToken(authorization));
}

/**
 * Returns the token in `Authorization: Bearer <token>`. Source: RFC 6750, section 2.1; RFC 9110,
 * section 11.1: the scheme is case-insensitive.
 */
function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer +(.*)$/i.exec(header ?? '') ?? [];
  if (token === undefined || token === '') throw tokenMissing();
  return token;
}
