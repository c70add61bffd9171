import cors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';
import { RATE_LIMIT_HEADER, RATE_LIMIT_POLICY_HEADER } from '../limits/rate-limit.ts';
import { REPLAYED_HEADER } from '../request/idempotency-headers.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';

const EXPOSED_HEADERS = [
  'etag',
  REQUEST_ID_HEADER,
  'retry-after',
  'www-authenticate',
  RATE_LIMIT_POLICY_HEADER,
  RATE_LIMIT_HEADER,
  REPLAYED_HEADER,
];

const ANY_PORT = ':*';

const PREFLIGHT_MAX_AGE_SECONDS = 600;

/**
 * Allows pages of other origins to call the gateway from a browser. The gateway uses no cookies, so
 * a page can do only what its own bearer token allows.
 *
 * Must be called after `addErrorHandling`, which responds to preflight requests.
 *
 * @param origins the allowed origins, of which one that ends with `:*` has any port; `*` allows all, an empty list none
 */
export async function addCors(app: FastifyInstance, origins: readonly string[]): Promise<void> {
  if (origins.length === 0) return;
  await app.register(cors, {
    origin: origins.map((origin) => (origin.endsWith(ANY_PORT) ? onAnyPort(origin) : origin)),
    methods: ['GET', 'HEAD', 'POST', 'PATCH'],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_MAX_AGE_SECONDS,
    preflightContinue: true,
    strictPreflight: false,
  });
}

function onAnyPort(origin: string): RegExp {
  return new RegExp(`^${RegExp.escape(origin.slice(0, -ANY_PORT.length))}(:\\d{1,5})?$`);
}
