import { once } from 'node:events';
import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { Connections } from './protection/connections.ts';

// The maximum time for the completion of requests after the end of listening. Remaining connections are closed after it.
const STOP_DEADLINE_MS = 10_000;

// The time in which a client with an open connection can send its next request, whose response closes the connection.
// Without this time, a connection could be closed at the moment in which a request arrives.
const MAX_LAST_REQUEST_MS = 500;

const CLOSE_IDLE_INTERVAL_MS = 20;

/** Stops a server so that every request that it has received is answered. */
export class GracefulStop {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #deadlineMs: number;
  #isClosing = false;

  /** @param deadlineMs the time after the end of listening in which requests are completed */
  constructor(server: Server, connections: Connections, deadlineMs = STOP_DEADLINE_MS) {
    this.#server = server;
    this.#connections = connections;
    this.#deadlineMs = deadlineMs;
  }

  /** Whether the responses have to close their connections. */
  get isClosing(): boolean {
    return this.#isClosing;
  }

  /**
   * Stops listening after a delay, and resolves when all connections are closed.
   *
   * @param delayMs the time in which the server serves as before
   */
  async stop(delayMs: number): Promise<void> {
    await delay(delayMs);
    const closed = once(this.#server, 'close');
    // The method of the HTTP server would close idle connections at once.
    NetServer.prototype.close.call(this.#server);
    this.#isClosing = true;
    const deadline = setTimeout(() => this.#closeAll(), this.#deadlineMs);
    await Promise.race([closed, delay(Math.min(delayMs, MAX_LAST_REQUEST_MS), undefined, { ref: false })]);
    const closing = setInterval(() => this.#closeIdle(), CLOSE_IDLE_INTERVAL_MS);
    await closed;
    clearTimeout(deadline);
    clearInterval(closing);
  }

  #closeIdle(): void {
    const sockets = [...this.#connections.sockets];
    // Node regards a connection as idle whose response has ended, even if it is not completely sent.
    if (sockets.every(({ writableLength }) => writableLength === 0)) this.#server.closeIdleConnections();
    // Node does not regard a connection as idle that has not sent a byte.
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
  }

  #closeAll(): void {
    // The method of the HTTP server omits the connections of CONNECT requests.
    for (const socket of this.#connections.sockets) socket.destroy();
  }
}
