/** The value of a column. Times are Unix milliseconds, booleans are 0 or 1. */
export type Value = string | number | null;

/** A row of a result: the values by column name. */
export type Row = Readonly<Record<string, Value>>;

/** A target for SQL statements: a database, or a transaction on it. */
export type Queryable = {
  /**
   * Executes one statement.
   *
   * @param sql the statement, with `$1`, `$2`… as parameters
   * @returns the rows; `R` is the type that the caller declares for them, and is not checked
   * @throws UNAVAILABLE if the database is unavailable
   */
  query<R extends Row>(sql: string, params?: readonly Value[]): Promise<readonly R[]>;
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
   * Checks that every table can be read, that the database can be written, and that its schema is current or
   * compatible, on a connection that is used for nothing else. The result is remembered for a second.
   *
   * @returns the schema version
   * @throws UNAVAILABLE otherwise, with a `DatabaseVersionError` as the cause if the program can't use the schema
   */
  checkReady(): Promise<number>;
  /** Closes all connections after their running statements have finished. */
  close(): Promise<void>;
};
