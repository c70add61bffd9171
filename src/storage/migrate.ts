import { readdirSync, readFileSync } from 'node:fs';
import { ApiError } from '../model/api-error.ts';
import type { Database, Queryable } from './database.ts';
import { loadPageTokenKey } from './page-token-key.ts';

/** The result of a migration. */
export type MigrationResult = {
  /** The schema version after it. */
  readonly version: number;
  /** The names of the migrations that were applied, such as `0001-initial`. */
  readonly applied: readonly string[];
};

type Migration = { readonly version: number; readonly name: string; readonly statements: readonly string[] };

const MAX_ATTEMPTS = 3;

const FOLDER = new URL('migrations/', import.meta.url);

const CREATE_TABLE =
  'CREATE TABLE IF NOT EXISTS schema_migration (version INTEGER PRIMARY KEY, apply_time_ms BIGINT NOT NULL)';

const FIND_VERSION = 'SELECT MAX(version) AS version FROM schema_migration';

const INSERT = 'INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)';

// SQLite has one result code for all errors in SQL. Source: PostgreSQL, appendix A (undefined_table).
const UNDEFINED_TABLE = '42P01';
const NO_SUCH_TABLE = /^no such table/;

/** Thrown if the schema version of the database is not that of the program. The message is one line. */
export class DatabaseVersionError extends Error {}

/**
 * Applies the missing migrations to the database. If the schema is current, the database is only
 * read. If several processes migrate at the same time, one of them applies the migrations.
 *
 * @param now the current time, in Unix milliseconds
 * @throws DatabaseVersionError if the database is newer than the program
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function migrate(database: Database, now: number): Promise<MigrationResult> {
  const migrations = readMigrations();
  for (let attempt = 1; ; attempt += 1) {
    try {
      const version = await readVersion(database);
      const applied = version === migrations.length ? [] : await apply(database, migrations, now);
      return { version: migrations.length, applied };
    } catch (error) {
      // If two processes migrate at the same time, one of them fails with a duplicate table or a duplicate key,
      // and retries. Not every engine has a lock for this.
      const isFinal = error instanceof DatabaseVersionError || error instanceof ApiError;
      if (attempt === MAX_ATTEMPTS || isFinal) throw error;
    }
  }
}

let cachedLatestVersion: number | undefined;

/** Returns the schema version that this program uses. */
export function latestVersion(): number {
  cachedLatestVersion ??= readdirSync(FOLDER).length;
  return cachedLatestVersion;
}

/**
 * Checks that the schema of the database is current. Does not change the database.
 *
 * @param subject the name of the database in the error message
 * @throws DatabaseVersionError if a migration is needed or the database is newer than the program
 */
export async function assertCurrent(database: Database, subject = 'The database'): Promise<void> {
  const latest = latestVersion();
  const version = await readVersion(database);
  if (version > latest) throw newerDatabase(version, latest);
  if (version < latest) {
    const state = version === 0 ? 'has no tables' : `has schema version ${version} of ${latest}`;
    throw new DatabaseVersionError(`${subject} ${state}. Run "paw migrate".`);
  }
}

async function apply(
  database: Database,
  migrations: readonly Migration[],
  now: number,
): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    await transaction.query(CREATE_TABLE);
    const current = await selectVersion(transaction);
    if (current > migrations.length) throw newerDatabase(current, migrations.length);
    const missing = migrations.slice(current);
    for (const { version, statements } of missing) {
      // Inserted first: its key makes a concurrent process wait here until this transaction ends.
      await transaction.query(INSERT, [version, now]);
      for (const statement of statements) await transaction.query(statement);
    }
    // So that no command that only reads has to create it.
    await loadPageTokenKey(transaction);
    return missing.map(({ name }) => name);
  });
}

function newerDatabase(version: number, latest: number): DatabaseVersionError {
  return new DatabaseVersionError(
    `The database has schema version ${version}, but this program supports versions up to ${latest}. Use a newer program.`,
  );
}

/** Returns the schema version of the database, 0 if it has no tables. */
async function readVersion(database: Queryable): Promise<number> {
  try {
    return await selectVersion(database);
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    return 0;
  }
}

function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === UNDEFINED_TABLE) || NO_SUCH_TABLE.test(error.message);
}

async function selectVersion(database: Queryable): Promise<number> {
  const [row] = await database.query<{ version: number | null }>(FIND_VERSION);
  return row?.version ?? 0;
}

/** Reads the files `<version>-<name>.sql`. Versions are consecutive and start at 1. */
function readMigrations(): readonly Migration[] {
  const files = readdirSync(FOLDER).sort();
  return files.map((file, index) => {
    const version = Number.parseInt(file, 10);
    if (version !== index + 1) throw new Error(`The migration ${file} is out of sequence.`);
    const statements = readFileSync(new URL(file, FOLDER), 'utf8').split(/;\s*\n/);
    return {
      version,
      name: file.replace(/\.sql$/, ''),
      statements: statements.filter((statement) => statement.trim() !== ''),
    };
  });
}
