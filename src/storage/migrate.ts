import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { assertUsable, LATEST_VERSION, migrationsAfter, readSchemaVersion } from './migrations.ts';
import { loadPageTokenKey } from './page-token-key.ts';

/** The result of a migration. */
export type MigrationResult = {
  /** The schema version after it, which is newer than the program if the schema is compatible with it. */
  readonly version: number;
  /** The names of the migrations that were applied, such as `0001-initial`. */
  readonly applied: readonly string[];
};

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migration
  (version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL, apply_time_ms BIGINT NOT NULL)`;

const INSERT = 'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES ($1, $2, $3)';

/**
 * Applies the missing migrations to the database. If the schema is current, the database is only
 * read. If several processes migrate at the same time, one of them applies the migrations, and the others wait for it
 * as long as it takes.
 *
 * @param now the current time, in Unix milliseconds
 * @throws DatabaseVersionError if the database is newer than the program, and not compatible with it
 */
export async function migrate(database: Database, now: number): Promise<MigrationResult> {
  for (;;) {
    try {
      const before = await readSchemaVersion(database);
      const applied = before.version < LATEST_VERSION ? await apply(database, now) : [];
      const schema = await readSchemaVersion(database);
      assertUsable(schema);
      return { version: schema.version, applied };
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.fault === 'lock';
      if (!isLocked || database.migrationLock.length === 0) throw error;
    }
  }
}

async function apply(database: Database, now: number): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    // Before any other lock, so that no two processes wait for each other.
    for (const statement of database.migrationLock) await transaction.write(statement);
    await transaction.write(CREATE_TABLE);
    const missing = migrationsAfter((await readSchemaVersion(transaction)).version);
    for (const { version, compatibleFrom, statements } of missing) {
      await transaction.write(INSERT, [version, compatibleFrom, now]);
      for (const statement of statements) await transaction.write(statement);
    }
    // So that no command that only reads has to create it.
    await loadPageTokenKey(transaction);
    return missing.map(({ name }) => name);
  });
}
