import type { FastifyRequest } from 'fastify';
import type { DataLayer } from '../../data/data-layer.ts';
import type { Principal } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import { type RequestNotes, requestNotes } from './request-notes.ts';

/** Returns the principal of a request. @throws UNAUTHENTICATED if the request has no valid bearer token */
export type Authenticate = (request: FastifyRequest) => Promise<Principal>;

/**
 * Returns a function that authenticates requests by their bearer token: each request once, and once more if its body
 * arrived after that, because the token can have become invalid in the meantime.
 */
export function bearerAuthenticator(data: DataLayer): Authenticate {
  return (request) => {
    const notes = requestNotes(request);
    const hasArrivedSince = notes.isBodyPending && request.raw.complete;
    if (notes.authentication === undefined || hasArrivedSince) {
      notes.authentication = authenticateRequest(data, request, notes);
    }
    return notes.authentication;
  };
}

async function authenticateRequest(data: DataLayer, { headers, raw }: FastifyRequest, notes: RequestNotes) {
  const startMs = performance.now();
  notes.principal = await data.authenticate(bearerToken(headers.authorization));
  notes.authenticationMs = performance.now() - startMs;
  notes.isBodyPending = !raw.complete;
  return notes.principal;
}

/**
 * Returns the token in `Authorization: Bearer <token>`. Source: RFC 6750, section 2.1; RFC 9110,
 * section 11.1: the scheme is case-insensitive.
 *
 * @throws UNAUTHENTICATED if the header has no bearer token
 */
export function bearerToken(header: string | undefined): string {
  const [, token] = /^bearer +(.*)/i.exec(header ?? '') ?? [];
  if (!token) throw new ApiError('TOKEN_MISSING');
  return token;
}
