import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import type { Queryable } from '../interface/database.ts';
import type { Engine, Index } from '../interface/engine.ts';

/** A step from an earlier schema version to its own. */
export type Migration = {
  /** The schema version after it: the number at the start of its name. */
  readonly version: number;
  /** The name of its file without the extension, such as `0001-initial`. */
  readonly name: string;
  /** The oldest schema version whose program can use a database after this migration. */
  readonly compatibleFrom: number;
  /**
   * The table whose rows its statements change in batches, with its primary key; undefined if they are one transaction.
   * Then each statement creates an index, or has a range of keys as its parameters. All can be repeated.
   */
  readonly batches: Batches | undefined;
  /** The SQL, without the semicolon at the end. */
  readonly statements: readonly string[];
  /** The SHA-256 of its SQL on every engine, without comments and white space, in hexadecimal digits. */
  readonly digest: string;
};

export type Batches = { readonly table: string; readonly key: readonly string[] };

/** The version of a schema, and the oldest version whose program can use it. Both are 0 if there are no tables. */
export type SchemaVersion = { readonly version: number; readonly compatible_from: number };

const FOLDER = new URL('./', import.meta.url);

export const MIGRATIONS: readonly Migration[] = readdirSync(FOLDER)
  .filter((file) => /^\d{4}-.+\.sql$/.test(file))
  .sort()
  .map((file) => parseMigration(file.replace(/\.sql$/, ''), readFileSync(new URL(file, FOLDER), 'utf8')));

export const LATEST_VERSION = MIGRATIONS.at(-1)?.version ?? 0;

/** Returns the statement that creates the table that records each migration. */
export function createMigrationTable(textType: string): string {
  return `CREATE TABLE IF NOT EXISTS schema_migration (version INTEGER PRIMARY KEY,
  compatible_from INTEGER NOT NULL, apply_time_ms BIGINT NOT NULL, digest ${textType} NOT NULL)`;
}

export const NO_SCHEMA: SchemaVersion = { version: 0, compatible_from: 0 };

/** Finds the row for `schemaVersionOf`. */
export const FIND_SCHEMA_VERSION = `SELECT
  (SELECT COALESCE(MAX(version), 0) FROM schema_migration) AS version,
  (SELECT COALESCE(MAX(compatible_from), 0) FROM schema_migration) AS compatible_from,
  (SELECT MIN(version) FROM schema_migration WHERE version <= ${LATEST_VERSION} AND (version, digest) NOT IN (
    VALUES ${MIGRATIONS.map(({ version, digest }) => `(${version}, '${digest}')`).join(', ')}
  )) AS changed_version`;

export type SchemaVersionRow = SchemaVersion & {
  /** The first version whose migration differs from this program's; null if there is none. */
  readonly changed_version: number | null;
};

// Source: PostgreSQL, appendix A (undefined_table).
const UNDEFINED_TABLE = '42P01';

/**
 * Parses the text of a migration. Its line `-- compatible-from: <version>` means that the programs of this schema version
 * and of later ones can use a database after the migration. Without the line, no earlier program can. The line
 * `-- batches: <table> (<columns of its primary key>)` declares that it runs while servers are running, and not as one
 * transaction.
 */
export function parseMigration(name: string, text: string): Migration {
  const version = Number.parseInt(name, 10);
  const [, compatibleFrom = version] = /^-- compatible-from: (\d+)$/m.exec(text) ?? [];
  const [, table, columns = ''] = /^-- batches: (\w+) \((.+)\)$/m.exec(text) ?? [];
  const batches = table === undefined ? undefined : { table, key: columns.split(', ') };
  if (/^-- *batches/m.test(text) && !batches) throw new Error(`In ${name}, the line "batches" is malformed.`);
  const statements = text.split(/;\s*\n/).filter((statement) => statement.trim() !== '');
  for (const statement of statements) {
    const isOfBatches = indexOf(statement) !== undefined || statement.includes('$1');
    if (batches && !isOfBatches)
      throw new Error(`In ${name}, a statement has no range of keys, and creates no index.`);
    if (!batches && statement.includes('$1'))
      throw new Error(`In ${name}, a statement has a range of keys without "batches".`);
  }
  const sql = text.split('\n').flatMap((line) => line.split('--', 1));
  // The line ends depend on the checkout.
  const digest = hash('sha256', sql.join('').replaceAll(/\s/g, ''));
  return { version, name, compatibleFrom: Number(compatibleFrom), batches, statements, digest };
}

/** Returns the index that a statement creates; undefined if it creates none. */
export function indexOf(statement: string): Index | undefined {
  const match = /^CREATE (UNIQUE )?INDEX (\w+) ON (\w+) ([\s\S]+)/m.exec(statement);
  if (match === null) return undefined;
  const [, unique, name = '', table = '', columns = ''] = match;
  return { name, isUnique: unique !== undefined, table, columns };
}

/** Returns the migrations after a schema version, for a database with this type of texts. */
export function migrationsAfter(
  current: number,
  { textType }: Pick<Engine, 'textType'>,
): readonly Migration[] {
  return MIGRATIONS.filter(({ version }) => version > current).map((migration) => ({
    ...migration,
    statements: migration.statements.map((statement) => statement.replaceAll(/\bTEXT\b/g, textType)),
  }));
}

/**
 * Returns the schema version of a database.
 *
 * @throws Error if one of its migrations differs from this program's
 * @throws UNAVAILABLE
 */
export async function readSchemaVersion(
  database: Pick<Queryable, 'read'>,
  subject?: string,
): Promise<SchemaVersion> {
  try {
    const [row] = await database.read<SchemaVersionRow>(FIND_SCHEMA_VERSION);
    return schemaVersionOf(row, subject);
  } catch (error) {
    if (!Error.isError(error)) throw error;
    // SQLite has one result code for all errors in SQL.
    const { cause } = error;
    const isMissing = Error.isError(cause) && 'code' in cause && cause.code === UNDEFINED_TABLE;
    if (isMissing || error.message.startsWith('no such table')) return NO_SCHEMA;
    throw error;
  }
}

/** Returns the schema version in the row of `FIND_SCHEMA_VERSION`. @throws Error as `readSchemaVersion` does */
export function schemaVersionOf(
  { changed_version, ...schema }: SchemaVersionRow = { ...NO_SCHEMA, changed_version: null },
  subject = 'The database',
): SchemaVersion {
  const changed = MIGRATIONS.find(({ version }) => version === changed_version);
  if (changed === undefined) return schema;
  throw new Error(
    `${subject} has a different migration ${changed.name} than this program. Use the program that made it, or export its accounts with that program and import them into a new database.`,
  );
}

/**
 * Checks that a server can use a schema: that it is current, or newer and compatible.
 *
 * @throws Error otherwise
 */
export function assertUsable({ version, compatible_from }: SchemaVersion, subject?: string): void {
  if (compatible_from > LATEST_VERSION) throw newerSchema(version, subject);
  if (version >= LATEST_VERSION) return;
  const state = version === 0 ? 'has no tables' : `has schema version ${version} of ${LATEST_VERSION}`;
  const target = subject === undefined ? '' : ' with its URL';
  throw new Error(`${subject ?? 'The database'} ${state}. Run "paw migrate"${target}.`);
}

/**
 * Checks that a server can migrate a database in production: that it is a gateway's, and that the servers of its version
 * can continue during the migration.
 *
 * @throws Error otherwise
 */
export function assertMigratesBesideServers(schema: SchemaVersion): void {
  const { version } = schema;
  const needsStop = MIGRATIONS.find((each) => each.version > version && each.compatibleFrom > version);
  if (needsStop === undefined) return;
  if (version === 0) assertUsable(schema);
  throw new Error(
    `The database has schema version ${version} of ${LATEST_VERSION}, and ${needsStop.name} needs all servers to be stopped. Stop them, and run "paw migrate".`,
  );
}

/**
 * Checks that a schema is current. Commands need this: one that copies, exports or deletes everything must know every
 * table.
 *
 * @throws Error if a migration is needed or the database is newer than the program
 */
export function assertCurrent(schema: SchemaVersion, subject?: string): void {
  assertUsable(schema, subject);
  assertNotNewer(schema, subject);
}

/** @throws Error if the schema is newer than the program */
export function assertNotNewer({ version }: SchemaVersion, subject?: string): void {
  if (version > LATEST_VERSION) throw newerSchema(version, subject);
}

function newerSchema(version: number, subject = 'The database'): Error {
  return new Error(
    `${subject} has schema version ${version}, but this program supports versions up to ${LATEST_VERSION}. Use a newer program.`,
  );
}
