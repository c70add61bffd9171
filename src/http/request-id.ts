import type { IncomingMessage } from 'node:http';
import { ulid } from 'ulid';

/** The header of the request id, in requests and responses. */
export const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Returns a function that assigns an id to each request: the id in the header of the client if it
 * is valid, otherwise a new id. The format of a valid id is restricted, so that it is safe to log.
 */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const start = ulid().toLowerCase();
  let count = 0;
  return ({ headers }) => {
    const clientId = headers[REQUEST_ID_HEADER];
    if (typeof clientId === 'string' && /^[\w.:-]{1,100}$/.test(clientId)) return clientId;
    count += 1;
    return `${start}-${count}`;
  };
}
