/** What a column may hold. Times are Unix milliseconds, booleans 0 or 1. */
export type Value = string | number | null;

/** One row of a result, by column name. */
export type Row = Readonly<Record<string, Value>>;

/** Something that SQL can be sent to: a database, or a transaction on it. */
export type Queryable = {
  /**
   * Runs one statement.
   *
   * @param sql the statement, with `$1`, `$2`… for its parameters
   * @returns its rows; `R` is the caller's word for the columns it names
   * @throws UNAVAILABLE if the database cannot answer at the moment
   */
  query<R extends Row>(sql: string, params?: readonly Value[]): Promise<readonly R[]>;
};

/** The port to the database. SQL is written once and runs on every engine behind it. */
export type Database = Queryable & {
  /**
   * Runs `work` in one transaction, which is committed when it returns and rolled
   * back when it throws. Only the queryable that it is given takes part.
   *
   * @throws UNAVAILABLE if the database cannot answer at the moment
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /** Ends all connections, once what runs on them has finished. */
  close(): Promise<void>;
};
