import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  fastify,
} from 'fastify';
import type { ApiError } from '../../model/errors.ts';
import { MAX_BODY_BYTES, malformedRequest } from '../errors/error-responses.ts';
import { REQUEST_ID_HEADER, requestIds } from '../request/request-id.ts';
import { Connections } from './connections.ts';
import { addJsonBody } from './json.ts';
import { connectionRejecter } from './rejection.ts';
import {
  hostError,
  normalizedTarget,
  parserError,
  transferCodingError,
  withoutPorts,
} from './request-target.ts';
import { stopServer } from './stop.ts';

const REQUEST_TIMEOUT_MS = 30_000;

// The interval in which Node checks the progress of a connection. One that neither sends nor reads is closed after one or two.
const CONNECTION_TIMEOUT_MS = 15_000;

const NODE_OPTIONS = {
  // Node applies the longer one of the two timeouts to the body.
  headersTimeout: REQUEST_TIMEOUT_MS,
  // The interval in which Node looks for requests that have exceeded the timeout.
  connectionsCheckingInterval: 5000,
  // A hook below rejects requests without a valid Host header, with an error in the format of the API.
  requireHostHeader: false,
  joinDuplicateHeaders: true,
};

// Longer than the usual idle timeout of load balancers (60 s). If the server closed an idle connection first,
// a balancer could send a request on it at the same time.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// The length at which Node refuses the headers of a request, so the router refuses no parameter before the hooks.
const MAX_PARAM_LENGTH = 16_384;

export type HttpAppSettings = {
  /** The addresses and networks of proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies?: readonly string[];
  readonly connectionTimeoutMs?: number | undefined;
};

export type HttpApp = {
  readonly app: FastifyInstance;
  /**
   * Completes the received requests, and stops the server.
   *
   * @param delayMs the time until the end of listening
   */
  stop(delayMs: number): Promise<void>;
};

/** Creates the HTTP server, without routes. */
export function createHttpApp(
  logger: Pick<FastifyBaseLogger, 'debug'>,
  { trustedProxies = [], connectionTimeoutMs = CONNECTION_TIMEOUT_MS }: HttpAppSettings,
): HttpApp {
  const newRequestId = requestIds();
  const app: FastifyInstance = fastify({
    bodyLimit: MAX_BODY_BYTES,
    genReqId: () => newRequestId(),
    requestIdHeader: false,
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    rewriteUrl: normalizedTarget,
    // The operations validate the input. Without these, Fastify would load its own unused validator.
    schemaController: { compilersFactory: { buildValidator: rejectSchema, buildSerializer: rejectSchema } },
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    connectionTimeout: connectionTimeoutMs,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    http: NODE_OPTIONS,
    clientErrorHandler({ code }, socket) {
      const requestId = newRequestId();
      // Only the code is logged: the error object contains the bytes of the request, and so the bearer token.
      logger.debug({ code, reqId: requestId }, 'rejected a malformed request');
      rejectConnection(socket, parserError(code), requestId);
    },
  });
  const connections = new Connections(app.server);
  const rejectConnection = connectionRejecter(connections);
  const takeTurn = ({ socket, id }: FastifyRequest, { raw }: FastifyReply, start: () => void) => {
    if (connections.takeTurn(raw, start)) return;
    rejectConnection(
      socket,
      malformedRequest('The connection has too many requests without a response.'),
      id,
    );
  };
  app.addHook('onRequest', takeTurn);
  answerExpectations(app.server);
  refuseTunnels(app.server, (socket, error) => rejectConnection(socket, error, newRequestId()));
  // A client that has ended its side of the connection gets its responses. The types of Node have no such property.
  Object.assign(app.server, { httpAllowHalfOpen: true });
  addJsonBody(app);
  addConnectionHooks(app, connections, trustedProxies.length > 0);
  return {
    app,
    async stop(delayMs) {
      await stopServer(app.server, connections, delayMs);
      await app.close();
    },
  };
}

function addConnectionHooks(app: FastifyInstance, connections: Connections, trustsProxies: boolean): void {
  app.addHook('onRequest', (request, reply, done) => {
    const { raw } = request;
    const forwardedFor = trustsProxies && raw.headers['x-forwarded-for'];
    if (forwardedFor) raw.headers['x-forwarded-for'] = withoutPorts(String(forwardedFor));
    reply.headers(commonHeaders(request));
    done(hostError(raw) ?? transferCodingError(raw));
  });
  app.addHook('onSend', ({ socket }, reply, _payload, done) => {
    if (connections.isLastResponse(socket)) reply.header('connection', 'close');
    done();
  });
}

function commonHeaders({ id, headers }: FastifyRequest): Readonly<Record<string, string>> {
  return {
    [REQUEST_ID_HEADER]: id,
    // Responses contain tokens and private data.
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    // Node drops the data that it has read after such a request. The rest of it could look like another request.
    ...(headers.upgrade !== undefined && { connection: 'close' }),
  };
}

/** Sends 100 when the body of a request is read, so no client sends a body for a request that is refused before. */
function answerExpectations(server: Server): void {
  server.on('checkContinue', (request, response) => {
    request.once('resume', () => {
      if (!response.headersSent) response.writeContinue();
    });
    server.emit('request', request, response);
  });
  // Node's own response would not wait for its turn.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
}

/** Refuses the method CONNECT. */
function refuseTunnels(server: Server, reject: (socket: Socket, error: ApiError) => void): void {
  server.on('connect', (_request, socket: Socket) => {
    // Node does not handle the connection any more.
    socket.on('error', () => {}).resume();
    reject(socket, malformedRequest('The server is not a proxy.'));
  });
}

function rejectSchema(): never {
  throw new Error('Routes must not have a Fastify schema.');
}
