import type { IncomingHttpHeaders } from 'node:http';
import { ulid } from 'ulid';

/** The header of the request id. In a request it is the client's id, in a response the gateway's. */
export const REQUEST_ID_HEADER = 'x-request-id';

export function requestIds(): () => string {
  const start = ulid().toLowerCase();
  let count = 0;
  return () => {
    count += 1;
    return `${start}-${count}`;
  };
}

/**
 * Returns the id that a client has given to a request, or undefined if there is none, or it is invalid. The format of a
 * valid id is restricted, so it is safe to log.
 */
export function clientRequestId(headers: IncomingHttpHeaders): string | undefined {
  const id = headers[REQUEST_ID_HEADER];
  return typeof id === 'string' && /^[\w.:-]{1,100}$/.test(id) ? id : undefined;
}
