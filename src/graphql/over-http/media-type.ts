import { acceptedMediaTypes, MAX_ACCEPT_LENGTH } from '../../http/request/accept.ts';
import { ApiError } from '../../model/errors.ts';

/** The media types of GraphQL responses, in the order of preference. Source: GraphQL over HTTP. */
export const MEDIA_TYPES = ['application/json', 'application/graphql-response+json'];

/**
 * Returns the media type of the response. It is negotiated before execution, so no mutation
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
 * Returns the HTTP status of a response that is JSON.
 *
 * In the media type `application/graphql-response+json`, it tells an executed operation with errors (294), a document or
 * JSON that does not parse (400) and any other invalid request (422) apart. In `application/json`, a document that is
 * rejected has status 200, because a client can't distinguish another status from a response of an intermediary; only a
 * request that is not well-formed has 400.
 * Source: GraphQL over HTTP, sections on status codes and on legacy clients.
 *
 * @param status Apollo Server's status, which is never 294 or 422
 * @param reason the reason of the first error
 */
export function responseStatus(
  mediaType: string,
  status: number,
  json: string,
  reason: string | undefined,
): number {
  if (mediaType !== 'application/graphql-response+json') {
    return status === 400 && reason !== 'BAD_REQUEST' ? 200 : status;
  }
  if (status === 400) return reason === 'GRAPHQL_PARSE_FAILED' || reason === 'DOCUMENT_TOO_LARGE' ? 400 : 422;
  if (status !== 200 || !json.startsWith(ERRORS_FIRST)) return status;
  // Apollo Server answers this one with 200, though it has no data.
  return reason === 'PERSISTED_QUERY_NOT_FOUND' ? 422 : 294;
}

// graphql-js's order of the fields of a result, which Apollo Server keeps.
const ERRORS_FIRST = '{"errors":';
