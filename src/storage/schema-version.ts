import type { Queryable } from './database.ts';
import { latestVersion } from './migrations.ts';

/** The version of a schema, and the oldest version whose program can use it. */
export type SchemaVersion = { readonly version: number; readonly compatible_from: number };

/** Thrown if the program can't use the schema of the database. The message is one line. */
export class DatabaseVersionError extends Error {}

const FIND_VERSION = 'SELECT MAX(version) AS version FROM schema_migration';

/** Selects a `SchemaVersion`. */
export const FIND_COMPATIBLE_VERSION =
  'SELECT MAX(version) AS version, MAX(compatible_from) AS compatible_from FROM schema_migration';

// SQLite has one result code for all errors in SQL. Source: PostgreSQL, appendix A (undefined_table).
const UNDEFINED_TABLE = '42P01';
const NO_SUCH_TABLE = /^no such table/;

/** Returns the schema version of the database, 0 if it has no tables. @throws UNAVAILABLE */
export async function readVersion(database: Queryable): Promise<number> {
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

/** Returns the schema version of a database that has the table of migrations, 0 if this is empty. */
export async function selectVersion(database: Queryable): Promise<number> {
  const [row] = await database.read<{ version: number | null }>(FIND_VERSION);
  return row?.version ?? 0;
}

/**
 * Checks that a server can use the database: that the schema is current, or newer and compatible.
 *
 * @returns the schema version
 * @throws DatabaseVersionError otherwise
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function assertUsable(database: Queryable): Promise<number> {
  const version = await readVersion(database);
  // A schema that is not newer can be empty.
  if (version <= latestVersion()) return checkVersion({ version, compatible_from: version });
  const [row] = await database.read<SchemaVersion>(FIND_COMPATIBLE_VERSION);
  return checkVersion(row);
}

/** Checks a row of `FIND_COMPATIBLE_VERSION`. @returns the schema version @throws DatabaseVersionError */
export function checkVersion(row: SchemaVersion | undefined): number {
  const latest = latestVersion();
  const version = row?.version ?? 0;
  if (version < latest) throw olderDatabase('The database', version, latest);
  if (row !== undefined && row.compatible_from > latest) throw newerDatabase(version, latest);
  return version;
}

/**
 * Checks that the schema of the database is current. Commands need this: one that copies, exports or deletes everything
 * has to know every table. Does not change the database.
 *
 * @param subject the name of the database in the error message
 * @throws DatabaseVersionError if a migration is needed or the database is newer than the program
 */
export async function assertCurrent(database: Queryable, subject = 'The database'): Promise<void> {
  const latest = latestVersion();
  const version = await readVersion(database);
  if (version > latest) throw newerDatabase(version, latest);
  if (version < latest) throw olderDatabase(subject, version, latest);
}

function newerDatabase(version: number, latest: number): DatabaseVersionError {
  return new DatabaseVersionError(
    `The database has schema version ${version}, but this program supports versions up to ${latest}. Use a newer program.`,
  );
}

function olderDatabase(subject: string, version: number, latest: number): DatabaseVersionError {
  const state = version === 0 ? 'has no tables' : `has schema version ${version} of ${latest}`;
  return new DatabaseVersionError(`${subject} ${state}. Run "paw migrate".`);
}
