/** The value of a column. Times are Unix milliseconds, booleans are 0 or 1. */
export type Value = string | number | null;

/** A row of a result: the values by column name. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Executes one statement.
 *
 * @param sql the statement, with `$1`, `$2`… as parameters
 * @returns the rows; `R` is the type that the caller declares for them, and is not checked
 */
export type Execute = <R extends Row>(sql: string, params?: readonly Value[]) => Promise<readonly R[]>;

/**
 * A target for SQL statements: a database, or a transaction on it. Its methods, and all functions that call them, reject
 * with UNAVAILABLE if the database is unavailable.
 */
export type Queryable = {
  /** Executes a SELECT. */
  readonly read: Execute;
  /** Executes any other statement. It resolves when its changes are durable, or in a transaction with the transaction. */
  readonly write: Execute;
};

/** A statement with the values of its parameters. */
export type Statement = { readonly sql: string; readonly params: readonly Value[] };

/**
 * A condition that is true. Each statement of `Database.writeAll` after the first has it, so that a driver can replace it
 * by one on the result of the first.
 */
export const IF_FIRST = '(TRUE /* and the first statement has returned a row */)';

/**
 * The end of a SELECT whose rows nobody else may change before the end of the transaction. SQLite has no such clause and
 * needs none, because it has one writer at a time.
 */
export const FOR_SHARE = 'FOR SHARE';

/** Executes the statements of `Database.writeAll` one after the other, in a transaction of the caller. */
export async function writeEach<R extends Row>(
  transaction: Queryable,
  [first, ...others]: readonly [Statement, ...Statement[]],
): Promise<readonly R[]> {
  const rows = await transaction.write<R>(first.sql, first.params);
  if (rows.length === 0) return rows;
  for (const { sql, params } of others) await transaction.write(sql, params);
  return rows;
}

/** The request for which a database is used. */
export type DatabaseRequest = {
  /** The time at which the work on the request began, as `performance.now()`. */
  readonly startMs: number;
  /** Whether the client has disconnected, so that nobody waits for the response. */
  readonly isGone: boolean;
};

/** The port to the database. Each statement is written once and runs on both engines, SQLite and PostgreSQL. */
export type Database = Queryable & {
  /**
   * Runs `work` in one transaction. The transaction is committed when `work` resolves, and rolled
   * back when it rejects. Only statements on the argument of `work` are part of the transaction.
   * `work` can run more than once: PostgreSQL retries it after a serialization failure or a deadlock.
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Executes statements as one transaction: the others are executed if the first returns a row. On
   * PostgreSQL this is one statement, so it takes one round trip, and none of them sees the changes of another.
   *
   * @param statements each uses all of its parameters, and those after the first have the condition `IF_FIRST`
   * @returns the rows of the first
   */
  writeAll<R extends Row>(statements: readonly [Statement, ...Statement[]]): Promise<readonly R[]>;
  /**
   * Checks that every table can be read, that the database can be written, and that its schema is current or
   * compatible, on a connection that is used for nothing else. The result is remembered for a second.
   *
   * @throws UNAVAILABLE otherwise, with a `DatabaseVersionError` as the cause if the program can't use the schema
   */
  checkReady(): Promise<void>;
  /**
   * The statements with which a transaction keeps others from migrating; none if every transaction does so. If they fail
   * with the fault `lock`, another one is migrating.
   */
  readonly migrationLock: readonly string[];
  /**
   * Returns this database for one request: on PostgreSQL, all its statements share the timeout, and none is begun after the
   * client has disconnected. On SQLite, it is the same database: a statement waits only for the write lock, at most 2 s.
   */
  during(request: DatabaseRequest): Database;
  /** Resolves when all that reads have returned is durable. On SQLite, they can see a change shortly before it is on disk. */
  synced(): Promise<void>;
  /** Closes all connections after their running statements have finished. */
  close(): Promise<void>;
};
