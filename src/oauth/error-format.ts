import { headersOf, withResponse } from '../http/errors/error-responses.ts';
import { ApiError, type Reason, type Status } from '../model/errors.ts';

/** The error codes by reason. Source: RFC 6749, section 5.2. */
const CODES_BY_REASON: { readonly [R in Reason]?: string } = {
  APP_INACTIVE: 'unauthorized_client',
  INVALID_SCOPE: 'invalid_scope',
  // Source: RFC 8707, section 2.
  INVALID_TARGET: 'invalid_target',
  TOKEN_OF_ANOTHER_APP: 'unauthorized_client',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
};

/**
 * The error codes by canonical name, if it is not `invalid_request`. The last three are from RFC 6749, section 4.1.2.1.
 */
const CODES: { readonly [S in Status]?: string } = {
  UNAUTHENTICATED: 'invalid_client',
  RESOURCE_EXHAUSTED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL: 'server_error',
};

// Source: RFC 7617. Some libraries report the challenge, and not the body.
const CHALLENGE = 'Basic realm="paw", charset="UTF-8", error="invalid_client"';

/** Returns the body of an error response of the OAuth API. Source: RFC 6749, section 5.2. */
export function oauthErrorBody({ reason, status, message }: ApiError): string {
  const error = CODES_BY_REASON[reason] ?? CODES[status] ?? 'invalid_request';
  // The RFC does not allow these characters in a description.
  return JSON.stringify({ error, error_description: message.replaceAll(/["\\]/g, "'") });
}

/** Returns an error with the status code and the headers of RFC 6749, section 5.2. */
export function toOauthError(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  switch (error.status) {
    case 'UNAUTHENTICATED':
      return withResponse(error, 401, { 'www-authenticate': CHALLENGE });
    case 'PERMISSION_DENIED':
      return withResponse(error, 400, headersOf(error));
    default:
      return error;
  }
}
