import { resultUnknown, unavailable } from '../../model/api-error.ts';

/** A connection of the pool was not available in time. */
export class PoolTimeout extends Error {
  constructor() {
    super('No connection was available in time.');
  }
}

/** The time of a request is over. */
export class RequestTimeout extends Error {
  constructor() {
    super('The time of the request is over.');
  }
}

/** An error that the server has sent. Errors of the connection have no severity. */
type ServerError = Error & {
  readonly severity: string;
  /** The SQLSTATE. Source: PostgreSQL, appendix A. */
  readonly code: string;
};

// The codes of an unavailable server, as opposed to those of an invalid statement.
const OUTAGE_CODES = [
  /^08/, // connection exception
  /^53/, // insufficient resources
  /^57/, // operator intervention: shutdown, startup, statement timeout
  /^58/, // system error
  /^25006$/, // read-only transaction
  /^26000$/, // prepared statement does not exist: the pooler does not know it
  /^42P05$/, // prepared statement exists already
  /^40001$/, // serialization failure
  /^40P01$/, // deadlock
  /^55P03$/, // lock not available: `lock_timeout`
  /^XX/, // internal error, which distributed engines return for an unavailable node
];

const CONFLICT_CODES = /^(40001|40P01)$/;

// CockroachDB and YugabyteDB report some conflicts with another code, but always with these words.
const CONFLICT_MESSAGE = /restart (transaction|read)/i;

// The transaction can have been committed: statement completion unknown, transaction resolution unknown. A pooler
// reports a lost connection to the server with a code of class 08.
const UNKNOWN_RESULT_CODES = /^(40003|08...)$/;

// The server ends the session: operator intervention, and timeouts of idle and of long transactions.
const END_OF_SESSION_CODES = /^(57P..|25P0[34])$/;

/** Whether the error ends the use of its connection: the connection is lost, or its session can't write. */
export function endsConnection(error: unknown): boolean {
  return !isServerError(error) || endsSession(error) || isReadOnly(error);
}

/** The severity is in the language of the server, so that it is not always known. */
function endsSession({ severity, code }: ServerError): boolean {
  return severity === 'FATAL' || END_OF_SESSION_CODES.test(code);
}

/**
 * Returns the error of COMMIT for the caller. The server can end a session after the commit and before its confirmation.
 *
 * @param thrown the error of the statement, as `statementError` returns it
 */
export function commitError(thrown: unknown): unknown {
  const error = causeOf(thrown);
  return isServerError(error) && endsSession(error) ? resultUnknown(error) : thrown;
}

/** Returns whether a session was found to be read-only. It can stay so after a failover, until it is closed. */
export function isReadOnly(error: unknown): boolean {
  return isServerError(error) && error.code === '25006';
}

/** Returns whether an error, or the cause of an `ApiError`, is a lost conflict: a retry of the transaction can succeed. */
export function isConflict(thrown: unknown): boolean {
  const error = causeOf(thrown);
  if (!isServerError(error) || UNKNOWN_RESULT_CODES.test(error.code)) return false;
  return CONFLICT_CODES.test(error.code) || CONFLICT_MESSAGE.test(error.message);
}

/** Returns whether an error, or the cause of an `ApiError`, is a lock that was not available in time. */
export function isLockTimeout(thrown: unknown): boolean {
  const error = causeOf(thrown);
  return isServerError(error) && error.code === '55P03';
}

/**
 * Returns whether an error, or the cause of an `ApiError`, is a prepared statement that does not exist.
 * Source: PostgreSQL, appendix A, invalid_sql_statement_name.
 */
export function isMissingStatement(thrown: unknown): boolean {
  const error = causeOf(thrown);
  return isServerError(error) && error.code === '26000';
}

/**
 * Returns the error of a statement for the caller: UNAVAILABLE for an outage, and the error itself otherwise.
 *
 * @param commits whether the statement commits a change, so that nobody knows whether the change was made if the
 *   connection is lost
 */
export function statementError(error: unknown, commits: boolean): unknown {
  const hasAnswer = isServerError(error);
  if (commits ? !hasAnswer || UNKNOWN_RESULT_CODES.test(error.code) : hasAnswer && error.code === '40003') {
    return resultUnknown(error);
  }
  const isOutage =
    !hasAnswer ||
    endsSession(error) ||
    isConflict(error) ||
    OUTAGE_CODES.some((pattern) => pattern.test(error.code));
  return isOutage ? unavailable(error) : error;
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}
