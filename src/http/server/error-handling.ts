import type { FastifyInstance, FastifyRequest } from 'fastify';
import { toApiError } from '../../data/call/to-api-error.ts';
import { ApiError, shouldLog } from '../../model/errors.ts';
import {
  headersOf,
  MAX_BODY_BYTES,
  malformedRequest,
  statusCodeOf,
  withResponse,
} from '../errors/error-responses.ts';
import type { LogError } from '../log/error-log.ts';
import { requestNotes } from '../request/request-notes.ts';
import { JSON_TYPE, PATCH_TYPES } from './json.ts';
import { MALFORMED_TARGET, WHOLE_SERVER } from './request-target.ts';

export type FormatErrorBody = (error: ApiError, requestId: string) => string;

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
): void {
  const methodsOf = collectMethods(app);

  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    if (shouldLog(error)) logError(error, request.id);
    requestNotes(request).failure = error;
    reply.code(statusCodeOf(error)).headers(headersOf(error));
    if (statusCodeOf(error) === 415 && request.method === 'PATCH') reply.header('accept-patch', PATCH_TYPES);
    const formatBody = errorBodyFor(request.routeOptions.url ?? pathOf(request));
    return reply.type(JSON_TYPE).send(formatBody(error, request.id));
  });

  // This stage is after the hooks of CORS, and before the body is read: the response does not need it.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    if (!request.is404 && request.method !== 'OPTIONS') return done(codingError(request));
    const path = pathOf(request);
    const isWholeServer = path === WHOLE_SERVER && request.method === 'OPTIONS';
    if (path.startsWith(MALFORMED_TARGET) && !isWholeServer) {
      return done(malformedRequest('The path is malformed.'));
    }
    const methods = methodsOf(isWholeServer ? undefined : path);
    // A pattern also matches paths with dot segments, which are not paths of the route.
    if (methods.length === 0 || methods.includes(request.method)) return done(new ApiError('PATH_NOT_FOUND'));
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') {
      const error = new ApiError('METHOD_NOT_ALLOWED', { message: `The path supports only ${allow}.` });
      return done(withResponse(error, 405, { allow }));
    }
    if (methods.includes('PATCH')) reply.header('accept-patch', PATCH_TYPES);
    reply.code(204).header('allow', allow).send();
  });
  app.setNotFoundHandler(async () => {
    throw new ApiError('PATH_NOT_FOUND');
  });
}

/** Returns the error of a body with a content coding: none is decoded. Source: RFC 9110, section 15.5.16. */
function codingError({ headers }: FastifyRequest): ApiError | undefined {
  const coding = headers['content-encoding'];
  if (coding === undefined || /^ *identity *$/i.test(coding)) return undefined;
  const error = new ApiError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'The body must be sent without the header "Content-Encoding".',
  });
  return withResponse(error, 415, { 'accept-encoding': 'identity' });
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

/** Returns a function that returns the methods of a path, or of all. */
function collectMethods(app: FastifyInstance): (path?: string) => readonly string[] {
  const routes: { readonly pattern: URLPattern; readonly methods: readonly string[] }[] = [];
  app.addHook('onRoute', ({ url, method }) => {
    // @fastify/cors adds an OPTIONS route for every path.
    if (method === 'OPTIONS') return;
    routes.push({ pattern: patternOf(url), methods: [method].flat() });
  });
  return (pathname) => {
    const found = routes.filter(({ pattern }) => pathname === undefined || pattern.test({ pathname }));
    return [...new Set(found.flatMap(({ methods }) => methods))];
  };
}

/** Returns the pattern of the paths of a route. */
export function patternOf(route: string): URLPattern {
  // In the syntax of the router, a literal colon is a double colon.
  return new URLPattern({ pathname: route.replaceAll('::', '\\:') });
}
