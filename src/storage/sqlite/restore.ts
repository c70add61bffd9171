import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LATEST_VERSION } from '../migrations.ts';
import { BackupError } from './backup.ts';
import { findFileProblems, readFileVersion } from './check.ts';
import { otherLockHolders } from './lock-holders.ts';
import { createFolder } from './open-sqlite.ts';
import { BUSY, primaryResultCode } from './statements.ts';
import { syncFile } from './sync-file.ts';

const HEADER_BYTES = 100;

/**
 * Replaces a SQLite database by a backup. The backup is copied and the copy is checked first; then the copy gets the
 * name of the database, at once. An interrupted restoration leaves the database as it was, and a file with `.restore-`
 * in its name.
 *
 * @param file the backup
 * @param path the file of the database, which may not exist
 * @returns the schema version of the backup
 * @throws BackupError if the backup is missing, damaged, incomplete or newer than the program, or if another process
 *   uses the database
 */
export function restoreSqlite(file: string, path: string): number {
  if (!existsSync(file)) throw new BackupError(`The file ${file} does not exist.`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new BackupError(`The file ${file} is incomplete without ${file}-wal. Use a file of "paw backup".`);
  }
  createFolder(dirname(path));
  const copy = `${path}.restore-${randomUUID()}`;
  try {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
    const version = checkBackup(copy, file);
    syncFile(copy);
    replace(path, copy);
    return version;
  } finally {
    for (const suffix of ['', '-wal', '-shm', '-journal']) rmSync(copy + suffix, { force: true });
  }
}

/** Returns the schema version of an intact backup. @param file the name of the backup in error messages */
function checkBackup(copy: string, file: string): number {
  const [problem] = findFileProblems(copy);
  if (problem !== undefined) throw new BackupError(`The file ${file} can't be restored. ${problem}`);
  const version = readFileVersion(copy);
  if (version === 0) throw new BackupError(`The file ${file} is not a database of this program.`);
  if (version > LATEST_VERSION) {
    throw new BackupError(
      `The file ${file} has schema version ${version}, but this program supports versions up to ${LATEST_VERSION}.`,
    );
  }
  return version;
}

/** Renames `copy` to `path` while no other process uses the database. */
function replace(path: string, copy: string): void {
  if (!existsSync(path)) {
    renameSync(copy, path);
  } else {
    const old = openSync(path, 'r+');
    const unlock = lockUnused(path);
    try {
      // The log of a damaged database would be applied to the new one.
      for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
      renameSync(copy, path);
      // A server that opened the old file meanwhile and waits for the lock must not start on it.
      writeSync(old, Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    } finally {
      unlock();
      closeSync(old);
    }
  }
  syncFile(dirname(path));
}

/**
 * Locks a database that no other process uses, and moves its write-ahead log into it.
 *
 * @returns a function that releases the lock
 */
function lockUnused(path: string): () => void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // This needs to be the only connection. It also deletes the write-ahead log.
    database.exec('PRAGMA journal_mode = DELETE');
    database.exec('BEGIN EXCLUSIVE');
    return () => database.close();
  } catch (error) {
    database.close();
    // SQLite can't lock a damaged database.
    const isBusy = primaryResultCode(error) === BUSY;
    if (isBusy || otherLockHolders(path).length > 0 || otherLockHolders(`${path}-shm`).length > 0) {
      throw new BackupError(`Another process uses ${path}. Stop the server first.`);
    }
    return () => {};
  }
}
