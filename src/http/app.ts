import {
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  STATUS_CODES,
} from 'node:http';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { ErrorBody } from './errors.ts';
import { MAX_BODY_BYTES, malformedRequest, statusCodeOf } from './http-error.ts';
import { addJsonBody, JSON_TYPE } from './json.ts';
import { REQUEST_ID_HEADER, requestIds } from './request-id.ts';

/** The HTTP status of what Node's parser refuses with another than 400. */
const STATUS_OF_CODE = new Map<unknown, number>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

const REQUEST_TIMEOUT_MS = 30_000;

// Longer than balancers keep their connections, so that it is they who end one.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// Longer than any path of ours, so that a long one is refused by its route, with a reason.
const MAX_PARAM_LENGTH = 2000;

/** What the HTTP server asks the others. */
export type HttpAppSettings = {
  /** The view of errors that come before there is a path to look at. */
  readonly errorBody: ErrorBody;
  /** Whether the server has been told to stop. */
  readonly isStopping: () => boolean;
};

/** Makes the HTTP server that the APIs are added to. */
export function createHttpApp(
  logger: Pick<FastifyBaseLogger, 'debug'>,
  { errorBody, isStopping }: HttpAppSettings,
): FastifyInstance {
  const newRequestId = requestIds();
  const commonHeaders = (requestId: string): OutgoingHttpHeaders => ({
    [REQUEST_ID_HEADER]: requestId,
    // Responses hold tokens and private data.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const app = fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: newRequestId,
    requestIdHeader: false,
    // The APIs check what comes in themselves: without these Fastify loads a validator that is never asked.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // While the server stops, what still comes over open connections is served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    // A request without a host is refused below, with an error in our own shape.
    http: { requireHostHeader: false, ServerResponse: responseClass(isStopping) },
    frameworkErrors(_error, request, reply: FastifyReply) {
      const error = malformedRequest('The path is not well-formed, or too long.');
      reply.headers(commonHeaders(request.id));
      reply.code(statusCodeOf(error)).type(JSON_TYPE).send(errorBody(error, request.id));
    },
    clientErrorHandler(cause, socket) {
      const statusCode = STATUS_OF_CODE.get(cause.code);
      const error = malformedRequest('The request is not well-formed HTTP.', statusCode);
      const requestId = newRequestId({ headers: {} });
      // The error itself holds the bytes of the request, and so the bearer token.
      logger.debug({ code: cause.code, reqId: requestId }, 'refused a connection');
      if (socket.writable)
        socket.end(rawResponse(statusCodeOf(error), errorBody(error, requestId), requestId));
    },
  });
  addJsonBody(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    const { headers, httpVersion } = request.raw;
    // Source: RFC 9112, section 3.2.
    const hostless = headers.host === undefined && httpVersion === '1.1';
    done(hostless ? malformedRequest('The request lacks the header Host.') : undefined);
  });
  return app;
}

/**
 * Makes the class of responses: one that is sent while the server stops ends its connection,
 * which would keep the server from stopping. A hook for this would be run for each response.
 */
function responseClass(isStopping: () => boolean): typeof ServerResponse {
  return class<Request extends IncomingMessage> extends ServerResponse<Request> {
    override writeHead(
      status: number,
      reasonOrHeaders?: string | OutgoingHttpHeaders | OutgoingHttpHeader[],
      headers?: OutgoingHttpHeaders | OutgoingHttpHeader[],
    ): this {
      if (isStopping()) this.shouldKeepAlive = false;
      // Node looks at the type of what comes second.
      return super.writeHead(status, reasonOrHeaders as string, headers);
    }
  };
}

function noSchemas(): never {
  throw new Error('No route has a schema for Fastify.');
}

/** A whole response, for a connection on which no request could be read. */
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
