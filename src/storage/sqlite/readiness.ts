import { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../../model/api-error.ts';
import { READ_TABLES, READINESS_LIFETIME_MS } from '../readiness.ts';
import { remembered } from '../remembered.ts';
import { assertUsable, FIND_SCHEMA_VERSION, NO_SCHEMA, type SchemaVersion } from '../schema-version.ts';
import { BUSY, primaryResultCode } from './statements.ts';

/** Checks whether a SQLite database can be used. */
export type SqliteReadiness = {
  /** See `Database.checkReady`. */
  check(): Promise<void>;
  close(): void;
};

/**
 * Returns the readiness check of a database, which opens a connection of its own when it is first called.
 *
 * @param path the file
 * @param checkFiles throws UNAVAILABLE if the file was deleted or replaced
 */
export function sqliteReadiness(path: string, checkFiles: () => void): SqliteReadiness {
  let connection: DatabaseSync | undefined;

  function close(): void {
    connection?.close();
    connection = undefined;
  }

  return {
    check: remembered(async () => {
      checkFiles();
      try {
        connection ??= new DatabaseSync(path, { timeout: 0 });
        // Empties the page cache, so that the pages are read from the file.
        connection.exec('PRAGMA shrink_memory');
        const schema = connection.prepare(FIND_SCHEMA_VERSION).get() as SchemaVersion | undefined;
        assertUsable(schema ?? NO_SCHEMA);
        connection.prepare(READ_TABLES).get();
        assertWritable(connection);
      } catch (error) {
        close();
        throw unavailable(error);
      }
    }, READINESS_LIFETIME_MS),
    close,
  };
}

/** Takes and releases the write lock, which is not possible on a read-only database. */
function assertWritable(connection: DatabaseSync): void {
  try {
    connection.exec('BEGIN IMMEDIATE');
  } catch (error) {
    // Another connection is writing.
    if (primaryResultCode(error) === BUSY) return;
    throw error;
  }
  connection.exec('ROLLBACK');
}
