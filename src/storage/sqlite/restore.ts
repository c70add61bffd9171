import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { LATEST_VERSION } from '../migrations/migrations.ts';
import type { Row, Value } from '../port/database.ts';
import type { Engine } from '../port/engine.ts';
import { removeDatabase } from './backup.ts';
import { BackupError, findFileProblems, readFileVersion } from './check.ts';
import { createFolder } from './open-sqlite.ts';
import { BUSY, primaryResultCode, statementRunner } from './statements.ts';
import { syncFile } from './sync-file.ts';

/**
 * Replaces a SQLite database by a backup. The backup is copied and the copy is checked first; then the copy gets the
 * name of the database, at once. Another name of the old file keeps the old database. An interrupted restoration leaves
 * the database as it was, and files with `.restore-` in their names.
 *
 * @param link the file of the database, which may not exist, or a symbolic link to it
 * @returns the schema version of the backup
 * @throws BackupError if the backup is missing, damaged, incomplete or newer than the program, or if another process
 *   uses the database
 */
export function restoreSqlite(file: string, link: string): number {
  assertComplete(file);
  const path = followLink(link);
  createFolder(dirname(path));
  const copy = `${path}.restore-${randomUUID()}`;
  try {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
    const version = checkBackup(copy, file);
    const isReplaced = existsSync(path);
    if (isReplaced) keepOwner(path, copy);
    syncFile(copy);
    if (isReplaced) removeLog(path);
    renameSync(copy, path);
    syncFile(dirname(path));
    return version;
  } finally {
    removeDatabase(copy);
  }
}

/**
 * Checks a backup, and opens it for reads alone.
 *
 * @throws BackupError if the backup is missing, damaged, incomplete or newer than the program
 */
export function openBackup(file: string): Pick<Engine, 'read' | 'close'> {
  assertComplete(file);
  checkBackup(file);
  const connection = new DatabaseSync(file, { readOnly: true });
  // All reads see the file as it is at the first one.
  connection.exec('BEGIN');
  const execute = statementRunner(connection);
  return {
    read: async <R extends Row>(sql: string, params?: readonly Value[]) =>
      execute(sql, params) as readonly R[],
    close: async () => connection.close(),
  };
}

function assertComplete(file: string): void {
  if (!existsSync(file)) throw new BackupError(`The file ${file} does not exist.`);
  if (!statSync(file).isFile()) throw new BackupError(`${file} is not a file.`);
  if ((statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) {
    throw new BackupError(`The file ${file} is incomplete without ${file}-wal. Use a file of "paw backup".`);
  }
}

/** Gives the copy the owner and the mode of the old file. The operator who restores is often root, and the server is not. */
function keepOwner(path: string, copy: string): void {
  const { uid, gid, mode } = statSync(path);
  chownSync(copy, uid, gid);
  chmodSync(copy, mode);
}

/** Returns the file that a symbolic link leads to, which may not exist, or the path itself if it is none. */
function followLink(path: string): string {
  if (existsSync(path)) return realpathSync(path);
  const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink();
  return isLink ? resolve(realpathSync(dirname(path)), readlinkSync(path)) : path;
}

/** Returns the schema version of an intact backup. @param file the name of the backup in error messages */
function checkBackup(copy: string, file = copy): number {
  const [problem] = findFileProblems(copy).lines;
  if (problem !== undefined) throw new BackupError(`The file ${file} can't be restored. ${problem}`);
  const version = readFileVersion(copy, file);
  if (version > LATEST_VERSION) {
    throw new BackupError(
      `The file ${file} has schema version ${version}, but this program supports versions up to ${LATEST_VERSION}.`,
    );
  }
  return version;
}

/**
 * Moves the log of a killed server into the old database, so that nothing is lost if the restoration is interrupted, and
 * removes it, so that it is not applied to the new one. A server that has opened a damaged database, which can't be
 * locked, notices that its file is replaced.
 */
function removeLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Fails if there is any other connection.
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (primaryResultCode(error) === BUSY) {
      throw new BackupError(`Another process uses ${path}. Stop the server first.`);
    }
  } finally {
    database.close();
  }
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
