import { DatabaseSync } from 'node:sqlite';
import type { SchemaObject } from '../interface/engine.ts';
import {
  createMigrationTable,
  FIND_SCHEMA_VERSION,
  LATEST_VERSION,
  MIGRATIONS,
  type SchemaVersion,
  type SchemaVersionRow,
  schemaVersionOf,
} from '../migrations/versions.ts';
import { allProblems, MAX_DESCRIBED, NO_PROBLEMS, type Problems, problemsOfKind } from '../work/problems.ts';
import { openReadOnly } from './open-read-only.ts';
import { primaryResultCode } from './statements.ts';

/** See `Engine.schemaObjects`. The indexes of SQLite's own, for the keys, have another origin. */
export const SCHEMA_OBJECTS = `WITH t AS (SELECT name FROM sqlite_schema WHERE type = 'table')
SELECT 'table ' || name AS name, 'permanent' AS definition FROM t
UNION ALL SELECT 'column ' || t.name || '.' || c.name, lower(c.type) || iif(c."notnull" OR c.pk > 0, ' not null', '')
FROM t JOIN pragma_table_info(t.name) c
UNION ALL SELECT 'index ' || i.name, iif(i."unique", 'unique ', '') || 'on (' ||
  (SELECT group_concat(coalesce(name, 'an expression'), ', ' ORDER BY seqno) FROM pragma_index_info(i.name)) || ')'
FROM t JOIN pragma_index_list(t.name) i WHERE i.origin = 'c'
UNION ALL SELECT 'primary key of ' || t.name, 'on (' || group_concat(c.name, ', ' ORDER BY c.pk) || ')'
FROM t JOIN pragma_table_info(t.name) c WHERE c.pk > 0 GROUP BY t.name
UNION ALL SELECT 'foreign key of ' || t.name || ' on (' || group_concat(k."from", ', ' ORDER BY k.seq) || ')',
  'to ' || k."table" || ' (' || group_concat(k."to", ', ' ORDER BY k.seq) || ')'
FROM t JOIN pragma_foreign_key_list(t.name) k GROUP BY t.name, k.id`;

// A bound for a large file that is damaged everywhere.
const MAX_MESSAGES = 10_000;

const CORRUPT = 11;
const NOT_A_DATABASE = 26;

/** Returns a database with the tables and indexes of the migrations up to a version. */
function migratedDatabase(version: number): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  database.exec(createMigrationTable('TEXT'));
  for (const migration of MIGRATIONS.filter((each) => each.version <= version)) {
    for (const statement of migration.statements) database.exec(statement);
  }
  return database;
}

/** Returns the tables and indexes of the migrations, which are the same on the other engine. */
export function migratedObjects(): readonly SchemaObject[] {
  const database = migratedDatabase(LATEST_VERSION);
  const objects = database.prepare(SCHEMA_OBJECTS).all() as SchemaObject[];
  database.close();
  return objects;
}

// Without what SQLite makes itself: its statistics, and the indexes of keys.
const OBJECTS = `SELECT type, name, sql FROM sqlite_schema
WHERE NOT (type = 'table' AND name LIKE 'sqlite\\_stat_' ESCAPE '\\')
  AND NOT (type = 'index' AND name LIKE 'sqlite\\_autoindex\\_%' ESCAPE '\\')`;

/**
 * Returns the differences of a file from the tables and indexes that the migrations up to its version make, such as a
 * view or a trigger.
 *
 * @param isOwn whether a table or an index can differ from the migrations, which `findSchemaProblems` describes
 */
function findOtherObjects(database: DatabaseSync, version: number, isOwn: boolean): Problems {
  const objectsOf = (each: DatabaseSync) =>
    each
      .prepare(OBJECTS)
      .all()
      .map(({ type, name, sql }) => ({
        name: `${type} ${name}`,
        // The comments of SQLite end at a line feed alone.
        sql: String(sql)
          .replaceAll(/--[^\n]*/g, '')
          .replaceAll(/\s+/g, ' '),
      }));
  const own = migratedDatabase(version);
  const expected = new Map(objectsOf(own).map(({ name, sql }) => [name, sql]));
  own.close();
  const found = new Map(objectsOf(database).map(({ name, sql }) => [name, sql]));
  const others = [...found].filter(([name, sql]) =>
    isOwn ? !expected.has(name) : expected.get(name) !== sql,
  );
  // Another file is none of the gateway at all.
  const missing = isOwn || version === 0 ? [] : [...expected.keys()].filter((name) => !found.has(name));
  return problemsOfKind([
    ...others.map(([name]) => `The ${name} is not one of the gateway.`),
    ...missing.map((name) => `The ${name} is missing.`),
  ]);
}

/**
 * Checks the structure of a SQLite file, its indexes and its foreign keys, and that nothing else is in it. Tables of
 * other programs are not read.
 *
 * @param foreign what the file is called in an error if it is not the database of this gateway, and someone else may have
 *   created it
 */
export function findFileProblems(path: string, foreign?: string): Problems {
  const database = openReadOnly(path);
  try {
    const { version } = schemaOf(database, foreign);
    const others =
      version > LATEST_VERSION ? NO_PROBLEMS : findOtherObjects(database, version, foreign === undefined);
    if (others.count > 0) return others;
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

/**
 * Returns the schema version of an intact SQLite file.
 *
 * @param name the name of the file in the error message
 * @throws Error if it has no tables of the gateway, or one of its migrations differs from this program's
 */
export function readFileVersion(path: string, name = path): SchemaVersion {
  const database = openReadOnly(path);
  try {
    const schema = schemaOf(database, `The file ${name}`);
    if (schema.version === 0) throw new Error(`The file ${name} is not a database of this program.`);
    return schema;
  } finally {
    database.close();
  }
}

/**
 * Checks that an open file is empty, or a database of the gateway.
 *
 * @throws Error otherwise, or if one of its migrations differs from this program's
 */
export function assertOwnFile(database: DatabaseSync, path: string): void {
  if (schemaOf(database).version > 0) return;
  const other = database
    .prepare("SELECT name FROM sqlite_schema WHERE name <> 'schema_migration' LIMIT 1")
    .get();
  if (other === undefined) return;
  throw new Error(`The file ${path} is the database of another program.`);
}

/** Returns the schema version of an open file, which can be another program's. */
export function schemaOf(database: DatabaseSync, subject?: string): SchemaVersion {
  const hasTable = database
    .prepare(
      "SELECT 1 FROM sqlite_schema WHERE name = 'schema_migration' AND type = 'table' AND sql LIKE 'CREATE TABLE%'",
    )
    .get();
  const row = hasTable && database.prepare(FIND_SCHEMA_VERSION).get();
  return schemaVersionOf((row || undefined) as SchemaVersionRow | undefined, subject);
}
