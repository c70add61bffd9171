import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** The bounds on what clients that do not read can occupy. */
export type SlowClientLimits = {
  /** The time after which Node looks whether a connection has made progress, in milliseconds. It notices that in the second one. */
  readonly timeoutMs: number;
  /** The maximum size of all responses that are not read, in bytes. */
  readonly maxUnreadBytes: number;
};

export const SLOW_CLIENT_LIMITS: SlowClientLimits = { timeoutMs: 15_000, maxUnreadBytes: 64_000_000 };

const INTERVAL_MS = 100;

/** Closes connections that neither send nor read, and those that have not read for longest while all unread bytes are too many. */
export function limitSlowClients(
  server: Server,
  connections: Connections,
  { maxUnreadBytes }: SlowClientLimits,
): void {
  server.on('timeout', (socket) => {
    // A request that is being received or processed has a time limit of its own.
    const isBusy = connections.pendingOf(socket).length > 0 && socket.writableLength === 0;
    if (!isBusy) socket.destroy();
  });

  // In the order in which they were found.
  let stalled = new Set<Socket>();
  const timer = setInterval(() => {
    const isStalled = ({ writableLength, destroyed }: Socket) => writableLength > 0 && !destroyed;
    stalled = new Set([...stalled, ...connections.sockets].filter(isStalled));
    let unreadBytes = 0;
    for (const { writableLength } of stalled) unreadBytes += writableLength;
    for (const socket of stalled) {
      if (unreadBytes <= maxUnreadBytes) return;
      unreadBytes -= socket.writableLength;
      socket.destroy();
    }
  }, INTERVAL_MS).unref();
  server.once('close', () => clearInterval(timer));
}
