import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { clientAddress } from '../request/request-client.ts';
import { clientRequestId } from '../request/request-id.ts';
import { requestNotes, routeKindOfRequest, routeOf } from '../request/request-notes.ts';

export type RequestLogMode = 'all' | 'errors' | 'none';

const MESSAGE = 'request';

// Version, trace id, parent id and flags. No version is ff, no id is zero, and only version 00 has no further fields.
const TRACE_PARENT =
  /^(?!ff)[\da-f]{2}-(?!0{32})([\da-f]{32})-(?!0{16})[\da-f]{16}-[\da-f]{2}(?:$|(?<!^00-.*)-)/;

/**
 * Logs each request in one line when its response is sent, or its connection is closed before. A line has level `info`,
 * or `warn` if the request failed, or `debug` if it was a successful health check. It contains nothing that a client can
 * choose freely, except for the name of a GraphQL operation in a valid document, and the two ids in a refused token.
 */
export function addRequestLog(app: FastifyInstance, logger: FastifyBaseLogger, mode: RequestLogMode): void {
  if (mode === 'none') return;

  function write(request: FastifyRequest, reply: FastifyReply, isSent: boolean): void {
    const status = reply.statusCode;
    const { failure, operation, principal } = requestNotes(request);
    const isFailed = !isSent || failure !== undefined || status >= 400;
    if (mode === 'errors' && !isFailed) return;
    const line = {
      reqId: request.id,
      clientReqId: clientRequestId(request.headers),
      traceId: traceId(request.headers['traceparent']),
      method: request.method,
      route: routeOf(request),
      operation: operation?.name || undefined,
      status: isSent ? status : undefined,
      reason: isSent ? failure?.reason : 'CONNECTION_CLOSED',
      app: failure?.app,
      resource: failure?.resource,
      durationMs: Math.round(reply.elapsedTime * 100) / 100,
      account: principal?.accountId,
      credential: principal?.tokenId,
      claimedAccount: failure?.claimed?.accountId,
      claimedCredential: failure?.claimed?.id,
      client: clientAddress(request),
    };
    if (isFailed) logger.warn(line, MESSAGE);
    else if (routeKindOfRequest(request) === 'health check') logger.debug(line, MESSAGE);
    else logger.info(line, MESSAGE);
  }

  app.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) write(request, reply, false);
    });
    done();
  });

  app.addHook('onResponse', (request, reply, done) => {
    if (reply.raw.writableFinished) write(request, reply, true);
    done();
  });
}

/**
 * Returns the trace id in a `traceparent` header, or undefined if the header is missing or invalid.
 * Source: W3C Trace Context, section 3.2.
 */
export function traceId(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACE_PARENT.exec(header)?.[1] : undefined;
}
