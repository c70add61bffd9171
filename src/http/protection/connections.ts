import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

// The maximum number of requests that one connection may send without a response.
const MAX_PIPELINED_REQUESTS = 100;

type Turn = { readonly response?: ServerResponse; readonly start: () => void };

type Connection = {
  /** The requests that are not answered completely. The first one is being processed, the others wait. */
  readonly turns: Turn[];
  newest?: ServerResponse;
};

/**
 * The open connections of a server. Each processes its requests one after the other, so that it has at most one response
 * that is not sent. Source: RFC 9112, section 9.3.2, which allows concurrent processing for safe methods only.
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();
  #isClosing = false;

  constructor(server: Server) {
    server.on('connection', (socket) => {
      // For the log and the audit: Node remembers an address that was read, and the system forgets it with the connection.
      void socket.remoteAddress;
      this.#connections.set(socket, { turns: [] });
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  get sockets(): Iterable<Socket> {
    return this.#connections.keys();
  }

  /** Returns the number of requests on a connection that are not answered completely. */
  requestCount(socket: Socket): number {
    return this.#connections.get(socket)?.turns.length ?? 0;
  }

  /** Lets each connection end with its next response. */
  closeAfterResponses(): void {
    this.#isClosing = true;
  }

  /** Returns whether a response has to close its connection. Node would drop further requests of the connection. */
  isLastResponse(socket: Socket): boolean {
    return this.#isClosing && this.requestCount(socket) === 1;
  }

  /** Starts a request when the earlier ones on its connection are answered. */
  takeTurn(response: ServerResponse, start: () => void): void {
    const { socket } = response.req;
    const connection = this.#connections.get(socket);
    // After the close of a connection, Node still parses the rest of the data that it has read.
    if (connection === undefined || !socket.writable) return;
    const { turns } = connection;
    if (turns.length >= MAX_PIPELINED_REQUESTS) {
      socket.destroy();
      return;
    }
    connection.newest = response;
    turns.push({ response, start });
    response.once('close', () => {
      turns.shift();
      if (socket.writable) turns[0]?.start();
    });
    if (turns.length === 1) start();
  }

  /**
   * Calls a function when all complete requests of a connection are answered.
   *
   * @param send receives the response to the newest request, if that one is not complete
   */
  afterResponses(socket: Socket, send: (response: ServerResponse | undefined) => void): void {
    const { turns = [], newest } = this.#connections.get(socket) ?? {};
    const partial = newest?.req.complete === false ? newest : undefined;
    // The rest of the request is not read any more.
    if (partial !== undefined && turns.at(-1)?.response === partial) turns.pop();
    turns.push({ start: () => send(partial) });
    if (turns.length === 1) turns[0]?.start();
  }
}
