import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, linkSync, openSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { DatabaseMissingError } from './open-sqlite.ts';
import { syncFile } from './sync-file.ts';

/** Thrown if a backup can't be made or restored. The message is one line for the operator. */
export class BackupError extends Error {}

/**
 * Copies a SQLite database to a new file, as it is at the start, while other processes use it. The file has its name
 * only when it is complete and on disk. An interrupted backup leaves a file with `.partial-` in its name.
 *
 * @param path the file of the database
 * @param file the new file, which must not exist
 * @returns the number of pages
 * @throws DatabaseMissingError if the database does not exist
 * @throws BackupError if the new file exists
 */
export async function backUpSqlite(path: string, file: string): Promise<number> {
  if (!existsSync(path)) throw new DatabaseMissingError(`The database file ${path} does not exist.`);
  if (existsSync(file)) throw fileExists(file);
  const partial = `${file}.partial-${randomUUID()}`;
  const source = new DatabaseSync(path, { readOnly: true });
  try {
    // Readable by its owner only, like the database.
    closeSync(openSync(partial, 'wx', 0o600));
    // One snapshot for all steps. Without it, each write of another process would start the backup again.
    source.exec('BEGIN');
    source.prepare('SELECT COUNT(*) FROM sqlite_schema').get();
    const pages = await backup(source, partial);
    syncFile(partial);
    link(partial, file);
    return pages;
  } finally {
    source.close();
    rmSync(partial, { force: true });
  }
}

/** Gives a file a second name, unless another file has it. */
function link(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    throw existsSync(to) ? fileExists(to) : error;
  }
  syncFile(dirname(to));
}

function fileExists(file: string): BackupError {
  return new BackupError(`The file ${file} exists. A backup never overwrites a file.`);
}
