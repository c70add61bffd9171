import type { Database } from './database.ts';
import { DatabaseError } from './errors.ts';
import { LATEST_VERSION, migrationsAfter } from './migrations.ts';
import { loadPageTokenKey } from './page-token-key.ts';
import { assertUsable, DatabaseVersionError, readSchemaVersion } from './schema-version.ts';

/** The result of a migration. */
export type MigrationResult = {
  /** The schema version after it, which is newer than the program if the schema is compatible with it. */
  readonly version: number;
  /** The names of the migrations that were applied, such as `0001-initial`. */
  readonly applied: readonly string[];
};

const MAX_ATTEMPTS = 3;

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
  for (let failures = 0; ; ) {
    try {
      const before = await readSchemaVersion(database);
      const applied = before.version < LATEST_VERSION ? await apply(database, now) : [];
      const schema = await readSchemaVersion(database);
      assertUsable(schema);
      return { version: schema.version, applied };
    } catch (error) {
      if (error instanceof DatabaseError && error.fault === 'lock' && database.migrationLock.length > 0)
        continue;
      // If two processes create the first table at the same time, one of them fails, and tries again.
      failures += 1;
      const isFinal = error instanceof DatabaseVersionError || error instanceof DatabaseError;
      if (failures === MAX_ATTEMPTS || isFinal) throw error;
    }
  }
}

async function apply(database: Database, now: number): Promise<readonly string[]> {
  return database.transaction(async (transaction) => {
    await transaction.write(CREATE_TABLE);
    // Before any other lock, so that no two processes wait for each other.
    for (const statement of database.migrationLock) await transaction.write(statement);
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
