import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { toApiError } from '../data/to-api-error.ts';
import { ApiError, shouldLog } from '../model/api-error.ts';
import { headersOf, MAX_BODY_BYTES, malformedRequest, methodNotAllowed, statusCodeOf } from './http-error.ts';
import { JSON_TYPE } from './json.ts';
import type { LogError } from './observation/error-log.ts';
import { recordOf } from './observation/request-record.ts';

export type FormatErrorBody = (error: ApiError, requestId: string) => string;

/** Sends a page instead of the body of an error. Returns undefined if the client gets the body. */
export type SendErrorPage = (
  error: ApiError,
  request: FastifyRequest,
  reply: FastifyReply,
) => FastifyReply | undefined;

/**
 * Adds the responses to failed requests: unknown paths and methods, unreadable bodies, and errors
 * that handlers throw. Also responds to OPTIONS requests with the methods of the path.
 *
 * Must be called before routes are added.
 */
export function addErrorHandling(
  app: FastifyInstance,
  logError: LogError,
  errorBodyFor: (path: string) => FormatErrorBody,
  sendErrorPage: SendErrorPage,
): void {
  const methodsOf = collectMethods(app);

  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    if (shouldLog(error)) logError(error, request.id);
    recordOf(request).failure = error;
    reply.code(statusCodeOf(error)).headers(headersOf(error));
    const page = sendErrorPage(error, request, reply);
    if (page !== undefined) return page;
    const formatBody = errorBodyFor(request.routeOptions.url ?? pathOf(request));
    return reply.type(JSON_TYPE).send(formatBody(error, request.id));
  });

  // This stage is after the hooks of CORS, and before the body is read: the response does not need it.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (!request.is404 && request.method !== 'OPTIONS') return done();
    const methods = methodsOf(pathOf(request));
    // A pattern also matches paths with dot segments, which are no path of the route.
    if (methods.length === 0 || methods.includes(request.method)) return done(new ApiError('PATH_NOT_FOUND'));
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(allow));
    reply.code(204).header('allow', allow).send();
  });
  app.setNotFoundHandler(async () => {
    throw new ApiError('PATH_NOT_FOUND');
  });
}

function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
  const end = url.indexOf('?');
  return end === -1 ? url : url.slice(0, end);
}

function fromFastify(thrown: unknown): ApiError {
  const statusCode = thrown instanceof Error && 'statusCode' in thrown ? thrown.statusCode : undefined;
  if (thrown instanceof ApiError || typeof statusCode !== 'number' || statusCode >= 500) {
    return toApiError(thrown);
  }
  switch (statusCode) {
    case 413:
      return new ApiError('BODY_TOO_LARGE', {
        message: `The body may have at most ${MAX_BODY_BYTES} bytes.`,
      });
    case 415:
      return new ApiError('UNSUPPORTED_MEDIA_TYPE');
    default:
      return malformedRequest('The request could not be read.');
  }
}

function collectMethods(app: FastifyInstance): (path: string) => readonly string[] {
  const routes: { readonly pattern: URLPattern; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // @fastify/cors adds an OPTIONS route for every path.
    if (method === 'OPTIONS') return;
    routes.push({ pattern: patternOf(url), methods: [method].flat() });
  });
  return (pathname) => routes.flatMap(({ pattern, methods }) => (pattern.test({ pathname }) ? methods : []));
}

/** Returns the pattern of the paths of a route. */
export function patternOf(route: string): URLPattern {
  // In the syntax of the router, a literal colon is a double colon.
  return new URLPattern({ pathname: route.replaceAll('::', '\\:') });
}
