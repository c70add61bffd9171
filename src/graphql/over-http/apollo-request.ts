import { HeaderMap } from '@apollo/server';
import type { FastifyRequest } from 'fastify';

/** A page of another origin can't send these headers without a preflight request. */
export const CSRF_HEADERS = [
  'authorization',
  'apollo-require-preflight',
  // Source: GraphQL over HTTP, section on security.
  'graphql-require-preflight',
  'x-apollo-operation-name',
] as const;

/** Returns a request for Apollo Server. @param accept the media type of the response */
export function apolloRequest(request: FastifyRequest, accept: string, body: unknown, search: string) {
  // HEAD is executed like GET. Node omits the body of the response.
  const method = request.method === 'HEAD' ? 'GET' : request.method;
  return { method, headers: apolloHeaders(request, accept), body, search };
}

/**
 * Returns the headers that Apollo Server reads. The media types are those that the gateway has negotiated and parsed:
 * Apollo Server would parse the headers again, in a time that grows with the square of their length.
 */
function apolloHeaders({ headers, mediaType }: FastifyRequest, accept: string): HeaderMap {
  const read = new HeaderMap([['accept', accept]]);
  if (headers['content-type'] !== undefined) read.set('content-type', mediaType ?? 'malformed');
  for (const name of CSRF_HEADERS) {
    if (headers[name]) read.set(name, String(headers[name]));
  }
  return read;
}
