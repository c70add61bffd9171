import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { LRUCache } from 'lru-cache';
import { bodySizeOf } from '../json.ts';

/** The maximum number of requests that one connection may send without a response. */
export const MAX_PIPELINED_REQUESTS = 100;

// The maximum size of all requests that wait for the response to an earlier one on their connection.
const MAX_WAITING_BYTES = 20_000_000;

// The memory that a request occupies without its body.
const REQUEST_BYTES = 10_000;

/** The latest responses of a connection. */
type Responses = {
  newest: ServerResponse;
  /** The response before the newest, if it is not sent. */
  previous: ServerResponse | undefined;
  /** The number of requests that wait for the response to an earlier one. */
  waiting: number;
};

/** The connections of a server, and the responses on each. */
export type Connections = {
  /** All open connections. */
  readonly sockets: ReadonlySet<Socket>;
  /** The number of connections that have been accepted so far. */
  acceptedCount(): number;
  /** Returns the response to the latest request on a connection. */
  newestResponse(socket: Socket): ServerResponse | undefined;
  /** Records a request to which Fastify responds without its hooks. */
  record(request: IncomingMessage, response: ServerResponse): void;
  /**
   * The first `onRequest` hook. It lets a request wait until the response to the earlier one on its connection
   * is sent, so that a connection has at most one unsent response. Source: RFC 9112, section 9.3.2, which
   * allows concurrent processing for safe methods only.
   */
  takeTurn(request: FastifyRequest, reply: FastifyReply, done: () => void): void;
  /**
   * Calls a function when all complete requests of a connection are answered. Does not call it if the
   * connection is closed before, or is being closed.
   *
   * @param send receives the response to the request that is not complete, if there is one
   */
  afterResponses(socket: Socket, send: (response: ServerResponse | undefined) => void): void;
};

/** Observes the connections of a server. */
export function trackConnections(server: Server): Connections {
  const sockets = new Set<Socket>();
  const responses = new WeakMap<Socket, Responses>();
  // In the order of arrival. If they are too large together, the connection of the oldest is closed.
  const waiting = new LRUCache<ServerResponse, ServerResponse>({
    maxSize: MAX_WAITING_BYTES,
    dispose(response, _key, reason) {
      if (reason === 'evict') response.req.socket.destroy();
    },
  });
  let accepted = 0;
  server.on('connection', (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });

  function record({ socket }: IncomingMessage, response: ServerResponse): Responses {
    const known = responses.get(socket);
    if (known === undefined) {
      const first = { newest: response, previous: undefined, waiting: 0 };
      responses.set(socket, first);
      return first;
    }
    known.previous = isSent(known.newest) ? undefined : known.newest;
    known.newest = response;
    return known;
  }

  /** Calls a function when a response is sent, unless it is the last one of its connection. */
  function afterResponse(response: ServerResponse | undefined, socket: Socket, next: () => void): void {
    if (isSent(response)) next();
    else {
      response?.once('close', () => {
        if (socket.writable) next();
      });
    }
  }

  return {
    sockets,
    acceptedCount: () => accepted,
    newestResponse: (socket) => responses.get(socket)?.newest,
    record,
    takeTurn({ raw }, reply, done) {
      const { socket } = raw;
      // After the close of a connection, Node still parses the rest of the data that it has read.
      if (!socket.writable) return;
      const connection = record(raw, reply.raw);
      const { previous } = connection;
      if (previous === undefined) return done();
      connection.waiting += 1;
      if (connection.waiting >= MAX_PIPELINED_REQUESTS) {
        socket.destroy();
        return;
      }
      waiting.set(reply.raw, reply.raw, { size: REQUEST_BYTES + bodySizeOf(raw) });
      reply.raw.once('close', () => waiting.delete(reply.raw));
      afterResponse(previous, socket, () => {
        connection.waiting -= 1;
        waiting.delete(reply.raw);
        done();
      });
    },
    afterResponses(socket, send) {
      const { newest, previous } = responses.get(socket) ?? {};
      if (newest === undefined || newest.req.complete) afterResponse(newest, socket, () => send(undefined));
      else afterResponse(previous, socket, () => send(newest));
    },
  };
}

/** Returns whether a response is sent, and other responses may follow it. */
function isSent(response: ServerResponse | undefined): boolean {
  return response === undefined || (response.writableFinished && response.shouldKeepAlive);
}
