import type { Outage } from '../../model/errors.ts';
import { parseResourceName } from '../../model/resource-name.ts';
import type { Statement } from '../interface/database.ts';
import { DatabaseError, resultUnknown, unavailable } from '../interface/database-error.ts';

/** Returns the error for a statement that has not begun in time. */
export function startTimeout(outage: Outage, resource?: string): DatabaseError {
  return unavailable(new Error('The statement could not start within the timeout.'), outage, resource);
}

// The table of a statement, or of the first change of several, and the parameter with the id of its row.
const ROW =
  /^(?:WITH part_0 AS \()?(?:UPDATE|DELETE FROM|SELECT [\w, ]+ FROM) (\w+)\b(?:(?!FROM ).)*?\bid = \$(\d+)/s;

/** Returns the name of the resource that a statement changes or locks; undefined if it names none. */
export function resourceInDetail({ sql, params }: Statement): string | undefined {
  const [, table, number] = ROW.exec(sql) ?? [];
  if (table === undefined || (sql.startsWith('SELECT') && !sql.includes(' FOR '))) return undefined;
  const name = `${table}s/${params[Number(number) - 1]}`;
  return parseResourceName(['accounts', 'projects', 'apps', 'wallets', 'tokens'], name);
}

/** An error that the server has sent. Errors of the connection have no severity. */
type ServerError = Error & {
  readonly severity: string;
  /** The SQLSTATE. Source: PostgreSQL, appendix A. */
  readonly code: string;
};

/** A table does not exist. All are of the gateway itself, and on Citus it can be a shard that was moved to another node. */
export const MISSING_TABLE = /^42P01$/;

// The codes of a server that can't serve, as opposed to an invalid statement.
const OUTAGES: readonly (readonly [code: RegExp, outage: Outage])[] = [
  [/^(53300|57014)$/, 'overload'], // too many connections, cancelled statement
  [/^(55P03|40001|40P01)$/, 'lock'], // `lock_timeout`, serialization failure, deadlock
  // Connection exception, insufficient resources, operator intervention, system error.
  [/^(08|53|57|58)/, 'down'],
  // Read-only transaction, and prepared statements that a pooler has lost or mixed up.
  [/^(25006|26000|42P05)$/, 'down'],
  [MISSING_TABLE, 'down'],
];

/** A lost conflict: serialization failure, deadlock. Another attempt can succeed. */
export const CONFLICT = /^(40001|40P01)$/;

/** A prepared statement that does not exist. A statement sent earlier may have failed to prepare it. */
export const MISSING_STATEMENT = /^26000$/;

/** A lock did not become available within the timeout. */
export const LOCK_TIMEOUT = /^55P03$/;

/** A session can stay read-only after a failover, until it is closed. */
export const READ_ONLY = /^25006$/;

export const TOO_MANY_CONNECTIONS = /^53300$/;

// An earlier statement of the transaction has failed, and was logged.
const ABORTED_TRANSACTION = '25P02';

// The completion of the statement is unknown.
const RESULT_UNKNOWN = '40003';

// A pooler reports a lost connection to the server with a code of class 08, and Citus one to a worker.
const LOST_BEHIND = /^08/;

const LOST_BY_POOLER = '08P01';

// The codes of a COMMIT of Citus whose result on a worker is unknown: an internal error if the worker was lost in it, and
// a cancellation, because the worker can have got the COMMIT before.
const UNKNOWN_COMMIT = /^(XX000|57014)$/;

// The driver's message for a statement that it has not sent, because the connection was lost before.
const NOT_SENT = /is not queryable$/;

// The server ends the session: operator intervention, and timeouts of idle and of long transactions.
const END_OF_SESSION_CODES = /^(57P..|25P0[34])$/;

/** Whether the error ends the use of its connection: the connection is lost, or its session can't write. */
export function endsConnection(error: unknown): boolean {
  return !isServerError(error) || endsSession(error) || hasCode(error, READ_ONLY);
}

/** The severity is in the language of the server, so it is not always known. */
function endsSession({ severity, code }: ServerError): boolean {
  return severity === 'FATAL' || END_OF_SESSION_CODES.test(code);
}

/** Returns whether an error of the server, or such a cause of a `DatabaseError`, has a code. */
export function hasCode(thrown: unknown, code: RegExp): boolean {
  const error = thrown instanceof DatabaseError ? thrown.cause : thrown;
  return isServerError(error) && code.test(error.code);
}

/** What a statement commits: `later` if a COMMIT was sent with it, which the server skips if it fails. */
type Commits = 'nothing' | 'itself' | 'transaction' | 'later';

/**
 * Returns the error of a statement for the caller: a `DatabaseError` for an outage, and the error itself otherwise.
 *
 * @param commits what the statement commits. It is unknown whether it was committed if the connection is lost, or if the
 *   server ends the session between a COMMIT and its confirmation.
 * @param statements those that were sent, including the failed one
 */
export function statementError(
  error: unknown,
  commits: Commits,
  statements: readonly Statement[] = [],
): unknown {
  if (error instanceof Error && NOT_SENT.test(error.message)) return unavailable(error);
  const isLost = !isServerError(error) || LOST_BEHIND.test(error.code);
  if (isLost && commits !== 'nothing' && !(commits === 'later' && isWorkerLoss(error)))
    return resultUnknown(error);
  if (!isServerError(error)) return unavailable(error);
  const isEnd = endsSession(error);
  const isUnknown = commits === 'transaction' && (isEnd || UNKNOWN_COMMIT.test(error.code));
  if (error.code === RESULT_UNKNOWN || isUnknown) return resultUnknown(error);
  if (error.code === ABORTED_TRANSACTION) return unavailable();
  const outage = outageOf(error);
  if (outage === undefined && !isEnd) return error;
  const resource = outage === 'lock' ? statements.map(resourceInDetail).find(Boolean) : undefined;
  return unavailable(error, outage, resource);
}

/**
 * Whether Citus has lost a worker, and the session continues. Poolers have one code, and not always the severity FATAL.
 */
function isWorkerLoss(error: unknown): boolean {
  return isServerError(error) && error.severity === 'ERROR' && error.code !== LOST_BY_POOLER;
}

// Two sessions have changed a row of the catalog, for example about an index. It has no separate code, and is not
// translated.
const CATALOG_CONFLICT = /^tuple concurrently (updated|deleted)$/;

/** Returns the outage of a server that can't serve; undefined if it is not the server's. */
export function outageOf(error: unknown): Outage | undefined {
  if (isServerError(error) && error.code === 'XX000' && CATALOG_CONFLICT.test(error.message)) return 'lock';
  return OUTAGES.find(([code]) => hasCode(error, code))?.[1];
}

function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && 'severity' in error && 'code' in error;
}
