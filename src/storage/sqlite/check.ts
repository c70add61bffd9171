import { DatabaseSync } from 'node:sqlite';
import { FIND_SCHEMA_VERSION } from '../migrations.ts';
import { primaryResultCode } from './statements.ts';

const MAX_PROBLEMS = 100;

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/**
 * Checks the structure of a SQLite file, its indexes and its foreign keys.
 *
 * @returns at most 200 problems, each one line; none if the file is intact
 */
export function findFileProblems(path: string): readonly string[] {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const checked = database.prepare(`PRAGMA integrity_check(${MAX_PROBLEMS})`).all();
    const messages = checked.map(({ integrity_check }) => String(integrity_check));
    const orphans = database.prepare(
      `SELECT "table", rowid, parent FROM pragma_foreign_key_check LIMIT ${MAX_PROBLEMS}`,
    );
    return [
      ...messages.filter((message) => message !== 'ok').map((message) => message.replaceAll('\n', ' ')),
      ...orphans
        .all()
        .map(({ table, rowid, parent }) => `Row ${rowid} of ${table} refers to a missing ${parent}.`),
    ];
  } catch (error) {
    if (![CORRUPT, NOT_A_DATABASE].includes(primaryResultCode(error)) || !(error instanceof Error))
      throw error;
    return [`The file is damaged: ${error.message}.`];
  } finally {
    database.close();
  }
}

/** Returns the schema version of an intact SQLite file, 0 if it has no tables of the gateway. */
export function readFileVersion(path: string): number {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const hasTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration'").get();
    return hasTable ? Number(database.prepare(FIND_SCHEMA_VERSION).get()?.['version']) : 0;
  } finally {
    database.close();
  }
}
