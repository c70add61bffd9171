import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { ApiError } from '../../model/errors.ts';
import { errorBody } from '../errors/error-body.ts';
import { statusCodeOf } from '../errors/error-responses.ts';
import { REQUEST_ID_HEADER } from '../request/request-id.ts';
import type { Connections } from './connections.ts';
import { JSON_TYPE } from './json.ts';

// The time for the client to take the last responses. A connection that still sends would otherwise stay open.
const LINGER_MS = 30_000;

/** Returns a function that responds to an invalid request, after the requests before it, and closes the connection. */
export function connectionRejecter(
  connections: Connections,
): (socket: Socket, error: ApiError, requestId: string) => void {
  const rejected = new WeakSet<Socket>();
  return (socket, error, requestId) => {
    // Node reports an error for each chunk of data after the first error.
    if (rejected.has(socket)) return;
    rejected.add(socket);
    const linger = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(linger));
    // The rest of an incomplete request is not read any more.
    const partial = connections.partialOf(socket);
    const send = () => {
      if (partial?.headersSent) socket.end();
      else socket.end(rawResponse(statusCodeOf(error), errorBody(error, requestId), requestId));
    };
    const previous = connections.pendingOf(socket).findLast((response) => response !== partial);
    if (previous === undefined) send();
    else previous.once('close', send);
  };
}

/** Returns a complete HTTP response, for a connection on which no request could be parsed. */
function rawResponse(status: number, body: string, requestId: string): string {
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `Content-Type: ${JSON_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `${REQUEST_ID_HEADER}: ${requestId}`,
    'Cache-Control: no-store',
    'X-Content-Type-Options: nosniff',
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
