import { existsSync, realpathSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';

/**
 * Opens a file for reads alone, and without trust in it: its schema calls no function that has an effect, and damaged
 * pages are noticed. Without a log, no process uses the file: then it is read without changes, so SQLite creates no log
 * next to it, and it may be on read-only storage.
 */
export function openReadOnly(link: string): DatabaseSync {
  const path = realpathSync(link);
  const url = pathToFileURL(path);
  if (!hasLog(path)) url.searchParams.set('immutable', '1');
  const database = new DatabaseSync(url, { readOnly: true });
  database.exec('PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON');
  return database;
}

/** Returns whether a file has a log next to it, as while a process uses it. */
export function hasLog(link: string): boolean {
  return existsSync(`${realpathSync(link)}-wal`);
}
