import type { DataLayer } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import { tokenMissing } from './http-error.ts';

/** Finds out whom the header `Authorization` speaks for. @throws UNAUTHENTICATED */
export type Authenticate = (authorization: string | undefined) => Promise<Principal>;

/** Makes the function by which every request says whom it comes from. */
export function bearerAuthentication(data: DataLayer): Authenticate {
  return async (authorization) => data.authenticate(bearerToken(authorization));
}

/** Reads `Authorization: Bearer <token>`. Source: RFC 6750, section 2.1; the scheme's case is free by RFC 9110. */
function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer +(.*)$/i.exec(header ?? '') ?? [];
  if (token === undefined || token === '') throw tokenMissing();
  return token;
}
