import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  bodyTooLarge,
  malformedRequest,
  methodNotAllowed,
  pathNotFound,
  toApiError,
  unsupportedMediaType,
} from '../model/api-error.ts';
import { BODY_LIMIT_BYTES } from './json-body.ts';

/** Turns an error into the body that a face's clients expect. */
export type ErrorBody = (error: ApiError, requestId: string) => string;

/**
 * Answers every failed request: paths that lead nowhere, methods that a path does
 * not take, bodies that cannot be read, and whatever a handler throws.
 *
 * To be called before any route is added.
 *
 * @param bodyOf finds the view of an error by the path of the request
 */
export function addErrors(app: FastifyInstance, bodyOf: (path: string) => ErrorBody): void {
  const routes = watchRoutes(app);

  app.setErrorHandler((thrown, request, reply) => {
    const error = fromFastify(thrown);
    if (error.status === 'INTERNAL' || error.status === 'UNAVAILABLE') request.log.error(error);
    return sendError(error, request, reply);
  });

  // Before the body is read, since it matters to no one.
  app.addHook('onRequest', async (request, reply) => {
    if (!request.is404) return;
    const methods = routes.methodsOf(pathOf(request));
    if (methods.length === 0) throw pathNotFound();
    const allow = [...methods, 'OPTIONS'].join(', ');
    if (request.method !== 'OPTIONS') throw methodNotAllowed(allow);
    return reply.code(204).header('allow', allow).send();
  });
  app.setNotFoundHandler(async () => {
    throw pathNotFound();
  });

  function sendError(error: ApiError, request: FastifyRequest, reply: FastifyReply) {
    return reply
      .code(error.httpStatus)
      .headers(error.headers)
      .type('application/json; charset=utf-8')
      .send(bodyOf(pathOf(request))(error, request.id));
  }
}

/** The path of a request, without its query. */
export function pathOf({ url }: Pick<FastifyRequest, 'url'>): string {
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
      return bodyTooLarge(BODY_LIMIT_BYTES);
    case 415:
      return unsupportedMediaType();
    default:
      return malformedRequest('The request could not be read.');
  }
}

/** Keeps the methods of each path that a route is added for. */
function watchRoutes(app: FastifyInstance): { methodsOf(path: string): readonly string[] } {
  const methodsByUrl = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set();
    for (const each of [method].flat()) methods.add(each);
    methodsByUrl.set(url, methods);
  });
  return {
    methodsOf(path) {
      for (const [url, methods] of methodsByUrl) {
        if (matches(url, path)) return [...methods];
      }
      return [];
    },
  };
}

/** Whether a path is one of a route's, whose last part may be open. */
function matches(url: string, path: string): boolean {
  const open = url.search(/\*|:\w+/);
  const plain = url.replaceAll('::', ':');
  return open === -1 || url.startsWith('::', open) ? plain === path : path.startsWith(url.slice(0, open));
}
