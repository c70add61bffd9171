import { getSystemErrorMessage } from 'node:util';
import type { ResourceName, Ulid } from './resource-name.ts';

/** All errors that clients see, by reason. One without a message gets it where it is thrown. */
export const ERRORS = {
  INVALID_FIELD: ['INVALID_ARGUMENT'],
  MALFORMED_REQUEST: ['INVALID_ARGUMENT'],
  NOT_ACCEPTABLE: ['INVALID_ARGUMENT'],
  BODY_TOO_LARGE: ['INVALID_ARGUMENT'],
  UNSUPPORTED_MEDIA_TYPE: [
    'INVALID_ARGUMENT',
    'Send the body as JSON, with the header "Content-Type: application/json".',
  ],
  UNSUPPORTED_TRANSFER_CODING: [
    'UNIMPLEMENTED',
    'Send the body without a transfer coding, or with "Transfer-Encoding: chunked" alone.',
  ],
  PATH_NOT_FOUND: ['NOT_FOUND', 'No resource exists at this path.'],
  METHOD_NOT_ALLOWED: ['UNIMPLEMENTED'],

  TOKEN_MISSING: [
    'UNAUTHENTICATED',
    'No token was sent. Send it in the header "Authorization: Bearer <token>".',
  ],
  TOKEN_INVALID: [
    'UNAUTHENTICATED',
    'The token is malformed, unknown, expired or revoked. Sign in again, or create a new token.',
  ],
  // The same for an unknown app, a foreign app and an incorrect key.
  INVALID_CREDENTIALS: ['UNAUTHENTICATED', 'The app does not exist, or the private key is wrong.'],
  // Only with the correct private key.
  APP_INACTIVE: ['PERMISSION_DENIED', 'The app is inactive. Activate it before it signs in.'],
  READ_ONLY_TOKEN: ['PERMISSION_DENIED', 'This token is read-only.'],
  ACCOUNT_TOKEN_REQUIRED: [
    'PERMISSION_DENIED',
    'This operation requires an account token, not a project token.',
  ],
  WHOLE_ACCOUNT_REQUIRED: [
    'PERMISSION_DENIED',
    'This operation requires an account token with access to the whole account. This token is restricted to one project.',
  ],
  OPERATOR_TOKEN_REQUIRED: [
    'PERMISSION_DENIED',
    'This operation requires an account token created by the operator. This token was created by another token.',
  ],
  // The same for a resource that does not exist and for one that the token has no access to.
  RESOURCE_NOT_FOUND: ['NOT_FOUND', 'The resource does not exist, or the token has no access to it.'],

  // The parser stops at the limit of tokens.
  DOCUMENT_TOO_LARGE: ['INVALID_ARGUMENT'],
  // Of trusted documents.
  DOCUMENT_NOT_FOUND: ['INVALID_ARGUMENT', "No document in the server's manifest has this id."],
  DOCUMENT_NOT_TRUSTED: [
    'INVALID_ARGUMENT',
    "This document is not in the server's manifest. Add it there, or send one that is.",
  ],

  ETAG_MISMATCH: [
    'ABORTED',
    'The resource does not match the condition in your request, so nothing was changed. Read it again and retry.',
  ],

  // Of a reference. Its violation says what differs in the resource that has it.
  ALREADY_EXISTS: ['ALREADY_EXISTS'],

  IDEMPOTENCY_KEY_REUSED: [
    'INVALID_ARGUMENT',
    'This Idempotency-Key was already used for a different request.',
  ],
  IDEMPOTENCY_KEY_IN_USE: [
    'ABORTED',
    'The first request with this Idempotency-Key is still running. Retry later.',
  ],
  IDEMPOTENCY_RESPONSE_SEALED: [
    'ALREADY_EXISTS',
    'The request with this Idempotency-Key was already applied. Only the token that sent it can read its response.',
  ],
  RESPONSE_TOO_LARGE: ['INVALID_ARGUMENT'],

  TOO_MANY_REQUESTS: ['RESOURCE_EXHAUSTED', 'Too many requests. Retry later.'],
  TOO_MANY_CONCURRENT_REQUESTS: [
    'RESOURCE_EXHAUSTED',
    'The account has too many requests in progress. Retry later.',
  ],
  // Retries do not help until someone deletes or adds something. After RESOURCE_EXHAUSTED, they do.
  TOO_MANY_APPS: [
    'FAILED_PRECONDITION',
    'The account has reached the limit of 100,000 apps. Delete some first.',
  ],
  TOO_MANY_PROJECTS: [
    'FAILED_PRECONDITION',
    'The account has reached the limit of 100,000 projects. Delete some first.',
  ],
  TOO_MANY_TOKENS: [
    'FAILED_PRECONDITION',
    'This token has reached the limit of 1,000 valid tokens created by it. Revoke some first.',
  ],
  WALLET_ARCHIVED: [
    'FAILED_PRECONDITION',
    'The wallet is archived, so it cannot be updated. Unarchive it first, with unarchiveWallet.',
  ],
  PROJECT_IN_USE: [
    'FAILED_PRECONDITION',
    'The project has apps, wallets or valid account tokens, or is the default project of the account.',
  ],
  NO_ADDRESS_LEFT: [
    'FAILED_PRECONDITION',
    'There are no unused addresses for this network. Ask the operator to add some with "paw address add".',
  ],
  TOO_MANY_PASSWORDS: [
    'RESOURCE_EXHAUSTED',
    'The account is setting too many passwords at the same time. Retry later.',
  ],
  OVERLOADED: ['UNAVAILABLE', 'The server is overloaded. Retry later.'],
  // An outage of the database, or a server that is stopping. Without a cause, nothing is logged.
  UNAVAILABLE: ['UNAVAILABLE', 'The service is temporarily unavailable. Retry later.'],
  RESULT_UNKNOWN: [
    'UNAVAILABLE',
    'The database did not confirm the change, so it may or may not have been applied. Check the resource before you retry.',
  ],
  INTERNAL: ['INTERNAL', 'Internal error. Contact the operator, and include the request id.'],

  // Of the OAuth API, whose responses have their own error codes.
  INVALID_TARGET: [
    'INVALID_ARGUMENT',
    "The parameter resource must be this server's URL, or the URL of one of its API paths.",
  ],
  INVALID_SCOPE: ['INVALID_ARGUMENT', 'The parameter scope must be read, or read write.'],
  TOKEN_OF_ANOTHER_APP: ['PERMISSION_DENIED', 'The token was not issued to this app.'],
  UNSUPPORTED_GRANT_TYPE: ['INVALID_ARGUMENT', 'The parameter grant_type must be client_credentials.'],

  // Of the commands.
  RESOURCE_UNUSABLE: ['INVALID_ARGUMENT'],
  INVALID_USAGE: ['INVALID_ARGUMENT'],
  COMMAND_FAILED: ['INTERNAL'],
} as const satisfies Record<string, readonly [status: string, message?: string]>;

/** A canonical error name that the gateway uses. Source: google.rpc.Code. */
export type Status = (typeof ERRORS)[Reason][0];

/**
 * Why an operation is unavailable: the database is down, a lock did not become available within the timeout, the timeout was
 * reached before the database responded, or no synchronous standby has confirmed a commit.
 */
export type Outage = 'down' | 'lock' | 'overload' | 'standby';

/** Why a request failed: a machine-readable constant. */
export type Reason = keyof typeof ERRORS;

type ReasonWithMessage = {
  [R in Reason]: (typeof ERRORS)[R] extends readonly [string, string] ? R : never;
}[Reason];

/** One invalid field of a request. Source: google.rpc.BadRequest. */
export type FieldViolation = {
  /** The path of the field in the request, with dots between levels. */
  readonly field: string;
  /** A sentence that describes the valid values. It does not contain the value of the request. */
  readonly description: string;
};

type ApiErrorOptions = { readonly cause?: unknown } & Partial<
  Pick<ApiError, 'fieldViolations' | 'retryAfterSeconds' | 'app' | 'claimed' | 'outage' | 'resource'>
>;

/**
 * The only error that clients see. `message`, `reason` and `fieldViolations` contain no
 * secrets and no internal details. `app`, `claimed`, `resource` and `cause` are logged and not sent to the client.
 */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: Status;
  readonly reason: Reason;
  readonly fieldViolations: readonly FieldViolation[];
  /** The time after which the request can succeed, if it is known. */
  readonly retryAfterSeconds: number | undefined;
  /** The app of a failed sign-in. */
  readonly app: ResourceName<'apps'> | undefined;
  /** The ids in the text of a credential that was refused, which anyone can have written. */
  readonly claimed: { readonly accountId: Ulid; readonly id: Ulid } | undefined;
  /** For the log, if the status is UNAVAILABLE. */
  readonly outage: Outage;
  /** The name of the resource whose lock did not become available within the timeout. */
  readonly resource: string | undefined;

  constructor(reason: ReasonWithMessage, options?: ApiErrorOptions);
  constructor(reason: Reason, options: ApiErrorOptions & { readonly message: string });
  constructor(reason: Reason, options: ApiErrorOptions & { readonly message?: string } = {}) {
    const [status, message]: readonly [Status, string?] = ERRORS[reason];
    super(options.message ?? message, { cause: options.cause });
    this.status = status;
    this.reason = reason;
    this.fieldViolations = options.fieldViolations ?? [];
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.app = options.app;
    this.claimed = options.claimed;
    this.outage = options.outage ?? 'down';
    this.resource = options.resource;
  }
}

/** The maximum number of violations in one error. It bounds the size of an error response. */
export const MAX_VIOLATIONS = 100;

/** Returns the error for invalid fields. Violations after the first `MAX_VIOLATIONS` are omitted. */
export function invalidFields(
  violations: readonly FieldViolation[],
  reason: Reason = 'INVALID_FIELD',
): ApiError {
  const fieldViolations = violations.slice(0, MAX_VIOLATIONS);
  const messages = fieldViolations.map(({ field, description }) => `${field}: ${description}`);
  return new ApiError(reason, { message: messages.join(' '), fieldViolations });
}

/**
 * Returns the error for a field in which the operator names a resource that does not exist or can't be used.
 * Clients get RESOURCE_NOT_FOUND or `projectNotVisible`.
 */
export function unusableResource(field: string, description: string): ApiError {
  return invalidFields([{ field, description }], 'RESOURCE_UNUSABLE');
}

/** Returns the error for a `project` that does not exist or that the token has no access to. */
export function projectNotVisible(): ApiError {
  return invalidFields([
    { field: 'project', description: 'Must be a project that the token has access to.' },
  ]);
}

/**
 * Returns the error for a reference that another resource has.
 * @param field the difference, as far as the caller can know it
 */
export function alreadyExists(field: 'reference' | 'project' | 'network'): ApiError {
  const wanted =
    field === 'reference' ? 'an unused reference' : `the ${field} of the resource that has this reference`;
  return invalidFields([{ field, description: `Must be ${wanted}.` }], 'ALREADY_EXISTS');
}

/** Returns whether an error is logged: internal errors and outages are, unless the server is stopping. */
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

/** Returns the reason of an error of the system, such as `no space left on device`. Its message also has the file and the call. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'errno' in error && 'syscall' in error ? getSystemErrorMessage(Number(error.errno)) : error.message;
}

/** Thrown for an invalid setting. The message is one line for the operator. */
export class ConfigError extends Error {}
