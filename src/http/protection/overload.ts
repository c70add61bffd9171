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
  const inProgress = new RequestsInProgress(maxRequests);
  const enter = (request: FastifyRequest) => (isHealthCheck(request) ? undefined : inProgress.enter(request));
  app.addHook('onRequest', (request, _reply, done) => done(enter(request)));
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    inProgress.leave(request);
    done();
  });
  app.addHook('preHandler', (request, _reply, done) => done(enter(request)));
  app.addHook('onSend', (request, _reply, _payload, done) => {
    inProgress.leave(request);
    done();
  });
}

/** The requests that a process works on, with their accounts. The account is not known before the authentication. */
class RequestsInProgress {
  readonly #max: number;
  readonly #accounts = new Map<FastifyRequest, string | undefined>();
  readonly #counts = new Map<string, number>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Adds a request, or returns the error if it is refused. */
  enter(request: FastifyRequest): ApiError | undefined {
    if (this.#accounts.size >= this.#max) return OVERLOADED;
    const accountId = authenticatedPrincipal(request)?.accountId;
    if (accountId !== undefined) {
      const count = this.#counts.get(accountId) ?? 0;
      if (count >= this.#max / 2) return tooManyConcurrentRequests();
      this.#counts.set(accountId, count + 1);
    }
    this.#accounts.set(request, accountId);
    return undefined;
  }

  /** Removes a request, if it was added. */
  leave(request: FastifyRequest): void {
    const accountId = this.#accounts.get(request);
    if (!this.#accounts.delete(request) || accountId === undefined) return;
    const count = (this.#counts.get(accountId) ?? 0) - 1;
    if (count > 0) this.#counts.set(accountId, count);
    else this.#counts.delete(accountId);
  }
}
