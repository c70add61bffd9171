import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay, setImmediate as turn } from 'node:timers/promises';
import type { Connections } from './protection/connections.ts';

// The maximum time for the completion of requests after the end of listening. Remaining connections are closed after it.
const STOP_DEADLINE_MS = 10_000;

// The time between the end of listening and the responses that close their connection. The client of such a response
// connects again, to another process on the port, which then must not be about to stop listening.
const MAX_KEEP_ALIVE_MS = 250;

// The time in which a client with an open connection can then send its next request. Without this time, a
// connection could be closed at the moment in which a request arrives.
const MAX_LAST_REQUEST_MS = 500;

// The time for a client that has connected to send its first byte.
const FIRST_BYTE_MS = 500;

const CLOSE_IDLE_INTERVAL_MS = 20;

// The maximum number of turns of the event loop in which pending connections are accepted before the end of listening.
const MAX_ACCEPT_TURNS = 1000;

/** Stops a server so that every request that it has received is answered. */
export type GracefulStop = {
  /** Returns whether a response is the last one of its connection, unless the connection has sent more requests. */
  isClosing(): boolean;
  /**
   * Stops listening after a delay, and resolves when all connections are closed.
   *
   * @param delayMs the time in which the server serves as before
   */
  stop(delayMs: number): Promise<void>;
};

/**
 * Returns the graceful stop of a server.
 *
 * @param deadlineMs the time after the end of listening in which requests are completed
 */
export function gracefulStop(
  server: Server,
  { sockets, acceptedCount }: Connections,
  deadlineMs = STOP_DEADLINE_MS,
): GracefulStop {
  let isClosing = false;

  /** Accepts the connections that the system has queued, which the end of listening would reset. */
  async function acceptPending(): Promise<void> {
    let quietTurns = 0;
    for (let turns = 0; quietTurns < 2 && turns < MAX_ACCEPT_TURNS; turns += 1) {
      const accepted = acceptedCount();
      await turn();
      quietTurns = acceptedCount() === accepted ? quietTurns + 1 : 0;
    }
  }

  function closeIdle(): void {
    // Node regards a connection as idle whose response has ended, even if it is not completely sent.
    if (sockets.values().every(({ writableLength }) => writableLength === 0)) server.closeIdleConnections();
  }

  function closeSilent(): void {
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  function closeAll(): void {
    // The method of the HTTP server omits the connections of CONNECT requests.
    for (const socket of sockets) socket.destroy();
  }

  return {
    isClosing: () => isClosing,
    async stop(delayMs) {
      await delay(delayMs);
      await acceptPending();
      const closed = once(server, 'close');
      // The method of the HTTP server would also close connections on which a request has just arrived.
      NetServer.prototype.close.call(server);
      const timers = [setTimeout(closeAll, deadlineMs), setTimeout(closeSilent, FIRST_BYTE_MS)];
      const wait = (ms: number) => Promise.race([closed, delay(ms, undefined, { ref: false })]);
      await wait(Math.min(delayMs, MAX_KEEP_ALIVE_MS));
      // After a complete turn of the event loop, all requests are read that had arrived.
      await turn();
      await turn();
      isClosing = true;
      await wait(Math.min(delayMs, MAX_LAST_REQUEST_MS));
      closeIdle();
      timers.push(setInterval(closeIdle, CLOSE_IDLE_INTERVAL_MS));
      await closed;
      for (const timer of timers) clearTimeout(timer);
    },
  };
}
