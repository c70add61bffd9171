import type { FastifyBaseLogger, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, shouldLog, toApiError } from '../model/api-error.ts';
import {
  bodyTooLarge,
  headersOf,
  malformedRequest,
  methodNotAllowed,
  pathNotFound,
  statusCodeOf,
  unsupportedMediaType,
} from './http-error.ts';
import { JSON_TYPE } from './json.ts';

/** Turns an error into the body that an API's clients expect. */
export type ErrorBody = (error: ApiError, requestId: string) => string;

/**
 * Answers every failed request: paths that lead nowhere, methods that a path does
 * not take, bodies that cannot be read, and whatever a handler throws.
 *
 * To be called before any route is added.
 *
 * @param logger is given what is the gateway's own fault
 * @param bodyOf finds the view of an error by the path of the request
 */
export function addErrors(
  app: FastifyInstance,
  logger: Pick<FastifyBaseLogger, 'error'>,
  bodyOf: (path: string) => ErrorBody,
): void {
  const routes = watchRoutes(app);

  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    if (shouldLog(error)) logger.error({ reqId: request.id, err: error });
    return sendError(error, request, reply);
  });

  // After the hooks of CORS, and before the body is read, which is of no use here.
  app.addHook('preParsing', (request, reply, _payload, done) => {
    // With CORS there is a route for OPTIONS on every path.
    if (!request.is404 && request.method !== 'OPTIONS') return done();
    const methods = routes.methodsOf(pathOf(request));
    if (methods.length === 0) return done(pathNotFound());
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') return done(methodNotAllowed(allow));
    reply.code(204).header('allow', allow).send();
  });
  app.setNotFoundHandler(async () => {
    throw pathNotFound();
  });

  function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply) {
    return reply
      .code(statusCodeOf(error))
      .headers(headersOf(error))
      .type(JSON_TYPE)
      .send(bodyOf(request.routeOptions.url ?? pathOf(request))(error, request.id));
  }
}

/** The path of a request, without its query. */
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
      return bodyTooLarge();
    case 415:
      return unsupportedMediaType();
    default:
      return malformedRequest('The request could not be read.');
  }
}

/** Keeps the methods of each path that a route is added for. */
function watchRoutes(app: FastifyInstance): { methodsOf(path: string): readonly string[] } {
  const routes = new Map<string, { readonly path: RegExp; readonly methods: Set<string> }>();
  app.addHook('onRoute', ({ url, method }) => {
    if (method === 'OPTIONS') return;
    const route = routes.get(url) ?? { path: pathPattern(url), methods: new Set() };
    for (const each of [method].flat()) route.methods.add(each);
    routes.set(url, route);
  });
  return {
    methodsOf: (path) =>
      routes
        .values()
        .find((route) => route.path.test(path))
        ?.methods.values()
        .toArray() ?? [],
  };
}

/** The paths of a route, in which `:name` stands for one part, `*` for the rest, and `::` for a colon. */
function pathPattern(url: string): RegExp {
  const pattern = url.replace(/::|:\w+|\*|[^\w/]/g, (part) => {
    if (part === '::') return ':';
    if (part === '*') return '.*';
    return part.startsWith(':') ? '[^/]+' : RegExp.escape(part);
  });
  return new RegExp(`^${pattern}$`);
}
