/** The value of a column. Times are Unix milliseconds, booleans are 0 or 1. */
export type Value = string | number | null;

/** A row of a result: the values by column name. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Executes one statement.
 *
 * @param sql the statement, with `$1`, `$2`… as parameters
 * @returns the rows; `R` is the type that the caller declares for them, and is not checked
 * @throws UNAVAILABLE if the database is unavailable
 */
export type Execute = <R extends Row>(sql: string, params?: readonly Value[]) => Promise<readonly R[]>;

/** A target for SQL statements: a database, or a transaction on it. */
export type Queryable = {
  /** Executes a SELECT. */
  readonly read: Execute;
  /** Executes any other statement. It resolves when its changes are durable, or in a transaction with the transaction. */
  readonly write: Execute;
};

/** Ends a transaction that is rolled back, although nothing has failed in it. */
export class RolledBack extends Error {}

/** A statement that inserts one row. Created once, by `insertStatement`. */
export type InsertStatement = {
  /** The statement, with a parameter for each column. */
  readonly sql: string;
  /** Returns the statement with the parameters after the first `count`, which inserts only under a condition. */
  conditional(count: number, condition: string): string;
};

/** A row to insert in the transaction of another statement. */
export type Insertion = {
  readonly statement: InsertStatement;
  /** A value for each column. */
  readonly values: readonly Value[];
};

/** Returns the statement that inserts one row. @param onConflict the clause for a row with the same key */
export function insertStatement(
  table: string,
  columns: readonly string[],
  onConflict: string,
): InsertStatement {
  const into = `INSERT INTO ${table} (${columns.join(', ')})`;
  const parameters = (count: number) => columns.map((_, index) => `$${count + index + 1}`).join(', ');
  return {
    sql: `${into} VALUES (${parameters(0)}) ${onConflict}`,
    conditional: (count, condition) => `${into} SELECT ${parameters(count)} WHERE ${condition} ${onConflict}`,
  };
}

/** Executes a statement and, if it returns a row, an insertion, both in a transaction of the caller. */
export async function queryThenInsert<R extends Row>(
  transaction: Queryable,
  sql: string,
  params: readonly Value[],
  { statement, values }: Insertion,
): Promise<readonly R[]> {
  const rows = await transaction.write<R>(sql, params);
  if (rows.length > 0) await transaction.write(statement.sql, values);
  return rows;
}

/** The request for which a database is used. */
export type DatabaseRequest = {
  /** The time at which the work on the request began, as `performance.now()`. */
  readonly startMs: number;
  /** Whether the client has gone, so that nobody waits for the response. */
  readonly isGone: boolean;
};

/** The port to the database. Each statement is written once and runs on both engines, SQLite and PostgreSQL. */
export type Database = Queryable & {
  /**
   * Runs `work` in one transaction. The transaction is committed when `work` resolves, and rolled
   * back when it rejects. Only statements on the argument of `work` are part of the transaction.
   * `work` can run more than once: PostgreSQL retries it after a serialization failure or a deadlock.
   *
   * @throws UNAVAILABLE if the database is unavailable
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Executes a statement with RETURNING and, if it returns a row, an insertion, as one transaction. On PostgreSQL, this
   * is one statement, so it takes one round trip.
   *
   * @param sql the statement; it uses each of `params`
   * @throws UNAVAILABLE if the database is unavailable
   */
  queryAndInsert<R extends Row>(
    sql: string,
    params: readonly Value[],
    insertion: Insertion,
  ): Promise<readonly R[]>;
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
   * client has gone. On SQLite, it is the same database: a statement waits for nothing but the write lock, for at most 2 s.
   */
  during(request: DatabaseRequest): Database;
  /** Closes all connections after their running statements have finished. */
  close(): Promise<void>;
};
