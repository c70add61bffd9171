import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ByteCache } from '../../model/byte-cache.ts';
import type { RequestOwner } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Authenticate } from '../authorization.ts';
import { clientAddress } from '../client.ts';
import { kindOf, recordOf } from '../request-record.ts';

/** The number of requests that this process accepts per minute. */
export type RateLimits = {
  readonly perCredential: number;
  readonly perAccount: number;
  /** From one client address without a valid token. */
  readonly perAddress: number;
};

/** The headers of the limit that applies to a request. Source: draft-ietf-httpapi-ratelimit-headers-10. */
export const RATE_LIMIT_HEADER = 'ratelimit';
export const RATE_LIMIT_POLICY_HEADER = 'ratelimit-policy';

const WINDOW_SECONDS = 60;

const WINDOW_MS = WINDOW_SECONDS * 1000;

// More than 5,000 keys.
const MAX_COUNT_BYTES = 2_000_000;

const INTROSPECTIONS_PER_ADDRESS = 60;

/** Counts a request. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => Promise<void>;

/**
 * Counts a request for its owner, or without one for the address of the client.
 *
 * @throws RESOURCE_EXHAUSTED if it exceeds a limit
 */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  owner: RequestOwner | undefined,
) => Promise<void>;

/** The counts of one limit, in windows of the monotonic clock: those of the library do not end while the clock goes back. */
class WindowCounts {
  readonly #windows = new ByteCache<{ count: number; readonly endMs: number }>(MAX_COUNT_BYTES);

  incr(key: string, done: (error: null, state: { current: number; ttl: number }) => void): void {
    const now = performance.now();
    let window = this.#windows.get(key);
    if (window === undefined || window.endMs <= now) {
      window = { count: 0, endMs: now + WINDOW_MS };
      this.#windows.set(key, window);
    }
    window.count += 1;
    done(null, { current: window.count, ttl: window.endMs - now });
  }

  child(): WindowCounts {
    return new WindowCounts();
  }
}

/**
 * Limits the rate of all requests except health checks, and adds the state of the limit to every
 * response. A request with a valid token counts for its credential and its account, and any other for the
 * address of the client, so that nobody can use up the limit of a token by guessing.
 *
 * Must be called after `addCors`, so that pages of other origins can read the error.
 *
 * @returns the limiter of introspection by address, with or without a valid token, and what the API of OAuth calls, whose clients have no token
 */
export async function addRateLimits(
  app: FastifyInstance,
  authenticate: Authenticate,
  { perCredential, perAccount, perAddress }: RateLimits,
): Promise<{ readonly limitIntrospection: Limiter; readonly countRequest: CountRequest }> {
  await app.register(rateLimit, { global: false, store: WindowCounts });
  const keyOf = (key: 'tokenId' | 'accountId') => (request: FastifyRequest) =>
    recordOf(request).owner?.[key] ?? '';
  const byCredential = createLimiter(app, 'credential', perCredential, keyOf('tokenId'));
  const byAccount = createLimiter(app, 'account', perAccount, keyOf('accountId'));
  const byAddress = createLimiter(app, 'address', perAddress, clientAddress);

  const countRequest: CountRequest = async (request, reply, owner) => {
    if (owner === undefined) return byAddress(request, reply);
    recordOf(request).owner = owner;
    await byCredential(request, reply);
    await byAccount(request, reply);
  };

  app.addHook('onRequest', async (request, reply) => {
    const kind = kindOf(request);
    if (kind === 'health check' || kind === 'oauth') return;
    const owner = await authenticate(request).catch((error) => {
      // The API that the request is for reports an invalid token. An outage says nothing about the token.
      if (error instanceof ApiError && error.status === 'UNAUTHENTICATED') return undefined;
      throw error;
    });
    await countRequest(request, reply, owner);
  });
  const limitIntrospection = createLimiter(app, 'introspection', INTROSPECTIONS_PER_ADDRESS, clientAddress);
  return { limitIntrospection, countRequest };
}

function createLimiter(
  app: FastifyInstance,
  name: string,
  quota: number,
  keyGenerator: (request: FastifyRequest) => string,
): Limiter {
  const count = app.createRateLimit({ max: quota, timeWindow: WINDOW_MS, keyGenerator });
  const policy = `"${name}";q=${quota};w=${WINDOW_SECONDS}`;
  return async (request, reply) => {
    const state = await count(request);
    // Only requests on a list of exceptions are always allowed, and there is none.
    if (state.isAllowed) return;
    const { remaining, ttlInSeconds, isExceeded } = state;
    // The response has the state of the first limit, or of the one that is exceeded.
    if (isExceeded || (reply.getHeader(RATE_LIMIT_POLICY_HEADER) ?? policy) === policy) {
      reply.header(RATE_LIMIT_POLICY_HEADER, policy);
      reply.header(RATE_LIMIT_HEADER, `"${name}";r=${remaining};t=${ttlInSeconds}`);
    }
    if (isExceeded) throw new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: ttlInSeconds });
  };
}
