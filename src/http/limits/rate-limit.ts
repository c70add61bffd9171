import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LimitOwner } from '../../model/caller.ts';
import { ApiError } from '../../model/errors.ts';
import type { Authenticate } from '../request/authorization.ts';
import { clientAddress } from '../request/request-client.ts';
import { requestNotes, routeKindOfRequest } from '../request/request-notes.ts';
import { WINDOW_SECONDS, WindowCounts } from './window-counts.ts';

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

// Of one token, or of one address without a valid token.
const INTROSPECTIONS = 60;

/** Counts a request. @throws RESOURCE_EXHAUSTED if it exceeds the limit */
export type Limiter = (request: FastifyRequest, reply: FastifyReply) => void;

/**
 * Counts a request for its owner, or without one for the address of the client.
 *
 * @throws RESOURCE_EXHAUSTED if it exceeds a limit
 */
export type CountRequest = (
  request: FastifyRequest,
  reply: FastifyReply,
  owner: LimitOwner | undefined,
) => void;

/**
 * Limits the rate of all requests except health checks, and adds the state of the limit to every
 * response. A request with a valid token counts for its credential and its account, and any other for the
 * address of the client, so no one can use up the limit of a token by guessing.
 *
 * Must be called after `addCors`, so pages of other origins can read the error.
 *
 * @returns the limiter of introspection, by token, or by address without a valid token; the calls for the OAuth API,
 *   whose clients have no token; and the counts by account
 */
export function addRateLimits(
  app: FastifyInstance,
  authenticate: Authenticate,
  { perCredential, perAccount, perAddress }: RateLimits,
) {
  const accounts = new WindowCounts();
  const ofOwner = (key: keyof LimitOwner) => (request: FastifyRequest) =>
    requestNotes(request).owner?.[key] ?? clientAddress(request);
  const byCredential = createLimiter('credential', perCredential, ofOwner('tokenId'));
  const byAccount = createLimiter('account', perAccount, ofOwner('accountId'), accounts);
  const byAddress = createLimiter('address', perAddress, clientAddress);

  const countRequest: CountRequest = (request, reply, owner) => {
    if (owner === undefined) return byAddress(request, reply);
    requestNotes(request).owner = owner;
    byCredential(request, reply);
    byAccount(request, reply);
  };

  app.addHook('onRequest', async (request, reply) => {
    const kind = routeKindOfRequest(request);
    if (kind === 'health check' || kind === 'oauth') return;
    const owner = await authenticate(request).catch((error) => {
      // The API that the request is for reports an invalid token. An outage says nothing about the token.
      if (error instanceof ApiError && error.status === 'UNAUTHENTICATED') return undefined;
      throw error;
    });
    countRequest(request, reply, owner);
  });
  const limitIntrospection = createLimiter('introspection', INTROSPECTIONS, ofOwner('tokenId'));
  return { limitIntrospection, countRequest, accounts };
}

function createLimiter(
  name: string,
  quota: number,
  keyOf: (request: FastifyRequest) => string,
  counts = new WindowCounts(),
): Limiter {
  const policy = `"${name}";q=${quota};w=${WINDOW_SECONDS}`;
  return (request, reply) => {
    const { count, endSeconds } = counts.add(keyOf(request));
    const isExceeded = count > quota;
    // The response has the state of the first limit, or of the one that is exceeded.
    if (isExceeded || (reply.getHeader(RATE_LIMIT_POLICY_HEADER) ?? policy) === policy) {
      reply.header(RATE_LIMIT_POLICY_HEADER, policy);
      reply.header(RATE_LIMIT_HEADER, `"${name}";r=${Math.max(0, quota - count)};t=${endSeconds}`);
    }
    if (isExceeded) throw new ApiError('TOO_MANY_REQUESTS', { retryAfterSeconds: endSeconds });
  };
}
