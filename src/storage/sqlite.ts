import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../model/api-error.ts';
import type { Database, Queryable, Row, Value } from './database.ts';
import { cachedReads } from './sqlite-reads.ts';
import { statementRunner, translateErrors } from './sqlite-statements.ts';
import { BUSY_TIMEOUT_MS, groupCommit } from './sqlite-writes.ts';

/** Thrown if the database file does not exist. The message is one line. */
export class DatabaseMissingError extends Error {}

/**
 * Opens a SQLite database file.
 *
 * Writes and reads use separate connections. A read therefore does not wait for an open
 * transaction, and does not see its changes. A write is on disk when its promise resolves.
 *
 * @param create whether to create the file if it does not exist
 * @throws DatabaseMissingError if the file does not exist and `create` is false
 * @throws UNAVAILABLE if the file cannot be opened
 */
export function openSqlite(path: string, create: boolean): Database {
  if (create) createFile(path);
  else if (!existsSync(path))
    throw new DatabaseMissingError(`The database file ${path} does not exist. Run "paw migrate".`);
  const { writer, reader } = translateErrors(() => {
    // SQLite blocks the event loop while it waits for a lock. It may do so only while the file is opened.
    const settings = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    const writer = new DatabaseSync(path, settings);
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0');
    const reader = new DatabaseSync(path, { ...settings, readOnly: true });
    reader.exec('PRAGMA busy_timeout = 0');
    return { writer, reader };
  });
  const reads = cachedReads(reader);
  const write = statementRunner(writer);
  const writes = groupCommit(writer, reads.invalidate);

  const transaction: Queryable = {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      return write(sql, params) as readonly R[];
    },
  };

  return {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      const rows = sql.startsWith('SELECT') ? reads.query(sql, params) : writes.run(() => write(sql, params));
      return (await rows) as readonly R[];
    },

    transaction: (work) => writes.transaction(() => work(transaction)),

    async close() {
      await writes.transaction(async () => {});
      reader.close();
      writer.close();
    },
  };
}

/** Creates the file if it does not exist, readable by its owner only. SQLite gives its WAL files the same permissions. */
function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unavailable(error);
  }
}
