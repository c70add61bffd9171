import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { Principal } from '../model/principal.ts';
import { tokenMissing } from './http-error.ts';

/** Returns the principal of a request. @throws UNAUTHENTICATED if the request has no valid bearer token */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>;

const PRINCIPAL = 'principal';

const DURATION = 'authenticationMs';

/** Returns a function that authenticates requests by their bearer token, each request once. */
export function bearerAuthenticator(app: FastifyInstance, data: DataLayer): Authenticate {
  app.decorateRequest('authentication');
  app.decorateRequest(PRINCIPAL);
  app.decorateRequest(DURATION, 0);
  return (request) => {
    const started = request.getDecorator<Promise<Principal> | undefined>('authentication');
    if (started !== undefined) return started;
    const authentication = authenticateRequest(data, request);
    request.setDecorator('authentication', authentication);
    return authentication;
  };
}

async function authenticateRequest(data: DataLayer, request: FastifyRequest): Promise<Principal> {
  const startMs = performance.now();
  const principal = await data.authenticate(bearerToken(request.headers.authorization));
  request.setDecorator(PRINCIPAL, principal);
  request.setDecorator(DURATION, performance.now() - startMs);
  return principal;
}

/**
 * Returns the time that the authentication of a request has taken, in milliseconds. A request's body may arrive between
 * the authentication and the operation.
 */
export function authenticationMs(request: FastifyRequest): number {
  return request.getDecorator<number>(DURATION);
}

/** Returns the principal of a request, or undefined if the request was not authenticated. */
export function authenticatedPrincipal(request: FastifyRequest): Principal | undefined {
  return request.getDecorator<Principal | undefined>(PRINCIPAL);
}

/**
 * Returns the token in `Authorization: Bearer <token>`. Source: RFC 6750, section 2.1; RFC 9110,
 * section 11.1: the scheme is case-insensitive.
 *
 * @throws UNAUTHENTICATED if the header has no bearer token
 */
export function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer +(.*)$/i.exec(header ?? '') ?? [];
  if (!token) throw tokenMissing();
  return token;
}
