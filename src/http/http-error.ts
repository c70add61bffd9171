import { ApiError, IDEMPOTENCY_KEY_REUSED, READ_ONLY_TOKEN, type Status } from '../model/api-error.ts';

/** The maximum size of a request body, in bytes. A body with all fields at their maximum length fits. */
export const MAX_BODY_BYTES = 100 * 1024;

type Headers = Readonly<Record<string, string>>;

type ErrorFields = Pick<ApiError, 'status' | 'reason' | 'message'> & Partial<Pick<ApiError, 'app'>>;

/** An error of the HTTP request, not of an operation. It has its own status code and headers. */
class HttpError extends ApiError {
  readonly statusCode: number;
  readonly headers: Headers;

  constructor({ status, reason, message, app }: ErrorFields, statusCode: number, headers: Headers = {}) {
    super(status, reason, message, { app });
    this.statusCode = statusCode;
    this.headers = headers;
  }
}

/** The status codes of the canonical names. Source: AIP-193. */
const STATUS_CODES: Readonly<Record<Status, number>> = {
  INVALID_ARGUMENT: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  ABORTED: 409,
  UNIMPLEMENTED: 405,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

const DEFAULT_RETRY_AFTER_SECONDS = 1;

// Source: RFC 6750, section 3.
const CHALLENGE = 'Bearer realm="paw"';
const INVALID_TOKEN_CHALLENGE = `${CHALLENGE}, error="invalid_token"`;

const INSUFFICIENT_SCOPE_CHALLENGE = `${CHALLENGE}, error="insufficient_scope", scope="read write"`;

/** Returns the HTTP status code of an error. */
export function statusCodeOf(error: ApiError): number {
  if (error instanceof HttpError) return error.statusCode;
  // Source: IETF draft-ietf-httpapi-idempotency-key-header, section 2.7.
  return error.reason === IDEMPOTENCY_KEY_REUSED ? 422 : STATUS_CODES[error.status];
}

/** Returns the HTTP headers that an error adds to its response. */
export function headersOf(error: ApiError): Headers {
  if (error instanceof HttpError) return error.headers;
  switch (error.status) {
    case 'UNAUTHENTICATED':
      return {
        'www-authenticate': error.reason === 'TOKEN_INVALID' ? INVALID_TOKEN_CHALLENGE : CHALLENGE,
      };
    case 'PERMISSION_DENIED':
      return error.reason === READ_ONLY_TOKEN ? { 'www-authenticate': INSUFFICIENT_SCOPE_CHALLENGE } : {};
    case 'ABORTED':
    case 'RESOURCE_EXHAUSTED':
    case 'UNAVAILABLE':
      return { 'retry-after': String(error.retryAfterSeconds ?? DEFAULT_RETRY_AFTER_SECONDS) };
    default:
      return {};
  }
}

/** Returns the error of an operation for an API with a status code and headers of its own. */
export function withResponse(error: ApiError, statusCode: number, headers: Headers): ApiError {
  return new HttpError(error, statusCode, headers);
}

/** Returns the error for a malformed request. @param statusCode a 4xx status */
export function malformedRequest(message: string, statusCode = 400): ApiError {
  return new HttpError({ status: 'INVALID_ARGUMENT', reason: 'MALFORMED_REQUEST', message }, statusCode);
}

/** Returns the error for a request without a bearer token. Its challenge has no error code. Source: RFC 6750, section 3.1. */
export function tokenMissing(): ApiError {
  const message = 'This operation requires the header "Authorization: Bearer <token>".';
  return new ApiError('UNAUTHENTICATED', 'TOKEN_MISSING', message);
}

/** The reason of the error for an unknown path. */
export const PATH_NOT_FOUND = 'PATH_NOT_FOUND';

/** Returns the error for an unknown path. */
export function pathNotFound(): ApiError {
  return new ApiError('NOT_FOUND', PATH_NOT_FOUND, 'The path does not exist.');
}

/** Returns the error for a method that a path does not support. @param allow the supported methods, separated by commas */
export function methodNotAllowed(allow: string): ApiError {
  const message = `The path supports only ${allow}.`;
  return new HttpError({ status: 'UNIMPLEMENTED', reason: 'METHOD_NOT_ALLOWED', message }, 405, { allow });
}

/** Returns the error for an `Accept` header that allows none of the response's `mediaTypes`. */
export function notAcceptable(mediaTypes: readonly string[]): ApiError {
  const message = `The header "Accept" must allow ${mediaTypes.join(' or ')}.`;
  return new HttpError({ status: 'INVALID_ARGUMENT', reason: 'NOT_ACCEPTABLE', message }, 406);
}

/** Returns the error for a body of more than `MAX_BODY_BYTES` bytes. */
export function bodyTooLarge(): ApiError {
  const message = `The body may have at most ${MAX_BODY_BYTES} bytes.`;
  return new HttpError({ status: 'INVALID_ARGUMENT', reason: 'BODY_TOO_LARGE', message }, 413);
}

/** Returns the error for a body with a media type other than JSON. */
export function unsupportedMediaType(): ApiError {
  const message = 'The body must be JSON, sent with "Content-Type: application/json".';
  return new HttpError({ status: 'INVALID_ARGUMENT', reason: 'UNSUPPORTED_MEDIA_TYPE', message }, 415);
}
