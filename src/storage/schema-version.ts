import type { Queryable } from './database.ts';
import { LATEST_VERSION } from './migrations.ts';

/** The version of a schema, and the oldest version whose program can use it. Both are 0 if there are no tables. */
export type SchemaVersion = { readonly version: number; readonly compatible_from: number };

/** Thrown if the program can't use the schema of the database. The message is one line. */
export class DatabaseVersionError extends Error {}

/** The version of a database without tables. */
export const NO_SCHEMA: SchemaVersion = { version: 0, compatible_from: 0 };

/** Selects a `SchemaVersion`. */
export const FIND_SCHEMA_VERSION = `SELECT COALESCE(MAX(version), 0) AS version,
  COALESCE(MAX(compatible_from), 0) AS compatible_from FROM schema_migration`;

// SQLite has one result code for all errors in SQL. Source: PostgreSQL, appendix A (undefined_table).
const UNDEFINED_TABLE = '42P01';
const NO_SUCH_TABLE = /^no such table/;

/** Returns the schema version of a database. @throws UNAVAILABLE */
export async function readSchemaVersion(database: Pick<Queryable, 'read'>): Promise<SchemaVersion> {
  try {
    const [row] = await database.read<SchemaVersion>(FIND_SCHEMA_VERSION);
    return row ?? NO_SCHEMA;
  } catch (error) {
    if (!isMissingTable(error)) throw error;
    return NO_SCHEMA;
  }
}

function isMissingTable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ('code' in error && error.code === UNDEFINED_TABLE) || NO_SUCH_TABLE.test(error.message);
}

/**
 * Checks that a server can use a schema: that it is current, or newer and compatible.
 *
 * @param subject the name of the database in the error message
 * @throws DatabaseVersionError otherwise
 */
export function assertUsable({ version, compatible_from }: SchemaVersion, subject = 'The database'): void {
  if (compatible_from > LATEST_VERSION) throw newerSchema(version);
  if (version >= LATEST_VERSION) return;
  const state = version === 0 ? 'has no tables' : `has schema version ${version} of ${LATEST_VERSION}`;
  throw new DatabaseVersionError(`${subject} ${state}. Run "paw migrate".`);
}

/**
 * Checks that a schema is current. Commands need this: one that copies, exports or deletes everything has to know every
 * table.
 *
 * @param subject the name of the database in the error message
 * @throws DatabaseVersionError if a migration is needed or the database is newer than the program
 */
export function assertCurrent(schema: SchemaVersion, subject?: string): void {
  assertUsable(schema, subject);
  if (schema.version > LATEST_VERSION) throw newerSchema(schema.version);
}

function newerSchema(version: number): DatabaseVersionError {
  return new DatabaseVersionError(
    `The database has schema version ${version}, but this program supports versions up to ${LATEST_VERSION}. Use a newer program.`,
  );
}
