import type { FastifyReply } from 'fastify';
import Negotiator from 'negotiator';

/** The maximum length of the header `Accept`. That of a browser has 150 characters. */
export const MAX_ACCEPT_LENGTH = 1000;

// Every response is in UTF-8. A client can ask for this parameter, and need not.
const CHARSET = '; charset=utf-8';

/** Returns the `mediaTypes` that the header `Accept` allows, the preferred one first. A longer header allows none. */
export function acceptedMediaTypes(accept: string, mediaTypes: readonly string[]): readonly string[] {
  if (accept.length > MAX_ACCEPT_LENGTH) return [];
  const offered = mediaTypes.map((mediaType) => mediaType + CHARSET);
  const accepted = new Negotiator({ headers: { accept } }).mediaTypes(offered);
  return accepted.map((mediaType) => mediaType.slice(0, -CHARSET.length));
}

/** Returns whether a client prefers HTML to each of `mediaTypes`, as browsers do. */
export function prefersHtml(accept: string | undefined, mediaTypes: readonly string[]): boolean {
  return Boolean(accept) && acceptedMediaTypes(accept ?? '', [...mediaTypes, 'text/html'])[0] === 'text/html';
}

/** States that a response depends on a header of the request, in addition to those that its `Vary` already has, such as `Origin`. */
export function varyBy(reply: FastifyReply, header: string): void {
  reply.header('vary', [reply.getHeader('vary') ?? [], header].flat().join(', '));
}
