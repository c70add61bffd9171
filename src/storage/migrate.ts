import { readdirSync, readFileSync } from 'node:fs';
import { ApiError } from '../model/api-error.ts';
import type { Database, Queryable } from './database.ts';

type Migration = { readonly version: number; readonly statements: readonly string[] };

const ATTEMPTS = 3;

const FOLDER = new URL('migrations/', import.meta.url);

/** Thrown if the database has been migrated by a later version of this program. */
export class NewerDatabaseError extends Error {
  constructor(version: number, latest: number) {
    super(
      `The database is of version ${version}, and this program knows versions up to ${latest}. Use a newer program.`,
    );
  }
}

/** Thrown if the database would have to be migrated first. */
export class OlderDatabaseError extends Error {}

/**
 * Brings the database's tables up to date. To be called at start; of several
 * processes that start at once, one does the work.
 *
 * @param now the time to note, Unix milliseconds
 * @throws NewerDatabaseError if the database is newer than this program
 */
export async function migrate(database: Database, now: number): Promise<void> {
  const migrations = readMigrations();
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await migrateOnce(database, migrations, now);
    } catch (error) {
      // Another process that migrates at the same time makes one of the two fail: not
      // every engine has a lock for it, but all of them refuse the same row or table twice.
      if (attempt === ATTEMPTS || error instanceof NewerDatabaseError || error instanceof ApiError)
        throw error;
    }
  }
}

/**
 * Makes sure that a database needs no migration, and changes nothing.
 * @throws OlderDatabaseError if it needs one, NewerDatabaseError if it is newer than this program
 */
export async function assertCurrent(database: Database): Promise<void> {
  const latest = readMigrations().length;
  const version = await readVersion(database).catch((error: unknown) => {
    if (error instanceof ApiError) throw error;
    // There is not even the table that says so.
    return 0;
  });
  if (version > latest) throw new NewerDatabaseError(version, latest);
  if (version < latest) {
    throw new OlderDatabaseError(
      `The database is of version ${version}, and this program works with ${latest}. Start the server on it once.`,
    );
  }
}

async function migrateOnce(database: Database, migrations: readonly Migration[], now: number): Promise<void> {
  const latest = migrations.length;
  await database.transaction(async (transaction) => {
    const current = await currentVersion(transaction);
    if (current > latest) throw new NewerDatabaseError(current, latest);
    for (const { version, statements } of migrations.slice(current)) {
      // First, so that another process waits here, and then finds it done.
      await transaction.query('INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)', [
        version,
        now,
      ]);
      for (const statement of statements) await transaction.query(statement);
    }
  });
}

async function currentVersion(transaction: Queryable): Promise<number> {
  await transaction.query(
    'CREATE TABLE IF NOT EXISTS schema_migration (version INTEGER PRIMARY KEY, apply_time_ms BIGINT NOT NULL)',
  );
  return readVersion(transaction);
}

async function readVersion(database: Queryable): Promise<number> {
  const rows = await database.query<{ version: number | null }>(
    'SELECT MAX(version) AS version FROM schema_migration',
  );
  return rows[0]?.version ?? 0;
}

/** The files `<version>-<name>.sql`, whose versions count up from 1 without a gap. */
function readMigrations(): readonly Migration[] {
  const files = readdirSync(FOLDER).sort();
  return files.map((file, index) => {
    const version = Number.parseInt(file, 10);
    if (version !== index + 1) throw new Error(`The migration ${file} is out of sequence.`);
    const statements = readFileSync(new URL(file, FOLDER), 'utf8').split(/;\s*\n/);
    return { version, statements: statements.filter((statement) => statement.trim() !== '') };
  });
}
