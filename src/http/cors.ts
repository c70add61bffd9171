import type { FastifyInstance } from 'fastify';

const METHODS = 'GET, HEAD, POST, PATCH';

const EXPOSED_HEADERS = 'x-request-id, retry-after, www-authenticate';

const PREFLIGHT_MAX_AGE_SECONDS = '600';

/** What an answer says of the origin that asked, if it came from a page of one. */
export type CorsHeaders = (origin: string | undefined) => Readonly<Record<string, string>>;

/**
 * Lets pages of other origins call the gateway from a browser. They send a bearer
 * token of their own, never a cookie, so that an allowed page gets no more than
 * what its token gives.
 *
 * @param origins the allowed origins; `*` allows all, and none says nothing
 */
export function corsHeaders(origins: readonly string[]): CorsHeaders {
  if (origins.length === 0) return () => NOTHING;
  const anyOrigin = origins.includes('*');
  const allowed = new Set(origins);
  return (origin) => {
    // Said of every answer, since a cache may hold one to a request without an origin.
    if (origin === undefined || !(anyOrigin || allowed.has(origin))) return { vary: 'Origin' };
    return {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers': EXPOSED_HEADERS,
    };
  };
}

const NOTHING = {};

/**
 * Tells browsers beforehand what such a page may send. To be called before the errors
 * are added, which answer the pre-flight request itself.
 */
export function addPreflight(app: FastifyInstance): void {
  app.addHook('onRequest', ({ method, headers }, reply, done) => {
    const isPreflight = method === 'OPTIONS' && headers['access-control-request-method'] !== undefined;
    if (isPreflight && reply.hasHeader('access-control-allow-origin')) {
      reply.header('access-control-allow-methods', METHODS);
      reply.header('access-control-allow-headers', headers['access-control-request-headers'] ?? '');
      reply.header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS);
      // A browser asks this before a public page, such as Apollo Studio, may call a local server.
      if (headers['access-control-request-private-network'] === 'true') {
        reply.header('access-control-allow-private-network', 'true');
      }
    }
    done();
  });
}
