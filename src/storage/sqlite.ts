import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { unavailable } from '../model/api-error.ts';
import type { Database, Queryable, Row, Value } from './database.ts';

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

// How long another process's write is waited for. It blocks the event loop, so it is short.
const BUSY_TIMEOUT_MS = 2000;

/**
 * Opens a database in one SQLite file, which is made if it is missing.
 *
 * There are two connections: what is written goes through the one in turn, and
 * reads through the other, so that a read neither waits for an open transaction
 * nor sees into it. A commit is on disk when its promise resolves.
 *
 * @param path the file
 * @throws UNAVAILABLE if the file cannot be opened
 */
export function openSqlite(path: string): Database {
  makeFolder(dirname(path));
  const { writer, reader } = withOutages(() => {
    const settings = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    const writer = new DatabaseSync(path, settings);
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL');
    const reader = new DatabaseSync(path, { ...settings, readOnly: true });
    return { writer, reader };
  });
  const read = runner(reader);
  const write = runner(writer);
  let last: Promise<unknown> = Promise.resolve();

  /** Runs `work` on the writing connection when all earlier work on it is done. */
  function inTurn<T>(work: () => T | Promise<T>): Promise<T> {
    const result = last.then(work);
    last = result.catch(() => {});
    return result;
  }

  const transaction: Queryable = {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      return write(sql, params) as readonly R[];
    },
  };

  return {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      const rows = sql.startsWith('SELECT') ? read(sql, params) : inTurn(() => write(sql, params));
      return (await rows) as readonly R[];
    },

    transaction: (work) =>
      inTurn(async () => {
        withOutages(() => writer.exec('BEGIN IMMEDIATE'));
        try {
          const result = await work(transaction);
          withOutages(() => writer.exec('COMMIT'));
          return result;
        } finally {
          if (writer.isTransaction) writer.exec('ROLLBACK');
        }
      }),

    async close() {
      await inTurn(() => {
        reader.close();
        writer.close();
      });
    },
  };
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw unavailable(error);
  }
}

/** Runs statements on one connection, each prepared once. */
function runner(connection: DatabaseSync): (sql: string, params: readonly Value[]) => readonly Row[] {
  const statements = new Map<string, StatementSync>();
  return (sql, params) =>
    withOutages(() => {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'));
        statements.set(sql, statement);
      }
      return statement.all(...params) as Row[];
    });
}

function withOutages<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    // The low byte is the primary result code; the rest says more about it.
    const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
    throw OUTAGES.has(code) ? unavailable(error) : error;
  }
}
