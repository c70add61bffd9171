import type { Socket } from 'node:net';
import {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  fastify,
  LogController,
} from 'fastify';
import { malformedRequest } from '../model/api-error.ts';
import type { ErrorBody } from './errors.ts';
import { addJsonBody, BODY_LIMIT_BYTES } from './json-body.ts';
import { REQUEST_ID_HEADER, requestIds } from './request-id.ts';

const REQUEST_TIMEOUT_MS = 30_000;

// Longer than any path of ours, so that a long one is refused by its route, with a reason.
const MAX_PARAM_LENGTH = 2000;

/**
 * Makes the HTTP server that the faces are added to.
 *
 * @param errorBody the view of errors that come before there is a path to look at
 */
export function createHttpApp(logger: FastifyBaseLogger, errorBody: ErrorBody): FastifyInstance {
  const newRequestId = requestIds();
  const app = fastify({
    loggerInstance: logger,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: BODY_LIMIT_BYTES,
    genReqId: newRequestId,
    requestIdHeader: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    // While the server stops, what still comes over open connections is served.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors(_error, request, reply: FastifyReply) {
      const error = malformedRequest('The path is not well-formed.');
      reply.code(error.httpStatus).type('application/json; charset=utf-8').send(errorBody(error, request.id));
    },
    clientErrorHandler(_error, socket) {
      endSocket(
        socket,
        errorBody(malformedRequest('The request is not well-formed HTTP.'), newRequestId({ headers: {} })),
      );
    },
  });
  addJsonBody(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header(REQUEST_ID_HEADER, request.id);
    // Answers hold tokens and what only their bearer may see.
    reply.header('cache-control', 'no-store');
    reply.header('x-content-type-options', 'nosniff');
    done();
  });
  return app;
}

function endSocket(socket: Socket, body: string): void {
  if (!socket.writable) return;
  const length = Buffer.byteLength(body);
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${length}\r\nConnection: close\r\n\r\n${body}`,
  );
}
