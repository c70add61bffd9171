import type { Database } from './database.ts';
import { DatabaseUrlError, sqlitePath } from './database-url.ts';
import type { ObservePool, PostgresSettings } from './postgres/open-postgres.ts';
import { openSqlite, type SqliteSettings } from './sqlite/open-sqlite.ts';
import type { ObserveStatement } from './statement-times.ts';

/** Options for opening a database. */
export type OpenSettings = {
  readonly postgres?: PostgresSettings;
  /** Whether to create the SQLite file if it does not exist; the default is true. */
  readonly create?: boolean;
  /** See `SqliteSettings.onFailure`. */
  readonly onFailure?: SqliteSettings['onFailure'];
  /** Is called after each sync of SQLite's write-ahead log. */
  readonly onSync?: SqliteSettings['onSync'];
  /** Observes the PostgreSQL pool. */
  readonly onPool?: ObservePool | undefined;
  readonly onStatement?: ObserveStatement | undefined;
};

const DEFAULT_POSTGRES_SETTINGS: PostgresSettings = { poolSize: 10, timeoutMs: 5000 };

/**
 * Opens the database of a URL. Connections to a PostgreSQL server are opened on first use.
 *
 * @param url `sqlite:<path>` or `postgres://…`
 * @throws DatabaseUrlError if the URL is not that of a supported engine, or has an unknown parameter
 * @throws DatabaseMissingError if the SQLite file does not exist and must not be created
 * @throws UNAVAILABLE if the file cannot be opened
 */
export async function openDatabase(
  url: string,
  {
    postgres = DEFAULT_POSTGRES_SETTINGS,
    create = true,
    onFailure,
    onSync,
    onPool,
    onStatement,
  }: OpenSettings = {},
): Promise<Database> {
  const path = sqlitePath(url);
  if (path !== undefined) return openSqlite(path, { create, onFailure, onSync, onStatement });
  if (/^postgres(ql)?:\/\//.test(url)) {
    // Imported on demand: a start on SQLite is faster without the PostgreSQL driver.
    const { openPostgres } = await import('./postgres/open-postgres.ts');
    return openPostgres(url, postgres, { onPool, onStatement });
  }
  throw new DatabaseUrlError(
    'DATABASE_URL must be sqlite:<path> or postgres://<user>:<password>@<host>:<port>,…/<database>.',
  );
}
