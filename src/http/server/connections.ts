import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// The maximum number of requests of one connection that wait for a response.
const MAX_PIPELINED_REQUESTS = 100;

// Node parses all that it has read, up to 64 KiB: that is fewer requests than these, if they change something.
const MAX_EXCESS_REQUESTS = 300;

/**
 * The open connections of a server. Each processes its requests one after the other, so it has at most one response
 * that is not sent. Source: RFC 9112, section 9.3.2, which allows concurrent processing for safe methods only.
 */
export class Connections {
  /** The responses of each connection that are not completely sent. The first request is processed, the others wait. */
  readonly #pending = new Map<Socket, ServerResponse[]>();
  readonly #newest = new WeakMap<Socket, ServerResponse>();
  /** The number of requests that are not processed, because too many wait. */
  readonly #excess = new WeakMap<Socket, number>();
  /** Whether each connection ends with its next response. */
  isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      // Reads the address once, so Node caches it. The log and the audit need it after the connection is closed.
      void socket.remoteAddress;
      this.#pending.set(socket, []);
      socket.once('close', () => this.#pending.delete(socket));
    });
    // The client neither sends nor reads. A request that is being received or processed has a separate time limit.
    server.on('timeout', (socket) => {
      const isBusy = this.pendingOf(socket).length > 0 && socket.writableLength === 0;
      if (!isBusy) socket.destroy();
    });
  }

  get sockets(): Iterable<Socket> {
    return this.#pending.keys();
  }

  /** Returns the responses on a connection that are not completely sent. */
  pendingOf(socket: Socket): readonly ServerResponse[] {
    return this.#pending.get(socket) ?? [];
  }

  /** Returns the response to the request of a connection that is not completely received, even if it is sent already. */
  partialOf(socket: Socket): ServerResponse | undefined {
    const newest = this.#newest.get(socket);
    return newest?.req.complete === false ? newest : undefined;
  }

  /** Returns whether a connection has neither a request nor a response that is not sent. */
  isIdle(socket: Socket): boolean {
    return this.pendingOf(socket).length === 0 && socket.writableLength === 0;
  }

  /** Returns whether a response has to close its connection. Node would drop later requests of the connection. */
  isLastResponse(socket: Socket): boolean {
    return this.isClosing && this.pendingOf(socket).length === 1;
  }

  /**
   * Starts a request when the earlier ones on its connection are answered.
   *
   * @returns false if too many wait: neither this request nor a later one is processed
   */
  takeTurn(response: ServerResponse, start: () => void): boolean {
    const { socket } = response.req;
    const pending = this.#pending.get(socket);
    // After the close of a connection, Node still parses the rest of the data that it has read.
    if (pending === undefined || !socket.writable) return true;
    const excess = this.#excess.get(socket) ?? 0;
    if (excess > 0 || pending.length >= MAX_PIPELINED_REQUESTS) {
      this.#excess.set(socket, excess + 1);
      // The client can read its responses: a connection that is closed before all is read is reset.
      if (excess === 0) socket.removeAllListeners('data').on('data', () => {});
      if (excess === MAX_EXCESS_REQUESTS) socket.destroy();
      return false;
    }
    const previous = pending.at(-1);
    pending.push(response);
    this.#newest.set(socket, response);
    response.once('close', () => pending.shift());
    if (previous === undefined) start();
    else previous.once('close', () => socket.writable && start());
    return true;
  }
}
