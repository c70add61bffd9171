import { ApiError, type Reason, type Status } from '../../model/errors.ts';

/** The maximum size of a request body, in bytes. A body with all fields at their maximum length fits. */
export const MAX_BODY_BYTES = 100 * 1024;

type Headers = Readonly<Record<string, string>>;

class HttpError extends ApiError {
  readonly statusCode: number;
  readonly headers: Headers;

  constructor(
    reason: Reason,
    fields: Pick<ApiError, 'message'> & Partial<Pick<ApiError, 'app'>>,
    statusCode: number,
    headers: Headers = {},
  ) {
    super(reason, fields);
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
  FAILED_PRECONDITION: 400,
  UNIMPLEMENTED: 405,
  RESOURCE_EXHAUSTED: 429,
  UNAVAILABLE: 503,
  INTERNAL: 500,
};

const STATUS_CODES_BY_REASON: { readonly [R in Reason]?: number } = {
  BODY_TOO_LARGE: 413,
  // Source: RFC 9110, section 13.1.1.
  ETAG_MISMATCH: 412,
  // Source: IETF draft-ietf-httpapi-idempotency-key-header, section 2.7.
  IDEMPOTENCY_KEY_REUSED: 422,
  NOT_ACCEPTABLE: 406,
  // Source: RFC 9110, section 15.5.10.
  WALLET_ARCHIVED: 409,
  UNSUPPORTED_MEDIA_TYPE: 415,
  // Source: RFC 9112, section 6.1.
  UNSUPPORTED_TRANSFER_CODING: 501,
};

const DEFAULT_RETRY_AFTER_SECONDS = 1;

// Source: RFC 6750, section 3.
const CHALLENGE = 'Bearer realm="paw"';
const INVALID_TOKEN_CHALLENGE = `${CHALLENGE}, error="invalid_token"`;

const INSUFFICIENT_SCOPE_CHALLENGE = `${CHALLENGE}, error="insufficient_scope", scope="read write"`;

export function statusCodeOf(error: ApiError): number {
  if (error instanceof HttpError) return error.statusCode;
  return STATUS_CODES_BY_REASON[error.reason] ?? STATUS_CODES[error.status];
}

export function headersOf(error: ApiError): Headers {
  if (error instanceof HttpError) return error.headers;
  if (error.reason === 'IDEMPOTENCY_KEY_IN_USE') return retryAfter(error);
  switch (error.status) {
    case 'UNAUTHENTICATED':
      return {
        'www-authenticate': error.reason === 'TOKEN_INVALID' ? INVALID_TOKEN_CHALLENGE : CHALLENGE,
      };
    case 'PERMISSION_DENIED':
      return error.reason === 'READ_ONLY_TOKEN' ? { 'www-authenticate': INSUFFICIENT_SCOPE_CHALLENGE } : {};
    case 'RESOURCE_EXHAUSTED':
    case 'UNAVAILABLE':
      return retryAfter(error);
    default:
      return {};
  }
}

function retryAfter({ retryAfterSeconds = DEFAULT_RETRY_AFTER_SECONDS }: ApiError): Headers {
  return { 'retry-after': String(retryAfterSeconds) };
}

/** Returns the error of an operation for an API with its own status code and headers. */
export function withResponse(error: ApiError, statusCode: number, headers: Headers): ApiError {
  return new HttpError(error.reason, error, statusCode, headers);
}

/** Returns the error for a malformed request. @param statusCode a 4xx status */
export function malformedRequest(message: string, statusCode = 400): ApiError {
  return new HttpError('MALFORMED_REQUEST', { message }, statusCode);
}
