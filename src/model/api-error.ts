import type { Fault } from './fault.ts';
import type { ResourceName } from './resource-name.ts';

/** The canonical error names that the gateway uses. Source: google.rpc.Code. */
export const STATUSES = [
  'INVALID_ARGUMENT',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'ABORTED',
  'UNIMPLEMENTED',
  'RESOURCE_EXHAUSTED',
  'UNAVAILABLE',
  'INTERNAL',
] as const;

/** A canonical error name. */
export type Status = (typeof STATUSES)[number];

/** One invalid field of a request. Source: google.rpc.BadRequest. */
export type FieldViolation = {
  /** The path of the field in the request, with dots between levels. */
  readonly field: string;
  /** A sentence that describes the valid values. It does not contain the value of the request. */
  readonly description: string;
};

type ApiErrorOptions = {
  readonly fieldViolations?: readonly FieldViolation[];
  readonly retryAfterSeconds?: number;
  readonly app?: ResourceName<'apps'> | undefined;
  readonly cause?: unknown;
  readonly fault?: Fault;
};

/**
 * The only error that clients see. `message`, `reason` and `fieldViolations` contain no
 * secrets and no internal details. `app` and `cause` are logged and not sent to the client.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  /** A machine-readable constant in UPPER_SNAKE_CASE. */
  readonly reason: string;
  readonly fieldViolations: readonly FieldViolation[];
  /** The time after which the request can succeed, if it is known. */
  readonly retryAfterSeconds: number | undefined;
  /** The app of a failed sign-in. */
  readonly app: ResourceName<'apps'> | undefined;
  /** For the log, if the status is UNAVAILABLE. */
  readonly fault: Fault;

  constructor(status: Status, reason: string, message: string, options: ApiErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.fieldViolations = options.fieldViolations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.app = options.app;
    this.fault = options.fault ?? 'outage';
  }
}

/** The maximum number of violations in one error. It bounds the size of an error response. */
export const MAX_VIOLATIONS = 100;

/** Returns the error for invalid fields. Violations after the first `MAX_VIOLATIONS` are omitted. */
export function invalidFields(violations: readonly FieldViolation[], reason = INVALID_FIELD): ApiError {
  const fieldViolations = violations.slice(0, MAX_VIOLATIONS);
  const messages = fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  return new ApiError('INVALID_ARGUMENT', reason, messages.join(' '), { fieldViolations });
}

/** The reason of `invalidFields`, with which a command ends with another exit status. */
export const INVALID_FIELD = 'INVALID_FIELD';

/**
 * Returns the error for a field by which the operator names a resource that does not exist, or that can't be used as it is.
 * Clients get `resourceNotFound` or `projectNotVisible`.
 */
export function unusableResource(field: string, description: string): ApiError {
  return invalidFields([{ field, description }], 'RESOURCE_UNUSABLE');
}

/** Returns the error for a `project` that does not exist or is not visible to the token. */
export function projectNotVisible(): ApiError {
  return invalidFields([
    { field: 'project', description: 'Must be a project that is visible to the token.' },
  ]);
}

/** Returns the error for a bearer token that is malformed, unknown, expired or revoked. */
export function tokenInvalid(): ApiError {
  const message = 'The bearer token is malformed, unknown, expired or revoked.';
  return new ApiError('UNAUTHENTICATED', 'TOKEN_INVALID', message);
}

/** Returns the error for a failed sign-in: the same for an unknown app, a foreign app and a wrong key. */
export function invalidCredentials(app?: ResourceName<'apps'>): ApiError {
  const message = 'The app does not exist, or the private key is wrong.';
  return new ApiError('UNAUTHENTICATED', INVALID_CREDENTIALS, message, { app });
}

/** The reason of `invalidCredentials`, which has an error code of its own in GraphQL. */
export const INVALID_CREDENTIALS = 'INVALID_CREDENTIALS';

/** Returns the error for a sign-in to an inactive app with the correct private key. */
export function appInactive(app?: ResourceName<'apps'>): ApiError {
  return new ApiError('PERMISSION_DENIED', 'APP_INACTIVE', 'The app is inactive.', { app });
}

/** Returns the error for a change with a token that may only read. */
export function readOnlyToken(): ApiError {
  return new ApiError('PERMISSION_DENIED', READ_ONLY_TOKEN, 'The token may only read.');
}

/** The reason of `readOnlyToken`, which has an HTTP header of its own. */
export const READ_ONLY_TOKEN = 'READ_ONLY_TOKEN';

/** Returns the error for the revocation of a token that was not issued to the app. */
export function tokenOfAnotherApp(): ApiError {
  return new ApiError('PERMISSION_DENIED', 'TOKEN_OF_ANOTHER_APP', 'The token was not issued to the app.');
}

/** Returns the error for an operation that requires an account token and was called with a project token. */
export function accountTokenRequired(): ApiError {
  const message = 'This operation requires an account token.';
  return new ApiError('PERMISSION_DENIED', 'ACCOUNT_TOKEN_REQUIRED', message);
}

/** Returns the error for an operation that shows the whole account and was called with a token of one project. */
export function wholeAccountRequired(): ApiError {
  const message = 'This operation requires an account token that is not restricted to one project.';
  return new ApiError('PERMISSION_DENIED', 'WHOLE_ACCOUNT_REQUIRED', message);
}

/** Returns the error for a resource that does not exist or is not visible to the token. */
export function resourceNotFound(): ApiError {
  const message = 'The resource does not exist or is not visible to the token.';
  return new ApiError('NOT_FOUND', 'RESOURCE_NOT_FOUND', message);
}

/** Returns the error for the id of a GraphQL document that is not in the manifest. */
export function documentNotFound(): ApiError {
  return new ApiError('INVALID_ARGUMENT', 'DOCUMENT_NOT_FOUND', 'The server knows no document with this id.');
}

/** Returns the error for a GraphQL document that is not in the manifest, if the server executes no others. */
export function documentNotTrusted(): ApiError {
  const message = 'The server executes only the documents in its manifest.';
  return new ApiError('INVALID_ARGUMENT', 'DOCUMENT_NOT_TRUSTED', message);
}

/** Returns the error for a request that exceeds the rate limit of its credential, its account or its client address. */
export function rateLimited(retryAfterSeconds: number): ApiError {
  const message = 'Too many requests. Try again later.';
  return new ApiError('RESOURCE_EXHAUSTED', 'TOO_MANY_REQUESTS', message, { retryAfterSeconds });
}

/** Returns the error for a wallet password of an account that already has too many waiting to be hashed. */
export function tooManyPasswords(): ApiError {
  const message = 'Too many passwords of the account are being set at the same time. Try again later.';
  return new ApiError('RESOURCE_EXHAUSTED', 'TOO_MANY_PASSWORDS', message);
}

/** Returns the error for a request of an account that already has half of the requests in progress. */
export function tooManyConcurrentRequests(): ApiError {
  const message = 'Too many requests of the account are in progress. Try again later.';
  return new ApiError('RESOURCE_EXHAUSTED', 'TOO_MANY_CONCURRENT_REQUESTS', message);
}

/** Returns the error for a request that exceeds the capacity of the server. */
export function overloaded(): ApiError {
  return new ApiError('UNAVAILABLE', 'OVERLOADED', 'The server is overloaded. Try again later.');
}

/** Returns the error for an `Idempotency-Key` that was used for another request. */
export function idempotencyKeyReused(): ApiError {
  const message = 'The Idempotency-Key was used for another request.';
  return new ApiError('INVALID_ARGUMENT', IDEMPOTENCY_KEY_REUSED, message);
}

/** The reason of `idempotencyKeyReused`, which has an HTTP status of its own. */
export const IDEMPOTENCY_KEY_REUSED = 'IDEMPOTENCY_KEY_REUSED';

/** Returns the error for an `Idempotency-Key` whose first request has no response yet. */
export function idempotencyKeyInUse(): ApiError {
  const message = 'A request with this Idempotency-Key is running. Try again later.';
  return new ApiError('ABORTED', 'IDEMPOTENCY_KEY_IN_USE', message);
}

/** Returns the error for the repetition of a request with a token that does not open the response. */
export function keptResponseSealed(): ApiError {
  const message =
    'The request with this Idempotency-Key was applied. Its response can only be read with the token of that request.';
  return new ApiError('ALREADY_EXISTS', 'IDEMPOTENCY_RESPONSE_SEALED', message);
}

/** Returns the error for an account for which too many responses are kept. */
export function tooManyKeptResponses(retryAfterSeconds: number): ApiError {
  const message = 'Too many Idempotency-Keys were used in 24 hours. Send the request without one.';
  return new ApiError('RESOURCE_EXHAUSTED', 'TOO_MANY_IDEMPOTENCY_KEYS', message, { retryAfterSeconds });
}

/**
 * Returns the error for an outage of the database, or for a server that is stopping.
 *
 * @param cause the error of the database; undefined if there is nothing to log
 */
export function unavailable(cause?: unknown, fault: Fault = 'outage'): ApiError {
  const message = 'The service is temporarily unavailable. Try again later.';
  return new ApiError('UNAVAILABLE', 'UNAVAILABLE', message, { cause, fault });
}

/**
 * Returns the error for a change whose commit the database has not confirmed: it may have been made.
 *
 * @param cause the error of the database
 */
export function resultUnknown(cause: unknown): ApiError {
  const message =
    'The database has not confirmed the change, which may have been made. Check the resource before you repeat it.';
  return new ApiError('UNAVAILABLE', 'RESULT_UNKNOWN', message, { cause });
}

/** Returns whether an error is logged: internal errors and outages are, but not those of a server that is stopping. */
export function shouldLog({ status, cause }: ApiError): boolean {
  return status === 'INTERNAL' || (status === 'UNAVAILABLE' && cause !== undefined);
}

/** Returns one line about the cause of an outage, for the operator. */
export function describeCause({ cause }: ApiError): string {
  if (!(cause instanceof Error)) return String(cause);
  // The error of several failed attempts to connect has a code, but no message.
  const text = cause.message || ('code' in cause ? String(cause.code) : cause.name);
  return text.replaceAll('\n', ' ');
}

/** Returns the error for an unexpected failure. The client sees only the request id; `cause` is logged. */
export function internal(cause: unknown): ApiError {
  const message = 'Internal error. Report the request id to the operator of the service.';
  return new ApiError('INTERNAL', 'INTERNAL', message, { cause });
}
