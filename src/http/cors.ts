import type { FastifyInstance } from 'fastify';

const METHODS = 'GET, HEAD, POST, PATCH';

const EXPOSED_HEADERS = 'x-request-id, retry-after, www-authenticate';

const PREFLIGHT_MAX_AGE_SECONDS = '600';

/**
 * Lets pages of other origins call the gateway from a browser. They send a bearer
 * token of their own, never a cookie, so that an allowed page gets no more than
 * what its token gives. To be called before the errors are added, which answer
 * the pre-flight request itself.
 *
 * @param origins the allowed origins; `*` allows all, and none adds nothing
 */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) return;
  const anyOrigin = origins.includes('*');
  const allowed = new Set(origins);
  app.addHook('onRequest', (request, reply, done) => {
    const { headers, method } = request;
    const { origin } = headers;
    // Said of every answer, since a cache may hold one to a request without an origin.
    reply.header('vary', 'Origin');
    if (origin === undefined) return done();
    if (!anyOrigin && !allowed.has(origin)) return done();
    reply.header('access-control-allow-origin', origin);
    reply.header('access-control-expose-headers', EXPOSED_HEADERS);
    if (method === 'OPTIONS' && headers['access-control-request-method'] !== undefined) {
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
