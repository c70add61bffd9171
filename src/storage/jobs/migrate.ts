import {
  assertCurrent,
  assertUsable,
  LATEST_VERSION,
  migrationsAfter,
  readSchemaVersion,
} from '../migrations/migrations.ts';
import { loadPageTokenKey } from '../page-token-key.ts';
import type { Engine } from '../port/engine.ts';
import { DatabaseError } from '../port/errors.ts';

export type MigrationResult = {
  /** The schema version after it, which is newer than the program if the schema is compatible with it. */
  readonly version: number;
  /** The names of the migrations that were applied, such as `0001-initial`. */
  readonly applied: readonly string[];
  /** The names of the tables that were distributed. */
  readonly distributed: readonly string[];
};

type MigrationOptions = {
  /** The number of shards of a database to distribute. Without it, it is left as it is. */
  readonly shardCount?: number | undefined;
  /** Is called before each step, with what it does. */
  readonly onStep?: (text: string) => void;
};

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migration
  (version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL, apply_time_ms BIGINT NOT NULL)`;

const NO_CHANGES = { applied: [], distributed: [] };

const INSERT = 'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES ($1, $2, $3)';

/**
 * Applies the missing migrations to the database. If the schema is current, the database is only
 * read. If several processes migrate at the same time, one of them applies the migrations, and the others wait for it
 * as long as it takes.
 *
 * @throws DatabaseVersionError if the database is newer than the program, and not compatible with it or to be distributed
 * @throws DistributionError if it can't be distributed
 * @throws EncodingError if it can't store every text
 */
export async function migrate(
  database: Engine,
  now: number,
  { shardCount, onStep = () => {} }: MigrationOptions = {},
): Promise<MigrationResult> {
  await database.assertEncoding();
  for (;;) {
    try {
      const before = await readSchemaVersion(database);
      // Another program may know more tables.
      if (shardCount !== undefined && before.version > LATEST_VERSION) assertCurrent(before);
      const isCurrent = before.version >= LATEST_VERSION && shardCount === undefined;
      const changes = isCurrent
        ? NO_CHANGES
        : await apply(database, now, before.version, { shardCount, onStep });
      const schema = await readSchemaVersion(database);
      assertUsable(schema);
      return { version: schema.version, ...changes };
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.outage === 'lock';
      if (!isLocked || database.migrationLock.length === 0) throw error;
    }
  }
}

async function apply(
  database: Engine,
  now: number,
  versionBefore: number,
  { shardCount, onStep }: MigrationOptions & { readonly onStep: (text: string) => void },
): Promise<Omit<MigrationResult, 'version'>> {
  return database.transaction(async (transaction) => {
    const distributed: string[] = [];
    // Before any other lock, so that no two processes wait for each other.
    for (const statement of database.migrationLock) await transaction.write(statement);
    // PostgreSQL looks for it in the first schema alone, and could create a second one there.
    if (versionBefore === 0) await transaction.write(CREATE_TABLE);
    const missing = migrationsAfter((await readSchemaVersion(transaction)).version, database);
    for (const { version, name, compatibleFrom, statements } of missing) {
      onStep(`Applying ${name}`);
      await transaction.write(INSERT, [version, compatibleFrom, now]);
      for (const statement of statements) {
        await transaction.write(statement);
        // Before the next statement inserts rows into a new table.
        distributed.push(...(await database.distribute(transaction)));
      }
    }
    // So that no command that only reads has to create it.
    await loadPageTokenKey(transaction);
    if (shardCount !== undefined) onStep('Distributing the tables');
    distributed.push(...(await database.distribute(transaction, shardCount)));
    return { applied: missing.map(({ name }) => name), distributed };
  });
}
