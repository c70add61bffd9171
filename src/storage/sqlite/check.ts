import { DatabaseSync } from 'node:sqlite';
import { FIND_SCHEMA_VERSION, MIGRATIONS } from '../jobs/migrations.ts';
import { allProblems, MAX_DESCRIBED, type Problems, problemsOfKind } from '../jobs/problems.ts';
import { primaryResultCode } from './statements.ts';

/** See `Database.schemaObjects`. The indexes of SQLite's own have no statement. */
export const SCHEMA_OBJECTS = `SELECT 'column ' || t.name || '.' || c.name AS name
FROM sqlite_schema t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'
UNION ALL SELECT 'index ' || name FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL`;

// A bound for a large file that is damaged everywhere.
const MAX_MESSAGES = 10_000;

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Returns the names of the columns and indexes that the migrations make. See `Database.schemaObjects`. */
export function migratedObjects(): readonly string[] {
  const database = new DatabaseSync(':memory:');
  for (const { statements } of MIGRATIONS) for (const statement of statements) database.exec(statement);
  const names = database
    .prepare(SCHEMA_OBJECTS)
    .all()
    .map(({ name }) => String(name));
  database.close();
  return names;
}

/** Checks the structure of a SQLite file, its indexes and its foreign keys. */
export function findFileProblems(path: string): Problems {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const checked = database.prepare(`PRAGMA integrity_check(${MAX_MESSAGES})`).all();
    const messages = checked.map(({ integrity_check }) => String(integrity_check).replaceAll('\n', ' '));
    const orphans = database
      .prepare(
        `SELECT "table", rowid, parent, COUNT(*) OVER () AS count FROM pragma_foreign_key_check LIMIT ${MAX_DESCRIBED}`,
      )
      .all();
    const descriptions = orphans.map(
      ({ table, rowid, parent }) => `Row ${rowid} of ${table} refers to a missing ${parent}.`,
    );
    return allProblems([
      problemsOfKind(messages.filter((message) => message !== 'ok')),
      problemsOfKind(descriptions, Number(orphans[0]?.['count'] ?? 0)),
    ]);
  } catch (error) {
    if (![CORRUPT, NOT_A_DATABASE].includes(primaryResultCode(error)) || !(error instanceof Error))
      throw error;
    return problemsOfKind([`The file is damaged: ${error.message}.`]);
  } finally {
    database.close();
  }
}

/** Thrown if a SQLite file can't be backed up or restored. The message is one line for the operator. */
export class BackupError extends Error {}

/**
 * Returns the schema version of an intact SQLite file.
 *
 * @param name the name of the file in the error message
 * @throws BackupError if it has no tables of the gateway
 */
export function readFileVersion(path: string, name = path): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get();
    const version = hasTable ? Number(database.prepare(FIND_SCHEMA_VERSION).get()?.['version']) : 0;
    if (version === 0) throw new BackupError(`The file ${name} is not a database of this program.`);
    return version;
  } finally {
    database.close();
  }
}
