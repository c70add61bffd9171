import Negotiator from 'negotiator';
import { notAcceptable } from '../http/http-error.ts';

/** The media types of a GraphQL response, the preferred one first. Source: GraphQL over HTTP. */
const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * Chooses the media type of the response before anything is executed: a mutation must
 * not be made if its client can't take the answer.
 *
 * @param accept the header `Accept`; an empty one means the same as none
 * @throws INVALID_ARGUMENT, with the HTTP status 406, if none is acceptable
 */
export function responseMediaType(accept: string | undefined): string {
  if (!accept || accept === '*/*') return 'application/json';
  const [mediaType] = new Negotiator({ headers: { accept } }).mediaTypes(MEDIA_TYPES);
  if (mediaType === undefined) throw notAcceptable(MEDIA_TYPES);
  return mediaType;
}

/** Whether a client prefers a page to JSON, as a browser does that opens the path. */
export function prefersHtml(accept: string | undefined): boolean {
  if (!accept) return false;
  return new Negotiator({ headers: { accept } }).mediaType([...MEDIA_TYPES, 'text/html']) === 'text/html';
}
