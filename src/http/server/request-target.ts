import type { IncomingMessage } from 'node:http';
import { ApiError } from '../../model/errors.ts';
import { malformedRequest } from '../errors/error-responses.ts';

/** The HTTP status of HTTP parser errors, where it is not 400. */
const STATUS_BY_CODE = new Map<unknown, number>([
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_HEADER_OVERFLOW', 431],
]);

// An IP literal or a registered name, and a port. Source: RFC 3986, section 3.2.2.
const HOST = /^(?:\[[\da-f:.]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i;

// Of an IPv6 address with a zone and a port, in brackets.
const MAX_ADDRESS_LENGTH = 60;

const ADDRESS_AND_PORT = /^\[([^\]]*)\](?::\d+)?$|^(.*\.\d+):\d+$/;

export function parserError(code: unknown): ApiError {
  return malformedRequest('The request is not valid HTTP.', STATUS_BY_CODE.get(code));
}

/**
 * The paths of targets that no route can have: none contains a space. The router would answer a malformed one before all
 * hooks, so it would not be counted and logged.
 */
export const MALFORMED_TARGET = '/ ';
/** Of the target `*`, which is the server as a whole. Source: RFC 9112, section 3.2.4. */
export const WHOLE_SERVER = '/ *';

/**
 * Returns the path and the query of a request target. A client that uses a proxy sends the absolute form, and
 * one that quotes path segments sends `%3A` for the colon. Source: RFC 9112, section 3.2.2.
 */
export function normalizedTarget({ url = '/' }: Pick<IncomingMessage, 'url'>): string {
  if (url === '*') return WHOLE_SERVER;
  const target = url.startsWith('/') ? url : originForm(url);
  if (!target.includes('%')) return target;
  const end = target.indexOf('?');
  const path = end === -1 ? target : target.slice(0, end);
  if (!isDecodable(path)) return MALFORMED_TARGET;
  return path.replace(/%3a/gi, ':') + target.slice(path.length);
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

function originForm(url: string): string {
  const rest = url.replace(/^https?:\/\/[^/?#]*/i, '');
  return rest === '' || rest.startsWith('?') ? `/${rest}` : rest;
}

/**
 * Returns the addresses in `X-Forwarded-For` without the ports that some proxies add: `1.2.3.4:5`, `[::1]:5`. One that is
 * too long is unknown.
 */
export function withoutPorts(forwardedFor: string): string {
  return forwardedFor.split(',').map(withoutPort).join(',');
}

function withoutPort(forwarded: string): string {
  const address = forwarded.trim();
  if (address.length > MAX_ADDRESS_LENGTH) return 'unknown';
  const [, inBrackets, beforePort] = ADDRESS_AND_PORT.exec(address) ?? [];
  return inBrackets ?? beforePort ?? address;
}

/** Returns the error of a request without exactly one valid Host header. Source: RFC 9112, section 3.2. */
export function hostError({
  headers: { host },
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'httpVersion'>): ApiError | undefined {
  if (host === undefined && httpVersion === '1.1') return malformedRequest('The request has no Host header.');
  // Node has joined repeated headers.
  if (host === undefined || HOST.test(host)) return undefined;
  return malformedRequest('The request must have one valid Host header.');
}

/**
 * Returns the error of a request with a transfer coding but `chunked`: Node decodes no other, and would pass the bytes on as
 * the body. Its parser refuses codings that do not end with `chunked`. Source: RFC 9112, section 6.1.
 */
export function transferCodingError({ headers }: Pick<IncomingMessage, 'headers'>): ApiError | undefined {
  const coding = headers['transfer-encoding'];
  const isSupported = coding === undefined || !/.chunked$/i.test(coding);
  return isSupported ? undefined : new ApiError('UNSUPPORTED_TRANSFER_CODING');
}
