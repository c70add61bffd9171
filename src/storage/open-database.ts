import { DatabaseUrlError, sqlitePath, URL_FORMS } from './database-url.ts';
import type { Engine } from './interface/engine.ts';
import type { PostgresObservers, PostgresSettings } from './postgres/open-postgres.ts';
import { openSqlite, type SqliteSettings } from './sqlite/open-sqlite.ts';

/** Options for opening a database. By default, a SQLite file is created if it does not exist. */
export type OpenSettings = Partial<SqliteSettings> &
  PostgresObservers & { readonly postgres?: PostgresSettings };

const DEFAULT_POSTGRES_SETTINGS: PostgresSettings = { poolSize: 10, timeoutMs: 5000 };

/**
 * Opens the database of a URL. Connections to a PostgreSQL server are opened on first use.
 *
 * @throws DatabaseUrlError if the URL does not name a supported engine, or has an unknown parameter
 * @throws DatabaseMissingError if the SQLite file does not exist and must not be created
 * @throws UNAVAILABLE if the file cannot be opened
 */
export async function openDatabase(
  url: string,
  { postgres = DEFAULT_POSTGRES_SETTINGS, create = true, ...observers }: OpenSettings = {},
): Promise<Engine> {
  const path = sqlitePath(url);
  if (path !== undefined) return openSqlite(path, { create, ...observers });
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Imported on demand: a start on SQLite is faster without the PostgreSQL driver.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(url, postgres, observers);
  }
  throw new DatabaseUrlError(URL_FORMS);
}
