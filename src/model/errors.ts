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
    'The body must be JSON, sent with "Content-Type: application/json".',
  ],
  UNSUPPORTED_TRANSFER_CODING: [
    'UNIMPLEMENTED',
    'The body must be sent without a transfer coding, or with "Transfer-Encoding: chunked" alone.',
  ],
  PATH_NOT_FOUND: ['NOT_FOUND', 'The path does not exist.'],
  METHOD_NOT_ALLOWED: ['UNIMPLEMENTED'],

  TOKEN_MISSING: ['UNAUTHENTICATED', 'This operation requires the header "Authorization: Bearer <token>".'],
  TOKEN_INVALID: ['UNAUTHENTICATED', 'The bearer token is malformed, unknown, expired or revoked.'],
  // The same for an unknown app, a foreign app and a wrong key.
  INVALID_CREDENTIALS: ['UNAUTHENTICATED', 'The app does not exist, or the private key is wrong.'],
  // Only with the correct private key.
  APP_INACTIVE: ['PERMISSION_DENIED', 'The app is inactive.'],
  READ_ONLY_TOKEN: ['PERMISSION_DENIED', 'The token may only read.'],
  ACCOUNT_TOKEN_REQUIRED: ['PERMISSION_DENIED', 'This operation requires an account token.'],
  WHOLE_ACCOUNT_REQUIRED: [
    'PERMISSION_DENIED',
    'This operation requires an account token that is not restricted to one project.',
  ],
  OPERATOR_TOKEN_REQUIRED: [
    'PERMISSION_DENIED',
    'This operation requires an account token that the operator has issued.',
  ],
  // The same for a resource that does not exist and for one that the token does not see.
  RESOURCE_NOT_FOUND: ['NOT_FOUND', 'The resource does not exist or is not visible to the token.'],

  // The parser stops at the limit of tokens.
  DOCUMENT_TOO_LARGE: ['INVALID_ARGUMENT'],
  // Of trusted documents.
  DOCUMENT_NOT_FOUND: ['INVALID_ARGUMENT', 'The server knows no document with this id.'],
  DOCUMENT_NOT_TRUSTED: ['INVALID_ARGUMENT', 'The server executes only the documents in its manifest.'],

  ETAG_MISMATCH: [
    'ABORTED',
    'The resource does not meet the condition of the request: it has changed since it was read. Read it again.',
  ],

  // Of a reference. Its violation says what differs in the resource that has it.
  ALREADY_EXISTS: ['ALREADY_EXISTS'],

  IDEMPOTENCY_KEY_REUSED: ['INVALID_ARGUMENT', 'The Idempotency-Key was used for another request.'],
  IDEMPOTENCY_KEY_IN_USE: ['ABORTED', 'A request with this Idempotency-Key is running. Try again later.'],
  IDEMPOTENCY_RESPONSE_SEALED: [
    'ALREADY_EXISTS',
    'The request with this Idempotency-Key was applied. Its response can only be read with the token of that request.',
  ],
  RESPONSE_TOO_LARGE: ['INVALID_ARGUMENT'],

  TOO_MANY_REQUESTS: ['RESOURCE_EXHAUSTED', 'Too many requests. Try again later.'],
  TOO_MANY_CONCURRENT_REQUESTS: [
    'RESOURCE_EXHAUSTED',
    'Too many requests of the account are in progress. Try again later.',
  ],
  // Time does not mend these: somebody has to delete or add something. RESOURCE_EXHAUSTED is what a repetition can mend.
  TOO_MANY_APPS: ['FAILED_PRECONDITION', 'The account has 100,000 apps, which is the maximum.'],
  TOO_MANY_PROJECTS: ['FAILED_PRECONDITION', 'The account has 100,000 projects, which is the maximum.'],
  TOO_MANY_TOKENS: [
    'FAILED_PRECONDITION',
    'The token has made 1,000 tokens that are valid, which is the maximum.',
  ],
  WALLET_ARCHIVED: [
    'FAILED_PRECONDITION',
    'The wallet is archived, so that it cannot be updated. Bring it back first, by unarchiveWallet.',
  ],
  PROJECT_IN_USE: [
    'FAILED_PRECONDITION',
    'The project has apps, wallets or valid account tokens, or is the default project of the account.',
  ],
  NO_ADDRESS_LEFT: [
    'FAILED_PRECONDITION',
    'No address is left for a new wallet on the network. The operator of the service adds addresses by "paw address add".',
  ],
  TOO_MANY_PASSWORDS: [
    'RESOURCE_EXHAUSTED',
    'Too many passwords of the account are being set at the same time. Try again later.',
  ],
  OVERLOADED: ['UNAVAILABLE', 'The server is overloaded. Try again later.'],
  // An outage of the database, or a server that is stopping. Without a cause, nothing is logged.
  UNAVAILABLE: ['UNAVAILABLE', 'The service is temporarily unavailable. Try again later.'],
  RESULT_UNKNOWN: [
    'UNAVAILABLE',
    'The database has not confirmed the change, which may have been made. Check the resource before you repeat it.',
  ],
  INTERNAL: ['INTERNAL', 'Internal error. Report the request id to the operator of the service.'],

  // Of the OAuth API, whose responses have error codes of their own.
  INVALID_TARGET: [
    'INVALID_ARGUMENT',
    'The parameter resource must be the URL of this server, or of a path of its APIs.',
  ],
  INVALID_SCOPE: ['INVALID_ARGUMENT', 'The parameter scope must be read, or read write.'],
  TOKEN_OF_ANOTHER_APP: ['PERMISSION_DENIED', 'The token was not issued to the app.'],
  UNSUPPORTED_GRANT_TYPE: ['INVALID_ARGUMENT', 'The parameter grant_type must be client_credentials.'],

  // Of the commands.
  RESOURCE_UNUSABLE: ['INVALID_ARGUMENT'],
  INVALID_USAGE: ['INVALID_ARGUMENT'],
  COMMAND_FAILED: ['INTERNAL'],
} as const satisfies Record<string, readonly [status: string, message?: string]>;

/** A canonical error name that the gateway uses. Source: google.rpc.Code. */
export type Status = (typeof ERRORS)[Reason][0];

/**
 * Why an operation is unavailable: the database is down, a lock was not available in time, the time was over before the
 * database was free, or no synchronous standby has confirmed a commit.
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
  /** The name of the resource whose lock was not available in time. */
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
 * Returns the error for a field by which the operator names a resource that does not exist, or that can't be used as it is.
 * Clients get RESOURCE_NOT_FOUND or `projectNotVisible`.
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

/** Returns the error for a reference that another resource has. @param field what differs, as far as the caller may know it */
export function alreadyExists(field: 'reference' | 'project' | 'network'): ApiError {
  const wanted =
    field === 'reference' ? 'one that is not used' : `the ${field} of the resource that has the reference`;
  return invalidFields([{ field, description: `Must be ${wanted}.` }], 'ALREADY_EXISTS');
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

/** Returns the reason of an error of the system, such as `no space left on device`. Its message also has the file and the call. */
export function systemMessage(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'errno' in error && 'syscall' in error ? getSystemErrorMessage(Number(error.errno)) : error.message;
}

/** Thrown for an invalid setting. The message is one line for the operator. */
export class ConfigError extends Error {}
