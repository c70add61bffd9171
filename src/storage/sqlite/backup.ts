import { randomUUID } from 'node:crypto';
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  linkSync,
  openSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { openReadOnly } from './open-read-only.ts';
import { DatabaseMissingError } from './open-sqlite.ts';
import { syncFile } from './sync-file.ts';
import { readFileVersion } from './verify-file.ts';

/**
 * Copies a SQLite database, in its state at the start, to a new file while other processes use it. The copy has no free
 * pages, so it contains no deleted data. The file has its name only when it is complete and on disk. An interrupted
 * backup leaves a file with `.partial-` in its name.
 *
 * @param file the new file, which must not exist
 * @returns the size of the file, in bytes
 * @throws DatabaseMissingError if the database does not exist
 * @throws Error if the new file exists, or the database has no tables of the gateway
 */
export function backUpSqlite(path: string, file: string): number {
  if (!existsSync(path)) throw new DatabaseMissingError(`The database file ${path} does not exist.`);
  if (existsSync(file)) throw new Error(`The file ${file} exists. A backup never overwrites a file.`);
  readFileVersion(path);
  const partial = `${file}.partial-${randomUUID()}`;
  // On read-only storage, SQLite can't make the log that it reads with.
  const source = isWritable(dirname(realpathSync(path)))
    ? new DatabaseSync(path, { readOnly: true })
    : openReadOnly(path);
  try {
    // Readable by its owner only, like the database.
    closeSync(openSync(partial, 'wx', 0o600));
    source.prepare('VACUUM INTO ?').run(partial);
    syncFile(partial);
    // Fails if the file exists now.
    linkSync(partial, file);
    syncFile(dirname(file));
    return statSync(file).size;
  } finally {
    source.close();
    removeDatabase(partial);
  }
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Removes the file of a database, and the files that SQLite has created next to it. */
export function removeDatabase(path: string): void {
  for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
