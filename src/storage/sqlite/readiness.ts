import { rmSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { unavailable } from '../interface/database-error.ts';
import { assertUsable } from '../migrations/versions.ts';
import { FIND_COLUMNS, READ_TABLES } from '../tables/readiness.ts';
import { BUSY, primaryResultCode } from './statements.ts';
import { schemaOf } from './verify-file.ts';

// The space that the disk must have after it was full: more than nearly every write needs.
const SPACE_BYTES = 1_000_000;

/** Checks whether a database can be used, through a separate connection, which the first check opens. */
export class ReadinessCheck {
  readonly #path: string;
  readonly #needsSpace: () => boolean;
  #connection: DatabaseSync | undefined;

  /** @param needsSpace returns whether the last write has failed, as it does on a full disk */
  constructor(path: string, needsSpace: () => boolean) {
    this.#path = path;
    this.#needsSpace = needsSpace;
  }

  /** See `Engine.checkReady`. */
  run(): void {
    try {
      this.#connection ??= new DatabaseSync(this.#path, { timeout: 0 });
      const connection = this.#connection;
      // Empties the page cache, so the pages are read from the file.
      connection.exec('PRAGMA shrink_memory');
      assertUsable(schemaOf(connection));
      connection.prepare(FIND_COLUMNS);
      connection.prepare(READ_TABLES).get();
      assertWritable(connection);
      if (this.#needsSpace()) assertSpace(`${this.#path}.space-${process.pid}`);
    } catch (error) {
      this.close();
      throw unavailable(error);
    }
  }

  close(): void {
    this.#connection?.close();
    this.#connection = undefined;
  }
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

/** Writes a file and removes it. A small commit would succeed on a full disk, in the space of a larger one that has failed. */
function assertSpace(file: string): void {
  try {
    writeFileSync(file, Buffer.alloc(SPACE_BYTES), { mode: 0o600 });
  } finally {
    rmSync(file, { force: true });
  }
}
