import type { Ulid } from '../../model/resource-name.ts';

/** The value of a column. Times are Unix milliseconds, booleans are 0 or 1. */
export type Value = string | number | null;

/** A row of a result: the values by column name. */
export type Row = Readonly<Record<string, Value>>;

/**
 * Executes one statement.
 *
 * @param sql the statement, with `$1`, `$2`… as parameters; one SELECT can end with FOR SHARE or FOR NO KEY UPDATE
 * @returns the rows; `R` is the type that the caller declares for them, and is not checked
 */
export type Execute = <R extends Row>(sql: string, params?: readonly Value[]) => Promise<readonly R[]>;

/**
 * A target for SQL statements: a database, or a transaction on it. Its methods, and all functions that call them, reject
 * with UNAVAILABLE if the database is unavailable.
 */
export type Queryable = {
  readonly read: Execute;
  /** Executes any other statement. It resolves when its changes are durable, or in a transaction with the transaction. */
  readonly write: Execute;
};

export type Statement = { readonly sql: string; readonly params: readonly Value[] };

/**
 * Returns the text of a change. The function is a constant of its module, and the key of its cached text: each of its
 * parameters is always a value, or always the same column.
 *
 * @param names the names of the parameters: `$1` and so on for the first change
 * @param condition a part of its WHERE clause, or of `insertedRow`
 */
export type ConditionalSql = (names: readonly string[], condition: string) => string;

/** A parameter of a later change of `Database.writeIfFirst`: the value of a column of the row that the first one returns. */
export type ColumnOfFirst = { readonly column: string };

/**
 * A statement that is executed with others, or under a condition: see `Database.writeIfFirst` and `withCondition`. Its first
 * parameters are the account, whose turn it takes and whose node it is executed on, and what identifies its row in the
 * account, which others wait for.
 */
export type Change = {
  readonly sql: ConditionalSql;
  readonly params: readonly [accountId: Ulid, row: Value | ColumnOfFirst, ...(Value | ColumnOfFirst)[]];
};

export type DatabaseRequest = {
  /** When the work on the request began, as `performance.now()`. */
  readonly startMs: number;
};

/**
 * The port of the operations to the database. Each statement is written once and runs on both engines, SQLite and PostgreSQL.
 */
export type Database = Queryable & {
  /**
   * Runs `work` in one transaction. The transaction is committed when `work` resolves, and rolled
   * back when it rejects. Only statements on the argument of `work` are part of the transaction.
   * `work` can run more than once: PostgreSQL retries it after a serialization failure or a deadlock.
   *
   * @param account whose turn it takes; undefined for the work of an operator. PostgreSQL takes it from the first statement.
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>, account?: string): Promise<T>;
  /**
   * Executes changes as one transaction: the others are made if the first returns a row. On PostgreSQL this is one statement,
   * so it takes one round trip, and none of them sees the changes of another. On Citus it is a transaction in two round trips.
   *
   * @param changes each uses all of its parameters; the first returns at most one row if a later one has a `ColumnOfFirst`
   * @returns the rows of the first
   */
  writeIfFirst<R extends Row>(changes: readonly [Change, ...Change[]]): Promise<readonly R[]>;
  /**
   * Returns this database for one request: on PostgreSQL, all its statements share the timeout. On SQLite, it is the same
   * database: a statement waits only for the write lock, at most 2 s.
   */
  forRequest(request: DatabaseRequest): Database;
};
