import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// The maximum number of requests that one connection may send without a response.
const MAX_PIPELINED_REQUESTS = 100;

/**
 * The open connections of a server. Each processes its requests one after the other, so that it has at most one response
 * that is not sent. Source: RFC 9112, section 9.3.2, which allows concurrent processing for safe methods only.
 */
export class Connections {
  /** The responses of each connection that are not completely sent. The first request is processed, the others wait. */
  readonly #pending = new Map<Socket, ServerResponse[]>();
  readonly #newest = new WeakMap<Socket, ServerResponse>();
  /** Whether each connection ends with its next response. */
  isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      // For the log and the audit: Node remembers an address that was read, and the system forgets it with the connection.
      void socket.remoteAddress;
      this.#pending.set(socket, []);
      socket.once('close', () => this.#pending.delete(socket));
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

  /** Returns whether a response has to close its connection. Node would drop further requests of the connection. */
  isLastResponse(socket: Socket): boolean {
    return this.isClosing && this.pendingOf(socket).length === 1;
  }

  /** Starts a request when the earlier ones on its connection are answered. */
  takeTurn(response: ServerResponse, start: () => void): void {
    const { socket } = response.req;
    const pending = this.#pending.get(socket);
    // After the close of a connection, Node still parses the rest of the data that it has read.
    if (pending === undefined || !socket.writable) return;
    if (pending.length >= MAX_PIPELINED_REQUESTS) {
      socket.destroy();
      return;
    }
    const previous = pending.at(-1);
    pending.push(response);
    this.#newest.set(socket, response);
    response.once('close', () => pending.shift());
    if (previous === undefined) start();
    else previous.once('close', () => socket.writable && start());
  }
}
