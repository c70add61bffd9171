import type { HTTPGraphQLResponse } from '@apollo/server';
import { acceptedMediaTypes, MAX_ACCEPT_LENGTH } from '../http/accept.ts';
import { ApiError } from '../model/api-error.ts';

/** The media types of GraphQL responses, in the order of preference. Source: GraphQL over HTTP. */
export const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * Returns the media type of the response. It is negotiated before execution, so that no mutation
 * is executed for a client that does not accept the response.
 *
 * @param accept the header `Accept`; empty means missing
 * @throws INVALID_ARGUMENT, with HTTP status 406, if no media type is acceptable
 */
export function responseMediaType(accept: string | undefined): string {
  if (!accept || accept === '*/*') return 'application/json';
  const [mediaType] = acceptedMediaTypes(accept, MEDIA_TYPES);
  if (mediaType === undefined) {
    const message = `The header "Accept" must allow ${MEDIA_TYPES.join(' or ')}, in at most ${MAX_ACCEPT_LENGTH} characters.`;
    throw new ApiError('NOT_ACCEPTABLE', { message });
  }
  return mediaType;
}

/**
 * Returns the HTTP status of a response. A document that is rejected has status 400 if the media
 * type is `application/graphql-response+json`, and 200 if it is `application/json`, because a client
 * can't distinguish a 400 in that type from a response of an intermediary. A request that is not
 * well-formed has status 400 in both.
 * Source: GraphQL over HTTP, section on `application/json`.
 *
 * @param reason that of the first error
 */
export function responseStatus(
  { status = 200, headers }: HTTPGraphQLResponse,
  reason: string | undefined,
): number {
  const isLegacy = headers.get('content-type')?.startsWith('application/json');
  return isLegacy && status === 400 && reason !== 'BAD_REQUEST' ? 200 : status;
}
