import type { IncomingMessage } from 'node:http';
import { ulid } from 'ulid';

/** The header that a request's id comes and goes in. */
export const REQUEST_ID_HEADER = 'x-request-id';

/**
 * Returns a function that names each request: by the id that the client sent, if
 * it is short and plain enough for a log, or else by a new one.
 */
export function requestIds(): (request: Pick<IncomingMessage, 'headers'>) => string {
  const start = ulid().toLowerCase();
  let count = 0;
  return ({ headers }) => {
    const sent = headers[REQUEST_ID_HEADER];
    if (typeof sent === 'string' && /^[\w.:-]{1,100}$/.test(sent)) return sent;
    count += 1;
    return `${start}-${count}`;
  };
}
