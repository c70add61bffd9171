import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  openSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Engine } from '../interface/engine.ts';
import { assertNotNewer } from '../migrations/versions.ts';
import { removeDatabase } from './backup.ts';
import { createFolder, openSqlite } from './open-sqlite.ts';
import { BUSY, primaryResultCode } from './statements.ts';
import { syncFile } from './sync-file.ts';
import { findFileProblems, readFileVersion } from './verify-file.ts';

const FORGET_ADDRESSES = "UPDATE address_pool SET address_count = 0, last_id = ''";

type RestoreOptions = {
  /** Checks the values in the rows. @throws if one is invalid */
  readonly validate: (backup: Engine) => Promise<void>;
  /** Whether wallets can get the addresses that were left. Since the backup, one may have got them. */
  readonly withAddresses: boolean;
};

/**
 * Replaces a SQLite database by a backup. The backup is copied and the copy is checked first; then the copy gets the name
 * of the database, atomically. Another name of the old file keeps the old database. An interrupted restoration leaves the
 * database unchanged, and files with `.restore-` in their names.
 *
 * @param link the file of the database, which may not exist, or a symbolic link to it
 * @returns the schema version of the backup
 * @throws Error if the backup is damaged, incomplete, newer than the program, or has values that the gateway can't have
 *   written, or if another process uses the database
 */
export async function restoreSqlite(
  file: string,
  link: string,
  { validate, withAddresses }: RestoreOptions,
): Promise<number> {
  assertComplete(file);
  const path = followLink(link);
  const folders = createFolder(dirname(path));
  const copy = `${path}.restore-${randomUUID()}`;
  let isRestored = false;
  try {
    copyFileSync(file, copy, constants.COPYFILE_EXCL);
    chmodSync(copy, 0o600);
    const backup = openBackup(copy, file);
    await validate(backup).finally(backup.close);
    const { version } = readFileVersion(copy, file);
    if (!withAddresses) deleteAddresses(copy);
    const isReplaced = existsSync(path);
    if (isReplaced) keepOwner(path, copy);
    syncFile(copy);
    if (isReplaced) removeLog(path);
    renameSync(copy, path);
    syncFile(dirname(path));
    isRestored = true;
    return version;
  } finally {
    removeDatabase(copy);
    if (!isRestored) for (const folder of folders) removeFolder(folder);
  }
}

/** Removes a folder, unless another process has put a file into it. */
function removeFolder(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // It is not empty.
  }
}

/**
 * Checks a backup, and opens it for reads alone.
 *
 * @param name the name of the backup in error messages
 * @throws Error if the backup is damaged, incomplete, newer than the program, or has values that the gateway can't have
 *   written
 */
export function openBackup(file: string, name = file): Engine {
  assertComplete(file);
  const subject = `The file ${name}`;
  const [problem] = findFileProblems(file, subject).lines;
  if (problem !== undefined) throw new Error(`${subject} can't be restored. ${problem}`);
  assertNotNewer(readFileVersion(file, name), subject);
  return openSqlite(file, { isReadOnly: true, create: false });
}

/** Deletes the addresses that are left for wallets from a file that is not in use. */
function deleteAddresses(path: string): void {
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON');
    database.exec(`BEGIN; DELETE FROM address; ${FORGET_ADDRESSES}; COMMIT`);
  } finally {
    database.close();
  }
}

/** @throws Error if it is not a file, or its log may have more than it */
function assertComplete(file: string): void {
  if (!statSync(file).isFile()) throw new Error(`${file} can't be read: it is not a file.`);
  const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  const logs = [file, realpathSync(file)].flatMap((path) => [`${path}-wal`, `${path}-journal`]);
  if (isInWalMode(file) || logs.some((path) => sizeOf(path) > 0)) {
    throw new Error(
      `The file ${file} can be incomplete: it has a log, or was copied without it. Use a file of "paw backup", which makes one from this file with DATABASE_URL=sqlite:${file}.`,
    );
  }
}

/** Returns whether a file has a log, according to its header. A backup has none. Source: sqlite.org/fileformat2.html. */
function isInWalMode(file: string): boolean {
  const header = Buffer.alloc(20);
  const opened = openSync(file, 'r');
  try {
    readSync(opened, header, 0, header.length, 0);
  } finally {
    closeSync(opened);
  }
  return header[18] === 2 || header[19] === 2;
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

/**
 * Moves the log of a killed server into the old database, so nothing is lost if the restoration is interrupted, and
 * removes it, so it is not applied to the new one. A server that has opened a damaged database, which can't be
 * locked, notices that its file is replaced.
 */
function removeLog(path: string): void {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    // Fails if there is any other connection.
    database.exec('PRAGMA journal_mode = DELETE');
  } catch (error) {
    if (primaryResultCode(error) === BUSY) {
      throw new Error(`Another process uses ${path}. Stop the server first.`);
    }
  } finally {
    database.close();
  }
  for (const suffix of ['-wal', '-shm', '-journal']) rmSync(path + suffix, { force: true });
}
