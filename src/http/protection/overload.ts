import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type ApiError, overloaded, tooManyConcurrentRequests } from '../../model/api-error.ts';
import { authenticatedPrincipal } from '../authorization.ts';
import { isHealthCheck } from '../health.ts';

// Created once: the stack trace of an error takes longer than the rest of a refusal.
const OVERLOADED = overloaded();

/**
 * Refuses requests with 503 while the server is overloaded, and those of an account with 429 that has half of the requests
 * in progress. Health checks are always answered. A request does not count while its body is read, so that slow clients
 * do not keep others out.
 *
 * Must be called after `addCors`, so that pages of other origins can read the error, and before hooks that do work for a
 * request.
 *
 * @param maxRequests the maximum number of requests in progress
 */
export function addOverloadProtection(app: FastifyInstance, maxRequests: number): void {
  // The requests in progress with their accounts, which are not known before the authentication.
  const inProgress = new Map<FastifyRequest, string | undefined>();

  function enter(request: FastifyRequest): ApiError | undefined {
    if (isHealthCheck(request)) return undefined;
    if (inProgress.size >= maxRequests) return OVERLOADED;
    const accountId = authenticatedPrincipal(request)?.accountId;
    if (accountId !== undefined) {
      const ofAccount = inProgress.values().filter((id) => id === accountId);
      if (ofAccount.toArray().length >= maxRequests / 2) return tooManyConcurrentRequests();
    }
    inProgress.set(request, accountId);
    return undefined;
  }

  app.addHook('onRequest', (request, _reply, done) => done(enter(request)));
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    inProgress.delete(request);
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => done(enter(request)));
  app.addHook('onSend', (request, _reply, _payload, done) => {
    inProgress.delete(request);
    done();
  });
}
