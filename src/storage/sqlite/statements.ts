import type { DatabaseSync } from 'node:sqlite';
import type { Row, Value } from '../interface/database.ts';
import { DatabaseError, unavailable } from '../interface/database-error.ts';

/** The primary result code if another connection holds a lock. Source: sqlite.org/rescode.html. */
export const BUSY = 5;

const LOCK_CODES = new Set([
  BUSY,
  6, // LOCKED
]);

// Primary result codes of a disk that is full, or that limits the size of a file.
const DISK_CODES = [10, 13]; // IOERR, FULL

// Primary result codes of an unavailable database, as opposed to an invalid statement. Source: sqlite.org/rescode.html.
const OUTAGE_CODES = new Set([
  7, // NOMEM
  8, // READONLY
  11, // CORRUPT
  14, // CANTOPEN
  15, // PROTOCOL
  26, // NOTADB
  ...DISK_CODES,
]);

/** Executes a statement and returns its rows. @throws UNAVAILABLE if the database is unavailable */
export type RunStatement = <R extends Row>(sql: string, params?: readonly Value[]) => readonly R[];

/** Returns a function that executes statements on a connection. Each statement is prepared once. */
export function statementRunner(connection: DatabaseSync): RunStatement {
  const statements = new Map<string, (params: readonly Value[]) => readonly Row[]>();
  const path = connection.location();
  return <R extends Row>(sql: string, params: readonly Value[] = []) =>
    translateErrors(path, () => {
      let run = statements.get(sql);
      if (run === undefined) {
        run = prepare(connection, sql);
        statements.set(sql, run);
      }
      return run(params) as readonly R[];
    });
}

function prepare(connection: DatabaseSync, sql: string): (params: readonly Value[]) => readonly Row[] {
  // `$1` would be a name, and not a position. With one writer at a time, no lock of a row is needed.
  const text = sql.replaceAll(/\$(\d+)/g, '?$1').replace(/ FOR (SHARE|NO KEY UPDATE)\b/, '');
  const statement = connection.prepare(text);
  const columns = statement.columns().map(({ name }) => name);
  // node:sqlite returns rows as objects without a prototype, which are slow in V8. Arrays avoid them.
  statement.setReturnArrays(true);
  return (params) =>
    (statement.all(...params) as unknown as readonly Value[][]).map((values) => toRow(columns, values));
}

function toRow(columns: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value> = {};
  for (let n = 0; n < columns.length; n += 1) row[columns[n] as string] = values[n] as Value;
  return row;
}

/** Runs `work` on a file and translates outages of SQLite to UNAVAILABLE, which name it. Other errors are thrown unchanged. */
export function translateErrors<T>(path: string | null, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const code = primaryResultCode(error);
    if (LOCK_CODES.has(code)) throw unavailable(error, 'lock');
    if (!OUTAGE_CODES.has(code) || !Error.isError(error)) throw error;
    throw unavailable(Object.assign(error, { message: `${error.message}. The file is ${path}` }));
  }
}

/** Returns whether the disk has refused a write: it is full, or limits the size of a file. */
export function isDiskError(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && DISK_CODES.includes(primaryResultCode(thrown.cause));
}

/** Returns the primary result code of an error, the low byte of its extended result code. 0 if it has none. */
export function primaryResultCode(error: unknown): number {
  return Error.isError(error) && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
