import type { Database } from './database.ts';
import { openSqlite } from './sqlite.ts';

/** Thrown for a URL that names no engine we have. */
export class DatabaseUrlError extends Error {}

/**
 * Opens the database that a URL names.
 *
 * @param url `sqlite:<path>`
 * @throws DatabaseUrlError if it names no engine
 * @throws UNAVAILABLE if the database cannot be opened
 */
export async function openDatabase(url: string): Promise<Database> {
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/.exec(url) ?? [];
  // The URL is not repeated, since one of a server holds a password.
  if (path === undefined) throw new DatabaseUrlError('DATABASE_URL must be sqlite:<path>.');
  return openSqlite(path);
}
