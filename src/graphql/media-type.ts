import Negotiator from 'negotiator';
import { notAcceptable } from '../http/http-error.ts';

/** The media types of GraphQL responses, in the order of preference. Source: GraphQL over HTTP. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

const UTF_8 = /\s*;\s*charset="?utf-8"?/gi;

/**
 * Returns the media type of the response. It is negotiated before execution, so that no mutation
 * is executed for a client that does not accept the response.
 *
 * @param accept the header `Accept`; empty means missing
 * @throws INVALID_ARGUMENT, with HTTP status 406, if no media type is acceptable
 */
export function responseMediaType(accept: string | undefined): string {
  if (!accept || accept === '*/*') return 'application/json';
  const [mediaType] = negotiator(accept).mediaTypes(MEDIA_TYPES);
  if (mediaType === undefined) throw notAcceptable(MEDIA_TYPES);
  return mediaType;
}

/** Returns whether a client prefers HTML to JSON, as browsers do. */
export function prefersHtml(accept: string | undefined): boolean {
  if (!accept) return false;
  return negotiator(accept).mediaType([...MEDIA_TYPES, 'text/html']) === 'text/html';
}

/** Every response is in UTF-8, so that this parameter of a media type excludes none. */
function negotiator(accept: string): Negotiator {
  return new Negotiator({ headers: { accept: accept.replace(UTF_8, '') } });
}
