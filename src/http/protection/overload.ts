import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../model/api-error.ts';
import { authenticatedPrincipal } from '../authorization.ts';
import { isHealthCheck } from '../health.ts';

/** The share of a resource that one account can have. The others can always have the rest. */
export const SHARE_OF_ACCOUNT = 0.9;

// A body has at most 100 KiB.
const ARRIVING_PER_REQUEST = 2;

/** Created once: the stack trace of an error takes longer than the rest of a refusal. */
export const OVERLOADED = new ApiError('OVERLOADED');

/** Requests with their accounts. */
type Places = Map<FastifyRequest, string | undefined>;

/**
 * Refuses requests with 503 while the server is overloaded, and those of an account with 429 that has nine tenths of the
 * requests in progress. Health checks are always answered. A request whose body is still arriving has a place of another
 * kind, of which there are more, so that slow clients do not keep others out and their bodies do not take all memory.
 *
 * Must be called after `addCors`, so that pages of other origins can read the error, and before hooks that do work for a
 * request.
 */
export function addOverloadProtection(app: FastifyInstance, maxRequests: number): void {
  const inProgress: Places = new Map();
  const arriving: Places = new Map();

  function enter(request: FastifyRequest, places: Places, max: number): ApiError | undefined {
    if (isHealthCheck(request)) return undefined;
    if (places.size >= max) return OVERLOADED;
    const accountId = authenticatedPrincipal(request)?.accountId;
    // Those without an account share as well, except before the authentication, when no account is known.
    if (accountId !== undefined || places === arriving) {
      const ofAccount = places.values().filter((id) => id === accountId);
      if (ofAccount.toArray().length >= max * SHARE_OF_ACCOUNT)
        return accountId === undefined ? OVERLOADED : new ApiError('TOO_MANY_CONCURRENT_REQUESTS');
    }
    places.set(request, accountId);
    return undefined;
  }

  app.addHook('onRequest', (request, _reply, done) => done(enter(request, inProgress, maxRequests)));
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    inProgress.delete(request);
    done(request.raw.complete ? null : enter(request, arriving, ARRIVING_PER_REQUEST * maxRequests));
  });
  app.addHook('preHandler', (request, _reply, done) => {
    arriving.delete(request);
    done(enter(request, inProgress, maxRequests));
  });
  app.addHook('onSend', (request, _reply, _payload, done) => {
    inProgress.delete(request);
    arriving.delete(request);
    done();
  });
}
