import type { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../model/api-error.ts';
import type { Row, Value } from './database.ts';

// Result codes by which SQLite says that it cannot answer, not that it was
// asked wrongly. Source: sqlite.org/rescode.html.
const OUTAGES = new Set([
  5, // BUSY
  6, // LOCKED
  7, // NOMEM
  8, // READONLY
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
  26, // NOTADB
]);

/** Runs a statement, and returns its rows. */
export type Runner = (sql: string, params: readonly Value[]) => readonly Row[];

/** Runs statements on one connection, each prepared once. */
export function runner(connection: DatabaseSync): Runner {
  const statements = new Map<string, (params: readonly Value[]) => readonly Row[]>();
  return (sql, params) =>
    withOutages(() => {
      let run = statements.get(sql);
      if (run === undefined) {
        run = prepare(connection, sql);
        statements.set(sql, run);
      }
      return run(params);
    });
}

function prepare(connection: DatabaseSync, sql: string): (params: readonly Value[]) => readonly Row[] {
  const statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'));
  const columns = statement.columns().map(({ name }) => name);
  // Rows of its own making are objects without a prototype, which V8 is slow with.
  statement.setReturnArrays(true);
  return (params) =>
    (statement.all(...params) as unknown as readonly Value[][]).map((values) => rowOf(columns, values));
}

function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value> = {};
  for (let n = 0; n < columns.length; n += 1) row[columns[n] as string] = values[n] as Value;
  return row;
}

/** Throws UNAVAILABLE if that is what SQLite says. */
export function withOutages<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw OUTAGES.has(primaryCode(error)) ? unavailable(error) : error;
  }
}

/** The low byte of an error's result code; the rest only says more about it. */
export function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
