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
  readonly read: Execute;
  /** Executes any other statement. It resolves when its changes are durable, or in a transaction with the transaction. */
  readonly write: Execute;
};

export type Statement = { readonly sql: string; readonly params: readonly Value[] };

/** A placeholder in the WHERE clause of the first statement, always true. `onlyIf` replaces it. */
export const IF_ALLOWED = '(TRUE /* and the client may still make changes */)';

// By the texts of the statement and of its condition, of which there is a fixed number.
const CONDITIONAL = new Map<string, Map<string, string>>();

/** Returns a statement with a condition in place of `IF_ALLOWED`: that another statement would return a row. */
export function onlyIf({ sql, params }: Statement, condition: Statement): Statement {
  const known = CONDITIONAL.get(condition.sql) ?? new Map<string, string>();
  CONDITIONAL.set(condition.sql, known);
  const text = known.get(sql) ?? conditional(sql, renumbered(condition.sql, params.length));
  known.set(sql, text);
  return { sql: text, params: [...params, ...condition.params] };
}

function conditional(sql: string, condition: string): string {
  if (!sql.includes(IF_ALLOWED)) throw new Error('The statement has no place for a condition.');
  return sql.replace(IF_ALLOWED, () => `EXISTS (${condition})`);
}

/** Returns the text of a statement whose parameters come after `count` others. */
export function renumbered(sql: string, count: number): string {
  return sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + count}`);
}

/**
 * The end of a SELECT whose rows nobody else may change before the end of the transaction. SQLite has no such clause and
 * needs none, because it has one writer at a time.
 */
export const FOR_SHARE = 'FOR SHARE';

/** The same for rows that nobody else may lock either, but for a reference to them. */
export const FOR_UPDATE = 'FOR NO KEY UPDATE';

/** Executes the statements of `Database.writeIfFirst` one after the other, in a transaction of the caller. */
export async function writeEach<R extends Row>(
  transaction: Queryable,
  [first, ...others]: readonly [Statement, ...Statement[]],
): Promise<readonly R[]> {
  const rows = await transaction.write<R>(first.sql, first.params);
  if (rows.length === 0) return rows;
  for (const { sql, params } of others) await transaction.write(sql, params);
  return rows;
}

export type DatabaseRequest = {
  /** The time at which the work on the request began, as `performance.now()`. */
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
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Executes statements as one transaction: the others are executed if the first returns a row. On
   * PostgreSQL this is one statement, so it takes one round trip, and none of them sees the changes of another. On Citus it
   * is a transaction in two round trips.
   *
   * @param statements each uses all of its parameters; those after the first are `INSERT … VALUES (…)` or
   *   `DELETE … WHERE … AND …`
   * @returns the rows of the first
   */
  writeIfFirst<R extends Row>(statements: readonly [Statement, ...Statement[]]): Promise<readonly R[]>;
  /**
   * Returns this database for one request: on PostgreSQL, all its statements share the timeout. On SQLite, it is the same
   * database: a statement waits only for the write lock, at most 2 s.
   */
  forRequest(request: DatabaseRequest): Database;
};
