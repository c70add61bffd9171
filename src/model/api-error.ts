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
  readonly reason: string;
  readonly message: string;
  readonly fieldViolations?: readonly FieldViolation[];
  readonly cause?: unknown;
};

/**
 * The only error that a client sees. `message`, `reason` and `fieldViolations` hold no
 * secret and no internals; `cause` goes to the log alone.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** A constant in UPPER_SNAKE_CASE that a program can act on. */
  readonly reason: string;
  readonly fieldViolations: readonly FieldViolation[];

  constructor(options: ApiErrorOptions) {
    super(options.message, { cause: options.cause });
    this.status = options.status;
    this.reason = options.reason;
    this.fieldViolations = options.fieldViolations ?? [];
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
    reason: 'INVALID_FIELD',
    message: problems.join(' '),
    fieldViolations,
  });
}

/** A `project` that does not exist or that the token cannot see. */
export function projectNotVisible(): ApiError {
  return invalidFields([{ field: 'project', description: 'Must be a project that the token can see.' }]);
}

/** A bearer token that is malformed, unknown, expired, revoked, or of an inactive app. */
export function tokenInvalid(): ApiError {
  return new ApiError({
    status: 'UNAUTHENTICATED',
    reason: 'TOKEN_INVALID',
    message: 'The bearer token is malformed, unknown, expired or revoked.',
  });
}

/** A failed sign-in. Unknown app, foreign app and wrong key give this same answer. */
export function invalidCredentials(): ApiError {
  return new ApiError({
    status: 'UNAUTHENTICATED',
    reason: 'INVALID_CREDENTIALS',
    message: 'There is no such app, or the private key is not its own.',
  });
}

/** The right private key of an app that may not sign in. */
export function appInactive(): ApiError {
  return new ApiError({
    status: 'PERMISSION_DENIED',
    reason: 'APP_INACTIVE',
    message: 'The app is inactive.',
  });
}

/** A project token where only an account token will do. */
export function accountTokenRequired(): ApiError {
  return new ApiError({
    status: 'PERMISSION_DENIED',
    reason: 'ACCOUNT_TOKEN_REQUIRED',
    message: 'This operation needs an account-level access token.',
  });
}

/** A resource that does not exist or that the token cannot see. */
export function resourceNotFound(): ApiError {
  return new ApiError({
    status: 'NOT_FOUND',
    reason: 'RESOURCE_NOT_FOUND',
    message: 'There is no such resource, or the token cannot see it.',
  });
}

/** More wallet passwords than the server hashes at once. */
export function tooManyPasswords(): ApiError {
  return new ApiError({
    status: 'RESOURCE_EXHAUSTED',
    reason: 'TOO_MANY_REQUESTS',
    message: 'Too many passwords are being set at once. Try again shortly.',
  });
}

/** The database does not answer, or the server is stopping. */
export function unavailable(cause?: unknown): ApiError {
  return new ApiError({
    status: 'UNAVAILABLE',
    reason: 'UNAVAILABLE',
    message: 'The service is unavailable at the moment. Try again shortly.',
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
    reason: 'INTERNAL',
    message: 'Something went wrong on our side. Please report the request id.',
    cause,
  });
}

/** What a client may be shown of anything that was thrown: an `ApiError` as it is, all else masked. */
export function toApiError(thrown: unknown): ApiError {
  return thrown instanceof ApiError ? thrown : internal(thrown);
}
