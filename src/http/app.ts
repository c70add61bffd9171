import type { OutgoingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, fastify } from 'fastify';
import type { ApiError } from '../model/api-error.ts';
import type { FormatErrorBody } from './errors.ts';
import { MAX_BODY_BYTES, malformedRequest, requestTimeout, statusCodeOf } from './http-error.ts';
import { addJsonBody, JSON_TYPE } from './json.ts';
import { type Connections, trackConnections } from './protection/connections.ts';
import {
  limitSlowClients,
  SLOW_CLIENT_LIMITS,
  type SlowClientLimits,
  unsentResponses,
} from './protection/slow-clients.ts';
import { connectRefused, headerError, normalizedTarget, parserError } from './protocol.ts';
import { connectionRejecter } from './rejection.ts';
import { REQUEST_ID_HEADER, requestIds } from './request-id.ts';
import { responseClass } from './response.ts';
import { gracefulStop } from './stop.ts';

const REQUEST_TIMEOUT_MS = 30_000;

// The interval in which Node looks for requests that have exceeded the timeout.
const REQUEST_TIMEOUT_CHECK_MS = 5000;

// Longer than the usual idle timeout of load balancers (60 s). If the server closed an idle connection first,
// a balancer could send a request on it at the same time.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// Longer than any valid path, so that the route rejects a longer parameter with a reason.
const MAX_PARAM_LENGTH = 2000;

/** The settings of the HTTP server. */
export type HttpAppSettings = {
  /** Formats errors of requests whose path could not be parsed. */
  readonly errorBody: FormatErrorBody;
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly slowClients?: SlowClientLimits;
};

/** The HTTP server. */
export type HttpApp = {
  readonly app: FastifyInstance;
  /**
   * Completes the received requests, and stops the server.
   *
   * @param delayMs the time until the end of listening
   */
  stop(delayMs: number): Promise<void>;
};

/**
 * Creates the HTTP server, without routes.
 *
 * @param logger receives malformed requests, at level debug
 */
export function createHttpApp(
  logger: Pick<FastifyBaseLogger, 'debug'>,
  { errorBody, trustedProxies = [], slowClients = SLOW_CLIENT_LIMITS }: HttpAppSettings,
): HttpApp {
  const newRequestId = requestIds();
  const commonHeaders = (requestId: string): OutgoingHttpHeaders => ({
    [REQUEST_ID_HEADER]: requestId,
    // Responses contain tokens and private data.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  });
  const unsent = unsentResponses(slowClients);
  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => newRequestId(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    rewriteUrl: normalizedTarget,
    // The operations validate the input. Without these, Fastify would load its own unused validator.
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // Node notices in the second period that a write makes no progress.
    connectionTimeout: slowClients.stalledAfterMs / 2,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: {
      // A hook below rejects requests without a valid Host header, with an error in the format of the API.
      requireHostHeader: false,
      joinDuplicateHeaders: true,
      connectionsCheckingInterval: REQUEST_TIMEOUT_CHECK_MS,
      ServerResponse: responseClass({
        isFinal: (response) =>
          stopping.isClosing() && connections.newestResponse(response.req.socket) === response,
        onUnsent: unsent.add,
      }),
    },
    frameworkErrors(_error, request, reply: FastifyReply) {
      connections.record(request.raw, reply.raw);
      logger.debug({ code: 'MALFORMED_PATH', reqId: request.id }, 'rejected a malformed request');
      const error = malformedRequest('The path is malformed or too long.');
      reply.headers(commonHeaders(request.id));
      reply.code(statusCodeOf(error)).type(JSON_TYPE).send(errorBody(error, request.id));
    },
    clientErrorHandler(cause, socket) {
      reject(socket, parserError(cause), cause.code);
    },
  });
  // For the log and the audit. The system does not know the address any more when the connection is closed. Node
  // remembers it once it was read.
  app.server.on('connection', (socket) => void socket.remoteAddress);
  const connections: Connections = trackConnections(app.server);
  const stopping = gracefulStop(app.server, connections);
  const rejectConnection = connectionRejecter(connections, errorBody);

  /** Responds to what is not a valid request, and closes the connection. */
  function reject(socket: Socket, error: ApiError, code?: string): void {
    const requestId = newRequestId();
    // Only the code is logged: the error object contains the bytes of the request, and so the bearer token.
    logger.debug({ code, reqId: requestId }, 'rejected a malformed request');
    rejectConnection(socket, error, requestId);
  }
  app.server.on('connect', (_request, socket: Socket) => {
    socket.on('error', () => {});
    // Nothing else reads from the connection, so its end would not be noticed.
    socket.resume();
    reject(socket, connectRefused());
  });
  // Fastify's hooks respond with the error.
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  limitSlowClients(app, connections, slowClients, (socket) =>
    reject(socket, requestTimeout(), 'PARTIAL_BODIES'),
  );
  addJsonBody(app);
  app.addHook('onRequest', connections.takeTurn);
  app.addHook('onRequest', (request, reply, done) => {
    reply.headers(commonHeaders(request.id));
    const error = headerError(request.raw);
    // Requests that have arrived together are recorded before one of them gets the last response.
    if (stopping.isClosing()) setImmediate(done, error);
    else done(error);
  });
  return {
    app,
    async stop(delayMs) {
      await stopping.stop(delayMs);
      await app.close();
    },
  };
}

function rejectSchema(): never {
  throw new Error('Routes must not have a Fastify schema.');
}
