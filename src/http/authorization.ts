import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import { tokenInvalid, tokenMissing } from '../model/api-error.ts';
import type { Principal } from '../model/principal.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Finds out whom the request's bearer token speaks for. @throws UNAUTHENTICATED */
    authenticate(): Promise<Principal>;
  }
}

/** Lets every request say whom it comes from. */
export function addAuthorization(app: FastifyInstance, data: DataLayer): void {
  app.decorateRequest('authenticate', async function (this: FastifyRequest) {
    return data.authenticate(bearerToken(this.headers.authorization));
  });
}

/** Reads `Authorization: Bearer <token>`. Source: RFC 6750, section 2.1; the scheme's case is free by RFC 9110. */
function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer +(.*)$/i.exec(header ?? '') ?? [];
  if (token === undefined || token === '') throw tokenMissing();
  if (!/^[\w.~+/-]+=*$/.test(token)) throw tokenInvalid();
  return token;
}
