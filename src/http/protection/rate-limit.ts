import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, rateLimited } from '../../model/api-error.ts';
import { type Authenticate, authenticatedPrincipal } from '../authorization.ts';
import { clientAddress } from '../client.ts';
import { isHealthCheck } from '../health.ts';

/** The number of requests that this process accepts per minute. */
export type RateLimits = {
  /** With one credential. */
  readonly perCredential: number;
  /** With all credentials of one account. */
  readonly perAccount: number;
  /** From one client address without a valid token. */
  readonly perAddress: number;
};

/** The headers of the limit that applies to a request. Source: draft-ietf-httpapi-ratelimit-headers-10. */
export const RATE_LIMIT_HEADER = 'ratelimit';
export const RATE_LIMIT_POLICY_HEADER = 'ratelimit-policy';

const WINDOW_SECONDS = 60;

const INTROSPECTIONS_PER_ADDRESS = 60;

/** Counts a request. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Limits the rate of all requests except health checks, and adds the state of the limit to every
 * response. A request with a valid token counts for its credential and its account, and any other for the
 * address of the client, so that nobody can use up the limit of a token by guessing.
 *
 * The library keeps the counters of each limit in memory: those of the last 5,000 keys.
 *
 * Must be called after `addCors`, so that pages of other origins can read the error.
 *
 * @returns the limiter of introspection by address, with or without a valid token
 */
export async function addRateLimits(
  app: FastifyInstance,
  authenticate: Authenticate,
  { perCredential, perAccount, perAddress }: RateLimits,
): Promise<Limiter> {
  await app.register(rateLimit, { global: false });
  const keyOf = (key: 'credentialId' | 'accountId') => (request: FastifyRequest) =>
    authenticatedPrincipal(request)?.[key] ?? '';
  const byCredential = createLimiter(app, 'credential', perCredential, keyOf('credentialId'));
  const byAccount = createLimiter(app, 'account', perAccount, keyOf('accountId'));
  const byAddress = createLimiter(app, 'address', perAddress, clientAddress);

  app.addHook('onRequest', async (request, reply) => {
    if (isHealthCheck(request)) return;
    try {
      await authenticate(request);
    } catch (error) {
      // The API that the request is for reports an invalid token. An outage says nothing about the token.
      if (error instanceof ApiError && error.status === 'UNAUTHENTICATED') return byAddress(request, reply);
      throw error;
    }
    await byCredential(request, reply);
    await byAccount(request, reply);
  });
  return createLimiter(app, 'introspection', INTROSPECTIONS_PER_ADDRESS, clientAddress);
}

function createLimiter(
  app: FastifyInstance,
  name: string,
  quota: number,
  keyGenerator: (request: FastifyRequest) => string,
): Limiter {
  const count = app.createRateLimit({ max: quota, timeWindow: WINDOW_SECONDS * 1000, keyGenerator });
  const policy = `"${name}";q=${quota};w=${WINDOW_SECONDS}`;
  return async (request, reply) => {
    const state = await count(request);
    // Only requests on a list of exceptions are always allowed, and there is none.
    if (state.isAllowed) return;
    const { remaining, ttlInSeconds, isExceeded } = state;
    // The response has the state of the first limit, or of the one that is exceeded.
    if (isExceeded || !reply.hasHeader(RATE_LIMIT_HEADER)) {
      reply.header(RATE_LIMIT_POLICY_HEADER, policy);
      reply.header(RATE_LIMIT_HEADER, `"${name}";r=${remaining};t=${ttlInSeconds}`);
    }
    if (isExceeded) throw rateLimited(ttlInSeconds);
  };
}
