import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LATEST_VERSION } from '../migrations.ts';
import { BackupError, removeDatabase } from './backup.ts';
import { findFileProblems, readFileVersion } from './check.ts';
import { createFolder } from './open-sqlite.ts';
import { BUSY, primaryResultCode } from './statements.ts';
import { syncFile } from './sync-file.ts';

/**
 * Replaces a SQLite database by a backup. The backup is copied and the copy is checked first; then the copy gets the
 * name of the database, at once. The old file is not written to, so that another name of it keeps the old database. An
 * interrupted restoration leaves the database as it was, and files with `.restore-` in their names.
 *
 * @param file the backup
 * @param link the file of the database, which may not exist, or a symbolic link to it
 * @returns the schema version of the backup
 * @throws BackupError if the backup is missing, damaged, incomplete or newer than the program, or if another process
 *   uses the database
 */
export function restoreSqlite(file: string, link: string): number {
  if (!existsSync(file)) throw new BackupError(`The file ${file} does not exist.`);
  if (!statSync(file).isFile()) throw new BackupError(`${file} is not a file.`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new BackupError(`The file ${file} is incomplete without ${file}-wal. Use a file of "paw backup".`);
  }
  const path = followLink(link);
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
    removeDatabase(copy);
  }
}

/** Returns the file that a symbolic link leads to, which may not exist, or the path itself if it is none. */
function followLink(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const isLink = existsSync(dirname(path)) && lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? resolve(realpathSync(dirname(path)), readlinkSync(path)) : path;
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
  const unlock = existsSync(path) ? lockUnused(path, `${copy}.lock`) : () => {};
  try {
    // The log of a damaged database would be applied to the new one.
    for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
    renameSync(copy, path);
  } finally {
    unlock();
  }
  syncFile(dirname(path));
}

/**
 * Locks a database that no other process uses.
 *
 * @param name another name for the file, under which SQLite neither writes to the log nor deletes it
 * @returns a function that releases the lock
 */
function lockUnused(path: string, name: string): () => void {
  emptyLog(path);
  linkSync(path, name);
  const database = new DatabaseSync(name, { timeout: 0 });
  const unlock = () => {
    database.close();
    removeDatabase(name);
  };
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    // SQLite can't lock a damaged database.
    if (primaryResultCode(error) === BUSY || hasOtherLocks(path)) {
      unlock();
      throw new BackupError(`Another process uses ${path}. Stop the server first.`);
    }
  }
  return unlock;
}

/** Moves the log of a killed server into the database: without it, an interrupted restoration would lose the log. */
function emptyLog(path: string): void {
  if (!existsSync(`${path}-wal`)) return;
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  } catch {
    // The database is damaged.
  } finally {
    database.close();
  }
}

/** Returns whether other processes have locks on a file. Source: proc(5), /proc/locks, which Linux alone has. */
function hasOtherLocks(path: string): boolean {
  if (!existsSync('/proc/locks')) return false;
  const { ino } = statSync(path);
  const locks = [...readFileSync('/proc/locks', 'utf8').matchAll(/ (\d+) [\da-f]+:[\da-f]+:(\d+) /g)];
  return locks.some(([, id, inode]) => Number(inode) === ino && Number(id) !== process.pid);
}
