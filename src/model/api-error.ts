/** The canonical error names of google.rpc.Code that are in use. */
export const STATUSES = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'UNIMPLEMENTED',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'INTERNAL',
] as const;

/** A canonical error name. */
export type Status = (typeof STATUSES)[number];

/** What is wrong with one field of a request. */
export type FieldViolation = {
  /** The field's name as the client wrote it, with dots between levels. */
  readonly field: string;
  /** What the field must be, as a sentence that does not repeat the value. */
  readonly description: string;
};

type ApiErrorOptions = {
  readonly status: Status;
  readonly httpStatus: number;
  readonly reason: string;
  readonly message: string;
  readonly fieldViolations?: readonly FieldViolation[];
  readonly headers?: Readonly<Record<string, string>>;
  readonly cause?: unknown;
};

/**
 * The one error that may reach a client. `message`, `reason` and
 * `fieldViolations` are for the client and hold no secret and nothing of the
 * inside; `cause` is for the log alone.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** The HTTP status code, where the answer has one of its own. */
  readonly httpStatus: number;
  /** A constant in UPPER_SNAKE_CASE that a program can act on. */
  readonly reason: string;
  readonly fieldViolations: readonly FieldViolation[];
  /** HTTP header fields that go with the status. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(options: ApiErrorOptions) {
    super(options.message, { cause: options.cause });
    this.status = options.status;
    this.httpStatus = options.httpStatus;
    this.reason = options.reason;
    this.fieldViolations = options.fieldViolations ?? [];
    this.headers = options.headers ?? {};
  }
}

/** The most violations that one error names, so that a small request gets no huge answer. */
export const MAX_VIOLATIONS = 100;

/** Values of one or more fields that are not valid. */
export function invalidFields(violations: readonly FieldViolation[]): ApiError {
  const fieldViolations = violations.slice(0, MAX_VIOLATIONS);
  const problems = fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'INVALID_FIELD',
    message: problems.join(' '),
    fieldViolations,
  });
}

/** A `project` that does not exist or that the token cannot see. */
export function projectNotVisible(): ApiError {
  return invalidFields([{ field: 'project', description: 'Must be a project that the token can see.' }]);
}

/** A request that could not be read at all. `message` says what was expected; `httpStatus` is one of 4xx. */
export function malformedRequest(message: string, httpStatus = 400): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus,
    reason: 'MALFORMED_REQUEST',
    message,
  });
}

/** No bearer token. As RFC 6750 asks, the challenge names no error, since none was made. */
export function tokenMissing(): ApiError {
  return new ApiError({
    status: 'UNAUTHENTICATED',
    httpStatus: 401,
    reason: 'TOKEN_MISSING',
    message: 'This operation needs the header "Authorization: Bearer <token>".',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** A bearer token that is malformed, unknown, expired, revoked, or of an inactive app. */
export function tokenInvalid(): ApiError {
  return new ApiError({
    status: 'UNAUTHENTICATED',
    httpStatus: 401,
    reason: 'TOKEN_INVALID',
    message: 'The bearer token is malformed, unknown, expired or revoked.',
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}

/** A failed sign-in. Unknown app, foreign app and wrong key give this same answer. */
export function invalidCredentials(): ApiError {
  return new ApiError({
    status: 'UNAUTHENTICATED',
    httpStatus: 401,
    reason: 'INVALID_CREDENTIALS',
    message: 'There is no such app, or the private key is not its own.',
    headers: { 'www-authenticate': 'Bearer' },
  });
}

/** The right private key of an app that may not sign in. */
export function appInactive(): ApiError {
  return new ApiError({
    status: 'PERMISSION_DENIED',
    httpStatus: 403,
    reason: 'APP_INACTIVE',
    message: 'The app is inactive.',
  });
}

/** A project token where only an account token will do. */
export function accountTokenRequired(): ApiError {
  return new ApiError({
    status: 'PERMISSION_DENIED',
    httpStatus: 403,
    reason: 'ACCOUNT_TOKEN_REQUIRED',
    message: 'This operation needs an account-level access token.',
  });
}

/** A resource that does not exist or that the token cannot see. */
export function resourceNotFound(): ApiError {
  return new ApiError({
    status: 'NOT_FOUND',
    httpStatus: 404,
    reason: 'RESOURCE_NOT_FOUND',
    message: 'There is no such resource, or the token cannot see it.',
  });
}

/** A path that leads nowhere. */
export function pathNotFound(): ApiError {
  return new ApiError({
    status: 'NOT_FOUND',
    httpStatus: 404,
    reason: 'PATH_NOT_FOUND',
    message: 'There is nothing at this path.',
  });
}

/** A path that exists, but not for this method. `allow` lists the methods it takes. */
export function methodNotAllowed(allow: string): ApiError {
  return new ApiError({
    status: 'UNIMPLEMENTED',
    httpStatus: 405,
    reason: 'METHOD_NOT_ALLOWED',
    message: `This path takes ${allow}.`,
    headers: { allow },
  });
}

/** A body of more than `limitBytes` bytes. */
export function bodyTooLarge(limitBytes: number): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus: 413,
    reason: 'BODY_TOO_LARGE',
    message: `The body may hold at most ${limitBytes} bytes.`,
  });
}

/** A body that does not say it is JSON. */
export function unsupportedMediaType(): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus: 415,
    reason: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'The body must be JSON, sent with "Content-Type: application/json".',
  });
}

/** An `Accept` that names none of `mediaTypes`, the types of the response. */
export function notAcceptable(mediaTypes: readonly string[]): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus: 406,
    reason: 'NOT_ACCEPTABLE',
    message: `The header "Accept" must allow ${mediaTypes.join(' or ')}.`,
  });
}

/** A response that would have more than `limitBytes` bytes. */
export function responseTooLarge(limitBytes: number): ApiError {
  return new ApiError({
    status: 'INVALID_ARGUMENT',
    httpStatus: 400,
    reason: 'RESPONSE_TOO_LARGE',
    message: `The response would have more than ${limitBytes} bytes. Ask for fewer fields or items.`,
  });
}

/** More wallet passwords than the server hashes at once. Sent with `Retry-After`, in seconds. */
export function tooManyPasswords(): ApiError {
  return new ApiError({
    status: 'RESOURCE_EXHAUSTED',
    httpStatus: 429,
    reason: 'TOO_MANY_REQUESTS',
    message: 'Too many passwords are being set at once. Try again shortly.',
    headers: { 'retry-after': '1' },
  });
}

/** The database does not answer, or the server is stopping. Sent with `Retry-After`, in seconds. */
export function unavailable(cause?: unknown): ApiError {
  return new ApiError({
    status: 'UNAVAILABLE',
    httpStatus: 503,
    reason: 'UNAVAILABLE',
    message: 'The service is unavailable at the moment. Try again shortly.',
    headers: { 'retry-after': '1' },
    cause,
  });
}

/** Whether an error belongs in the log: a fault of the gateway or an outage, and not that the server is stopping. */
export function isFault({ status, cause }: ApiError): boolean {
  return status === 'INTERNAL' || (status === 'UNAVAILABLE' && cause !== undefined);
}

/** Anything unforeseen. The client learns nothing but the request id; `cause` goes to the log. */
export function internal(cause: unknown): ApiError {
  return new ApiError({
    status: 'INTERNAL',
    httpStatus: 500,
    reason: 'INTERNAL',
    message: 'Something went wrong on our side. Please report the request id.',
    cause,
  });
}

/** What a client may be shown of anything that was thrown: an `ApiError` as it is, all else masked. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : internal(thrown);
}
