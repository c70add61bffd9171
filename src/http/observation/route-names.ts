import type { FastifyInstance, FastifyRequest } from 'fastify';

/**
 * Returns a function that returns the pattern of the route of a request, such as `/wallet/*`, or undefined if the path
 * is unknown. Must be called before routes are added.
 */
export function routeNames(app: FastifyInstance): (request: FastifyRequest) => string | undefined {
  // In the syntax of the router, a literal colon is a double colon.
  const names = new Map<string, string>();
  app.addHook('onRoute', ({ url }) => {
    names.set(url, url.replaceAll('::', ':'));
  });
  return ({ routeOptions: { url = '' } }) => names.get(url);
}
