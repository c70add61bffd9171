import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ApiError } from '../../model/errors.ts';
import { requestNotes } from '../request/request-notes.ts';
import { OVERLOADED, SHARE_OF_ACCOUNT } from './overload.ts';

const MAX_BYTES = 64_000_000;

// Never refused: a page of the default size, an error, and what REST returns after a change.
const SMALL_BYTES = 65_536;

// The time after which a response that is not completely received can be cut off.
const SLOW_MS = 5000;

const MEMORY = 'memory';

/**
 * The newest request of each connection, which processes one after the other. A set of the requests would keep those that
 * were deleted from it in memory, as part of its old hash tables.
 */
type Newest = Map<Socket, RequestMemory>;

/** The memory of a request: its body, its data, and its response until the client has received it. */
export class RequestMemory {
  readonly #all: Newest;
  /** Undefined after the response, or after it was cut off. */
  #request: FastifyRequest | undefined;
  #bytes = 0;
  /** When the response was completed, as `performance.now()`. */
  #sentMs = Number.POSITIVE_INFINITY;

  constructor(all: Newest, request: FastifyRequest, { raw }: FastifyReply) {
    this.#all = all;
    this.#request = request;
    const { socket } = request;
    if (!all.has(socket)) socket.once('close', () => all.delete(socket));
    all.set(socket, this);
    raw.once('close', () => this.#end());
  }

  /**
   * Counts bytes that the request is about to take. Returns an error if all requests, or the account's requests, would
   * take too much, or if the client has gone.
   */
  reserve(bytes: number): ApiError | undefined {
    const total = this.#bytes + bytes;
    if (bytes > 0 && total > SMALL_BYTES) {
      const accountId = this.#accountId;
      const hasRoom =
        this.#request !== undefined &&
        this.#makeRoom(bytes, MAX_BYTES * SHARE_OF_ACCOUNT, (other) => other.#accountId === accountId) &&
        this.#makeRoom(bytes, MAX_BYTES, () => true);
      if (!hasRoom) return OVERLOADED;
    }
    this.#bytes = total;
    return undefined;
  }

  /** Counts the response instead of everything else. Returns an error like `reserve`. */
  send(bytes: number): ApiError | undefined {
    this.#sentMs = performance.now();
    return this.reserve(bytes - this.#bytes);
  }

  get #accountId(): string | undefined {
    return this.#request && requestNotes(this.#request).principal?.accountId;
  }

  #end(): void {
    this.#request = undefined;
    this.#bytes = 0;
  }

  /**
   * Returns whether `bytes` fit in addition to the counted requests, after cutting off the oldest responses that are
   * received slowly.
   */
  #makeRoom(bytes: number, max: number, isCounted: (other: RequestMemory) => boolean): boolean {
    const counted = [...this.#all.values()].filter(isCounted);
    let excess = counted.reduce((sum, other) => sum + other.#bytes, bytes - max);
    if (excess <= 0) return true;
    const slowSinceMs = performance.now() - SLOW_MS;
    for (const other of counted.sort((a, b) => a.#sentMs - b.#sentMs)) {
      if (excess <= 0 || other.#sentMs > slowSinceMs) break;
      excess -= other.#bytes;
      other.#request?.socket.destroy();
      other.#end();
    }
    return excess <= 0;
  }
}

/**
 * Bounds the memory that requests take for their bodies, their data and their responses. Beyond it, responses
 * that are received slowly are cut off, and then requests are refused with 503.
 *
 * Must be called after `addCors`, so pages of other origins can read the error.
 */
export function addRequestMemory(app: FastifyInstance): void {
  const all: Newest = new Map();
  app.decorateRequest(MEMORY);
  app.addHook('onRequest', (request, reply, done) => {
    request.setDecorator(MEMORY, new RequestMemory(all, request, reply));
    done();
  });
  app.addHook('onSend', (request, reply, payload, done) => {
    // The request lives as long as its response, and its body is no longer needed.
    request.body = undefined;
    const bytes = typeof payload === 'string' || payload instanceof Buffer ? Buffer.byteLength(payload) : 0;
    // A hook before the one above may have refused the request.
    const refusal = requestMemory(request)?.send(bytes);
    if (refusal === undefined) return done();
    // Those of the response that is not sent.
    reply.header('cache-control', 'no-store').removeHeader('content-encoding');
    done(refusal);
  });
}

export function requestMemory(request: FastifyRequest): RequestMemory {
  return request.getDecorator<RequestMemory>(MEMORY);
}
