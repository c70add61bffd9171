import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../../model/errors.ts';
import { requestNotes, routeKindOfRequest } from '../request/request-notes.ts';

/** The share of a resource that one account can have. The others can always have the rest. */
export const SHARE_OF_ACCOUNT = 0.9;

// A body has at most 100 KiB.
const ARRIVING_PER_REQUEST = 2;

/** Created once: the stack trace of an error takes longer than the rest of a refusal. */
export const OVERLOADED = new ApiError('OVERLOADED');

/** The requests that have a place, as numbers: a collection of requests would keep each one in memory after its response. */
class Places {
  readonly #max: number;
  #taken = 0;
  /** By account; undefined for those that are not authenticated, or not yet. */
  readonly #ofAccounts = new Map<string | undefined, number>();

  constructor(max: number) {
    this.#max = max;
  }

  get areTaken(): boolean {
    return this.#taken >= this.#max;
  }

  isShareTaken(accountId: string | undefined): boolean {
    return (this.#ofAccounts.get(accountId) ?? 0) >= this.#max * SHARE_OF_ACCOUNT;
  }

  /** Takes a place. Returns a function that gives it back. */
  take(accountId: string | undefined): () => void {
    this.#add(accountId, 1);
    return () => this.#add(accountId, -1);
  }

  #add(accountId: string | undefined, change: 1 | -1): void {
    this.#taken += change;
    const ofAccount = (this.#ofAccounts.get(accountId) ?? 0) + change;
    if (ofAccount === 0) this.#ofAccounts.delete(accountId);
    else this.#ofAccounts.set(accountId, ofAccount);
  }
}

/**
 * Refuses requests with 503 while the server is overloaded, and, with 429, requests of an account that has nine tenths of
 * the requests in progress. Health checks are always answered. A request whose body is still arriving has a place of
 * another kind, of which there are more, so slow clients do not keep others out and their bodies do not take all memory.
 *
 * Must be called after `addCors`, so pages of other origins can read the error, and before hooks that do work for a
 * request.
 */
export function addOverloadProtection(app: FastifyInstance, maxRequests: number): void {
  const inProgress = new Places(maxRequests);
  const arriving = new Places(ARRIVING_PER_REQUEST * maxRequests);

  function enter(request: FastifyRequest, places: Places): ApiError | undefined {
    if (routeKindOfRequest(request) === 'health check') return undefined;
    if (places.areTaken) return OVERLOADED;
    const notes = requestNotes(request);
    const accountId = notes.principal?.accountId;
    // Those without an account share as well, except before the authentication, when no account is known.
    if ((accountId !== undefined || places === arriving) && places.isShareTaken(accountId)) {
      return accountId === undefined ? OVERLOADED : new ApiError('TOO_MANY_CONCURRENT_REQUESTS');
    }
    notes.leave = places.take(accountId);
    return undefined;
  }

  function leave(request: FastifyRequest): void {
    const notes = requestNotes(request);
    notes.leave?.();
    notes.leave = undefined;
  }

  app.addHook('onRequest', (request, _reply, done) => done(enter(request, inProgress)));
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    leave(request);
    done(request.raw.complete ? null : enter(request, arriving));
  });
  app.addHook('preHandler', (request, _reply, done) => {
    leave(request);
    done(enter(request, inProgress));
  });
  app.addHook('onSend', (request, _reply, _payload, done) => {
    leave(request);
    done();
  });
}
