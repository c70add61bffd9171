import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Connections } from './connections.ts';

/** The limits on clients that do not read. */
export type SlowClientLimits = {
  /** The interval in which Node checks the progress of a connection, in milliseconds. It is closed after one or two. */
  readonly timeoutMs: number;
  /** The maximum size of all responses that are not read, in bytes. */
  readonly maxUnreadBytes: number;
};

export const SLOW_CLIENT_LIMITS: SlowClientLimits = { timeoutMs: 15_000, maxUnreadBytes: 64_000_000 };

const INTERVAL_MS = 100;

/**
 * Closes connections that neither send nor read. While all connections together have too many unread bytes, it also closes
 * those that have not read for longest.
 */
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
