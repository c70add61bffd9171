import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { DataLayer } from '../data/data-layer.ts';
import type { ListScope, Principal } from '../model/principal.ts';
import { tokenMissing } from './http-error.ts';

/** Returns the principal of a request. @throws UNAUTHENTICATED if the request has no valid bearer token */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>;

const PRINCIPAL = 'principal';

const DURATION = 'authenticationMs';

const CLAIMED_SCOPE = 'claimedScope';

/** Returns the scope that the bearer token of a request names, if it can be read from its text. */
export type ClaimedScope = (request: FastifyRequest) => ListScope | undefined;

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

/** Returns the function that reads the scope from the text of bearer tokens, for each request once. */
export function bearerScope(app: FastifyInstance, data: DataLayer): ClaimedScope {
  app.decorateRequest(CLAIMED_SCOPE);
  return (request) => {
    const known = request.getDecorator<ListScope | null | undefined>(CLAIMED_SCOPE);
    if (known !== undefined) return known ?? undefined;
    const token = tokenIn(request.headers.authorization);
    const scope = token === undefined ? undefined : data.claimedScope(token);
    request.setDecorator(CLAIMED_SCOPE, scope ?? null);
    return scope;
  };
}

/**
 * Reads while the bearer token is being verified and the request is counted, which saves a round trip to the database.
 * The result is discarded if the token is refused.
 *
 * @param claimed the scope that the token names; undefined if it is not known before the token is verified
 * @throws UNAUTHENTICATED if the token is refused
 */
export async function readAhead<T>(
  authenticate: () => Promise<Principal>,
  claimed: ListScope | undefined,
  read: (scope: ListScope) => Promise<T>,
): Promise<T> {
  if (claimed === undefined) return read(await authenticate());
  const reading = read(claimed);
  // Errors of the token and of the limits come first.
  reading.catch(() => {});
  await authenticate();
  return reading;
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
  const token = tokenIn(header);
  if (token === undefined) throw tokenMissing();
  return token;
}

function tokenIn(header: string | undefined): string | undefined {
  const [, token] = /^bearer +(.*)$/i.exec(header ?? '') ?? [];
  return token || undefined;
}
