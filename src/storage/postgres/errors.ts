import type { Fault } from '../../model/fault.ts';
import { type DatabaseError, resultUnknown, unavailable } from '../errors.ts';

/** Returns the error for a connection of the pool that was not available in time. */
export function poolTimeout(fault: Fault): DatabaseError {
  return unavailable(new Error('No connection was available in time.'), fault);
}

/** Returns the error for a statement after the time of its request. */
export function requestTimeout(): DatabaseError {
  return unavailable(new Error('The time of the request is over.'), 'overload');
}

/** An error that the server has sent. Errors of the connection have no severity. */
type ServerError = Error & {
  readonly severity: string;
  /** The SQLSTATE. Source: PostgreSQL, appendix A. */
  readonly code: string;
};

// The codes of a server that can't serve, as opposed to those of an invalid statement.
const FAULTS: readonly (readonly [code: RegExp, fault: Fault])[] = [
  [/^(53300|57014)$/, 'overload'], // too many connections, cancelled statement
  [/^(55P03|40001|40P01)$/, 'lock'], // `lock_timeout`, serialization failure, deadlock
  // Connection exception, insufficient resources, operator intervention, system error.
  [/^(08|53|57|58)/, 'outage'],
  // Read-only transaction, and prepared statements that a pooler has lost or mixed up.
  [/^(25006|26000|42P05)$/, 'outage'],
];

/** A lost conflict: serialization failure, deadlock. Another attempt can succeed. */
export const CONFLICT = /^(40001|40P01)$/;

/** A lock was not available in time. */
export const LOCK_TIMEOUT = /^55P03$/;

/** The pooler does not know a prepared statement. */
export const MISSING_STATEMENT = /^26000$/;

/** A session can stay read-only after a failover, until it is closed. */
export const READ_ONLY = /^25006$/;

export const TOO_MANY_CONNECTIONS = /^53300$/;

// An earlier statement of the transaction has failed, and was logged.
const ABORTED_TRANSACTION = '25P02';

// The transaction can have been committed: statement completion unknown, transaction resolution unknown. A pooler
// reports a lost connection to the server with a code of class 08.
const UNKNOWN_RESULT_CODES = /^(40003|08...)$/;

// The server ends the session: operator intervention, and timeouts of idle and of long transactions.
const END_OF_SESSION_CODES = /^(57P..|25P0[34])$/;

/** Whether the error ends the use of its connection: the connection is lost, or its session can't write. */
export function endsConnection(error: unknown): boolean {
  return !isServerError(error) || endsSession(error) || hasCode(error, READ_ONLY);
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

/** Returns whether an error of the server, or such a cause of an `DatabaseError`, has a code. */
export function hasCode(thrown: unknown, code: RegExp): boolean {
  const error = causeOf(thrown);
  return isServerError(error) && code.test(error.code);
}

/**
 * Returns the error of a statement for the caller: UNAVAILABLE for an outage, and the error itself otherwise.
 *
 * @param commits whether the statement commits a change, so that nobody knows whether the change was made if the
 *   connection is lost
 */
export function statementError(error: unknown, commits: boolean): unknown {
  if (!isServerError(error)) return commits ? resultUnknown(error) : unavailable(error);
  const { code } = error;
  if (code === '40003' || (commits && UNKNOWN_RESULT_CODES.test(code))) return resultUnknown(error);
  if (code === ABORTED_TRANSACTION) return unavailable();
  const fault = faultOf(error);
  return fault !== undefined || endsSession(error) ? unavailable(error, fault) : error;
}

/** Returns the fault of a server that can't serve; undefined if it is not the server's. */
export function faultOf(error: unknown): Fault | undefined {
  return FAULTS.find(([code]) => hasCode(error, code))?.[1];
}

function causeOf(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}
