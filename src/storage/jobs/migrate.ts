import { setTimeout as delay } from 'node:timers/promises';
import {
  assertCurrent,
  assertUsable,
  type Batches,
  indexOf,
  LATEST_VERSION,
  type Migration,
  migrationsAfter,
  readSchemaVersion,
} from '../migrations/migrations.ts';
import { loadPageTokenKey } from '../page-token-key.ts';
import type { Queryable } from '../port/database.ts';
import type { Engine, SchemaChanges } from '../port/engine.ts';
import { DatabaseError } from '../port/errors.ts';
import { meterOf, type OnProgress } from '../port/progress.ts';
import { valuesOf } from '../sql/columns.ts';
import { countTable, readRows } from './bulk-rows.ts';

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
  /** Is called with the number of rows of a migration in batches. */
  readonly onProgress?: OnProgress | undefined;
};

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS schema_migration
  (version INTEGER PRIMARY KEY, compatible_from INTEGER NOT NULL, apply_time_ms BIGINT NOT NULL)`;

const INSERT = 'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES ($1, $2, $3)';

// A request that waits for one of its rows waits for the whole batch: about 50 ms.
const BATCH_SIZE = 1000;

// A lock that is not free within a second is let go for as long, so that the requests behind it go on.
const LOCK_PAUSE_MS = 1000;

const MAX_LOCK_WAIT_MS = 600_000;

/**
 * Applies the missing migrations to the database, each in one transaction or in batches. If the schema is current, the
 * database is only read. If several processes migrate at the same time, each migration is applied once, and the others
 * wait for it as long as it takes.
 *
 * @throws DatabaseVersionError if the database is newer than the program, and not compatible with it or to be distributed
 * @throws DistributionError if it can't be distributed
 * @throws EncodingError if it can't store every text
 * @throws UNAVAILABLE if a lock is not free for ten minutes
 */
export async function migrate(
  database: Engine,
  now: number,
  options: MigrationOptions = {},
): Promise<MigrationResult> {
  await database.assertEncoding();
  const before = await readSchemaVersion(database);
  // Another program may know more tables.
  if (options.shardCount !== undefined && before.version > LATEST_VERSION) assertCurrent(before);
  const isCurrent = before.version >= LATEST_VERSION && options.shardCount === undefined;
  const done = isCurrent
    ? { applied: [], distributed: [] }
    : await database.migrating((schema) => applyMissing({ database, schema, now, ...options }));
  const after = await readSchemaVersion(database);
  assertUsable(after);
  return { version: after.version, ...done };
}

type Work = MigrationOptions & {
  readonly database: Engine;
  readonly schema: SchemaChanges;
  readonly now: number;
};

async function applyMissing(work: Work): Promise<Omit<MigrationResult, 'version'>> {
  const { database, schema, shardCount, onStep } = work;
  const applied: string[] = [];
  const distributed: string[] = [];
  const distribute = async () => {
    if (shardCount === undefined) return;
    onStep?.('Distributing the tables');
    distributed.push(...(await schema.transaction((to) => database.distribute(to, shardCount))));
  };
  // What can't be distributed is not migrated.
  await distribute();
  for (const migration of migrationsAfter((await readSchemaVersion(database)).version, database)) {
    onStep?.(`Applying ${migration.name}`);
    if (migration.batches) await applyInBatches(work, migration.batches, migration.statements);
    const tables = await untilUnlocked(() => schema.transaction((to) => complete(work, to, migration)));
    // Another process has applied it.
    if (tables === undefined) continue;
    applied.push(migration.name);
    distributed.push(...tables);
  }
  await distribute();
  return { applied, distributed };
}

/**
 * Applies a migration, or the end of one in batches.
 *
 * @returns the names of the new tables that were distributed; undefined if another process has applied it
 */
async function complete(
  { database, now }: Work,
  transaction: Queryable,
  { version, compatibleFrom, batches, statements }: Migration,
): Promise<readonly string[] | undefined> {
  // PostgreSQL looks for it in the first schema alone, and could create a second one there.
  if (version === 1) await transaction.write(CREATE_TABLE);
  if ((await readSchemaVersion(transaction)).version >= version) return undefined;
  await transaction.write(INSERT, [version, compatibleFrom, now]);
  const distributed: string[] = [];
  for (const statement of batches ? [] : statements) {
    await transaction.write(statement);
    // Before the next statement inserts rows into a new table.
    distributed.push(...(await database.distribute(transaction)));
  }
  // So that no command that only reads has to create it.
  await loadPageTokenKey(transaction);
  return distributed;
}

/** Applies the statements of a migration in batches. After an interruption, it begins again, and finds little to do. */
async function applyInBatches(
  { database, schema, onProgress }: Work,
  { table, key }: Batches,
  statements: readonly string[],
): Promise<void> {
  for (const statement of statements) {
    const index = indexOf(statement);
    if (index !== undefined) {
      await untilUnlocked(() => schema.createIndex(index));
      continue;
    }
    const onChanged = meterOf(onProgress, (onProgress && (await countTable(database, table))) ?? 0);
    for await (const rows of readRows(
      database,
      { name: table, columns: key.join(', '), key },
      { batchSize: BATCH_SIZE },
    )) {
      const range = [rows[0], rows.at(-1)].flatMap((row) => (row === undefined ? [] : valuesOf(row, key)));
      const startMs = performance.now();
      await untilUnlocked(() => schema.transaction((to) => to.write(statement, range)));
      onChanged(rows.length);
      // The servers have half of the time.
      await delay(performance.now() - startMs);
    }
  }
}

/** Tries again what could not lock something, such as a table or a row that a transaction uses. */
async function untilUnlocked<T>(attempt: () => Promise<T>): Promise<T> {
  const endMs = performance.now() + MAX_LOCK_WAIT_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isLocked = error instanceof DatabaseError && error.outage === 'lock';
      if (!isLocked || performance.now() > endMs) throw error;
      await delay(LOCK_PAUSE_MS);
    }
  }
}
