import type { Database } from './database.ts';
import type { PostgresSettings } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

/** Thrown for a URL that names no engine we have. The message is one line for the operator. */
export class DatabaseUrlError extends Error {}

/**
 * Opens the database that a URL names.
 *
 * @param url `sqlite:<path>`, of a file, or `postgres://…`
 * @throws DatabaseUrlError if it names no engine
 * @throws UNAVAILABLE if the file cannot be opened; a server is only connected to when it is needed
 */
export async function openDatabase(
  url: string,
  settings: PostgresSettings = { poolSize: 10, timeoutMs: 5000 },
): Promise<Database> {
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/.exec(url) ?? [];
  if (path !== undefined && path !== ':memory:') return openSqlite(path);
  if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) {
    // Loaded here, since a start on a file is faster without it.
    const { openPostgres } = await import('./postgres.ts');
    return openPostgres(url, settings);
  }
  // The URL is not repeated, since it may hold a password.
  throw new DatabaseUrlError(
    'DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>/<database>.',
  );
}
