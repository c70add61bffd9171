import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

const EXPOSED_HEADERS = ['x-request-id', 'retry-after', 'www-authenticate'];

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Lets pages of other origins call the gateway from a browser. Such a page sends a bearer token of its
 * own and never a cookie, so it can do no more than its token allows.
 *
 * To be called after `addErrors`, which answers preflight requests with the methods of the path.
 *
 * @param origins the allowed origins; `*` allows all
 */
export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: [...origins],
    methods: ['GET', 'HEAD', 'POST', 'PATCH'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    preflightContinue: true,
    strictPreflight: false,
  });
}
