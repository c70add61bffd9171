import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connections } from './connections.ts';

// The maximum time for the completion of requests after the end of listening. Remaining connections are closed after it.
const STOP_DEADLINE_MS = 10_000;

// The time in which a client with an open connection can send its next request, whose response closes the connection.
// Without this time, a connection could be closed at the moment in which a request arrives.
const MAX_LAST_REQUEST_MS = 500;

const CLOSE_IDLE_INTERVAL_MS = 20;

/**
 * Stops a server so that every request that it has received is answered. Resolves when all connections are closed.
 *
 * @param delayMs the time in which the server serves as before
 */
export async function stopServer(server: Server, connections: Connections, delayMs: number): Promise<void> {
  await delay(delayMs);
  const closed = once(server, 'close');
  // The method of the HTTP server would close idle connections immediately.
  NetServer.prototype.close.call(server);
  const deadline = setTimeout(() => {
    for (const socket of connections.sockets) socket.destroy();
  }, STOP_DEADLINE_MS);
  connections.isClosing = true;
  await Promise.race([closed, delay(Math.min(delayMs, MAX_LAST_REQUEST_MS), undefined, { ref: false })]);
  const closing = setInterval(() => {
    for (const socket of connections.sockets) if (connections.isIdle(socket)) socket.destroy();
  }, CLOSE_IDLE_INTERVAL_MS);
  await closed;
  clearTimeout(deadline);
  clearInterval(closing);
}
