import { closeSync, existsSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../model/api-error.ts';
import type { Database, Queryable, Row, Value } from './database.ts';
import { cachedReads } from './sqlite-reads.ts';
import { runner, withOutages } from './sqlite-statements.ts';
import { BUSY_TIMEOUT_MS, groupCommit } from './sqlite-writes.ts';

/** Thrown if the file of a database does not exist. The message is one line. */
export class DatabaseMissingError extends Error {}

/**
 * Opens a database in one SQLite file.
 *
 * There are two connections: what is written goes through the one, and reads through
 * the other, so that a read neither waits for an open transaction nor sees into it.
 * A commit is on disk when its promise resolves.
 *
 * @param create whether to create the file if it does not exist
 * @throws DatabaseMissingError if it does not exist and must not be created
 * @throws UNAVAILABLE if the file cannot be opened
 */
export function openSqlite(path: string, create: boolean): Database {
  if (create) createFile(path);
  else if (!existsSync(path))
    throw new DatabaseMissingError(`There is no database file ${path}. Run "paw migrate".`);
  const { writer, reader } = withOutages(() => {
    // Only while it opens may SQLite itself wait for a lock, since it blocks the event loop.
    const settings = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    const writer = new DatabaseSync(path, settings);
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0');
    const reader = new DatabaseSync(path, { ...settings, readOnly: true });
    reader.exec('PRAGMA busy_timeout = 0');
    return { writer, reader };
  });
  const reads = cachedReads(reader);
  const write = runner(writer);
  const writes = groupCommit(writer, reads.expire);

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

/** Creates the file if it does not exist, with permissions for its owner alone. SQLite's other files get the same ones. */
function createFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unavailable(error);
  }
}
