import { headersOf, withResponse } from '../http/http-error.ts';
import { ApiError, type Status } from '../model/api-error.ts';

/** The error codes by reason. Source: RFC 6749, section 5.2. */
const CODES_BY_REASON: Readonly<Record<string, string>> = {
  APP_INACTIVE: 'unauthorized_client',
  INVALID_SCOPE: 'invalid_scope',
  TOKEN_OF_ANOTHER_APP: 'unauthorized_client',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
};

/** The error codes by canonical name. The last three are those of RFC 6749, section 4.1.2.1. */
const CODES: Readonly<Partial<Record<Status, string>>> = {
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

/** Runs an operation. Its errors get the status codes and headers of RFC 6749, section 5.2. */
export async function withOauthErrors<T>(operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    switch (error.status) {
      case 'UNAUTHENTICATED':
        throw withResponse(error, 401, { 'www-authenticate': CHALLENGE });
      case 'PERMISSION_DENIED':
        throw withResponse(error, 400, headersOf(error));
      default:
        throw error;
    }
  }
}
