import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { LRUCache } from 'lru-cache';
import { bodySizeOf } from '../json.ts';
import type { Connections } from './connections.ts';

/** The bounds on what clients that do not read, or do not finish their requests, can occupy. */
export type SlowClientLimits = {
  /**
   * The time after which a connection is closed whose client reads nothing of a response, in milliseconds. A
   * client that stops reading has at least half of this time.
   */
  readonly stalledAfterMs: number;
  /** The maximum size of all responses that are not completely sent, in bytes. */
  readonly maxUnsentBytes: number;
  /** The maximum size of all bodies that are not completely received, in bytes. */
  readonly maxPartialBodyBytes: number;
};

export const SLOW_CLIENT_LIMITS: SlowClientLimits = {
  stalledAfterMs: 30_000,
  maxUnsentBytes: 64_000_000,
  maxPartialBodyBytes: 32_000_000,
};

// Smaller bodies take less memory than their connection.
const SMALL_BODY_BYTES = 4096;

/** Responses in the order of their end. If there are too many bytes, the oldest are given up. */
export type UnsentResponses = {
  add(response: ServerResponse, bytes: number): void;
};

/** Returns the list of the responses that are not completely sent. */
export function unsentResponses({ maxUnsentBytes }: SlowClientLimits): UnsentResponses {
  const responses = new LRUCache<ServerResponse, ServerResponse>({
    maxSize: maxUnsentBytes,
    dispose(response, _key, reason) {
      if (reason === 'evict') response.destroy();
    },
  });
  return {
    add(response, bytes) {
      responses.set(response, response, { size: bytes });
      response.once('close', () => responses.delete(response));
    },
  };
}

/**
 * Closes connections that make no progress in writing, and limits the memory for bodies that are being received.
 *
 * @param reject ends a connection with a 408 response
 */
export function limitSlowClients(
  app: FastifyInstance,
  connections: Connections,
  { maxPartialBodyBytes }: SlowClientLimits,
  reject: (socket: Socket) => void,
): void {
  // Node emits this after a time in which the connection has neither received nor sent a byte.
  app.server.on('timeout', (socket) => {
    const response = connections.newestResponse(socket);
    const isIdle = response?.writableFinished === true;
    // Otherwise a request is being received, which has its own timeout, or is being processed.
    if (isIdle || socket.writableLength > 0 || socket.writableEnded) socket.destroy();
  });

  const bodies = new LRUCache<IncomingMessage, IncomingMessage>({
    maxSize: maxPartialBodyBytes,
    dispose({ socket }, _key, reason) {
      if (reason === 'evict') reject(socket);
    },
  });
  // Before the body is read. Requests beyond the limits have been refused by earlier hooks.
  app.addHook('preParsing', ({ raw }, _reply, _payload, done) => {
    const size = bodySizeOf(raw);
    if (size > SMALL_BODY_BYTES) {
      bodies.set(raw, raw, { size });
      raw.once('close', () => bodies.delete(raw));
    }
    done();
  });
}
