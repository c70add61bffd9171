import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { FormatErrorBody } from './errors.ts';
import { MAX_BODY_BYTES, malformedRequest, statusCodeOf } from './http-error.ts';
import { addJsonBody, JSON_TYPE } from './json.ts';
import { REQUEST_ID_HEADER, requestIds } from './request-id.ts';

/** The HTTP status of the errors of Node's HTTP parser, where it is not 400. */
const STATUS_BY_CODE = new Map<unknown, number>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

const REQUEST_TIMEOUT_MS = 30_000;

// Longer than the usual idle timeout of load balancers (60 s). If the server closed an idle connection first,
// a balancer could send a request on it at the same time.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// Longer than any valid path, so that the route rejects a longer parameter with a reason.
const MAX_PARAM_LENGTH = 2000;

/** The settings of the HTTP server. */
export type HttpAppSettings = {
  /** Formats errors of requests whose path could not be parsed. */
  readonly errorBody: FormatErrorBody;
  /** Returns whether the server is stopping. */
  readonly isStopping: () => boolean;
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly string[];
};

/**
 * Creates the HTTP server, without routes.
 *
 * @param logger receives malformed requests, at level debug
 */
export function createHttpApp(
  logger: Pick<FastifyBaseLogger, 'debug'>,
  { errorBody, isStopping, trustedProxies }: HttpAppSettings,
): FastifyInstance {
  const newRequestId = requestIds();
  const commonHeaders = (requestId: string): OutgoingHttpHeaders => ({
    [REQUEST_ID_HEADER]: requestId,
    // Responses contain tokens and private data.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: newRequestId,
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    // The operations validate the input. Without these, Fastify would load its own unused validator.
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // While the server stops, requests on open connections are still served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // A hook below rejects a request without a Host header, with an error in the format of the API.
    http: { requireHostHeader: false, ServerResponse: responseClass(isStopping) },
    frameworkErrors(_error, request, reply: FastifyReply) {
      const error = malformedRequest('The path is malformed or too long.');
      reply.headers(commonHeaders(request.id));
      reply.code(statusCodeOf(error)).type(JSON_TYPE).send(errorBody(error, request.id));
    },
    clientErrorHandler(cause, socket) {
      const statusCode = STATUS_BY_CODE.get(cause.code);
      const error = malformedRequest('The request is not valid HTTP.', statusCode);
      const requestId = newRequestId({ headers: {} });
      // Only the code is logged: the error object contains the bytes of the request, and so the bearer token.
      logger.debug({ code: cause.code, reqId: requestId }, 'rejected a malformed request');
      if (socket.writable)
        socket.end(rawResponse(statusCodeOf(error), errorBody(error, requestId), requestId));
    },
  });
  addJsonBody(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    const { headers, httpVersion } = request.raw;
    // Source: RFC 9112, section 3.2.
    const isHostMissing = headers.host === undefined && httpVersion === '1.1';
    done(isHostMissing ? malformedRequest('The request has no Host header.') : undefined);
  });
  return app;
}

/**
 * Returns a response class that closes the connection after a response while the server stops.
 * A persistent connection would delay the stop. A Fastify hook would cost time for each response.
 */
function responseClass(isStopping: () => boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(
      status: number,
      reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      if (isStopping()) this.shouldKeepAlive = false;
      // Node distinguishes the overloads by the type of the second argument.
      return super.writeHead(status, reasonOrHeaders as string, headers);
    }
  };
}

function rejectSchema(): never {
  throw new Error('Routes must not have a Fastify schema.');
}

/** Returns a complete HTTP response, for a connection on which no request could be parsed. */
function rawResponse(status: number, body: string, requestId: string): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
