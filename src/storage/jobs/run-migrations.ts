import { setTimeout as delay } from 'node:timers/promises';
import type { Queryable, Value } from '../interface/database.ts';
import { DatabaseError, unavailable } from '../interface/database-error.ts';
import type { Engine } from '../interface/engine.ts';
import {
  assertCurrent,
  assertUsable,
  type Batches,
  createMigrationTable,
  indexOf,
  LATEST_VERSION,
  type Migration,
  migrationsAfter,
  readSchemaVersion,
} from '../migrations/versions.ts';
import { valuesOf } from '../sql/columns.ts';
import { placeholders } from '../work/change.ts';
import { meterOf, type OnProgress } from '../work/progress.ts';
import { countTable } from './bulk-rows.ts';

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
  /** Ends the work before its next transaction, and cancels the creation of an index on PostgreSQL. */
  readonly signal?: AbortSignal | undefined;
  /** Is called before each step, with its name. */
  readonly onStep?: (text: string) => void;
  /** Is called about each second while another session or process is waited for, with a text about it. */
  readonly onWait?: ((text: string) => void) | undefined;
  /** Is called with the number of rows of a migration in batches. */
  readonly onProgress?: OnProgress | undefined;
};

const INSERT =
  'INSERT INTO schema_migration (version, compatible_from, apply_time_ms, digest) VALUES ($1, $2, $3, $4)';

// A request that waits for one of its rows waits for the whole batch.
const BATCH_SIZE = 1000;

// If a lock is not free within a second, the attempt pauses for as long, so the requests behind it continue.
const LOCK_PAUSE_MS = 1000;

const MAX_LOCK_WAIT_MINUTES = 10;

// Another session can create an index for hours.
const MAX_INDEX_WAIT_MINUTES = 1440;

/**
 * Applies the missing migrations to the database, each in one transaction or in batches. If the schema is current, the
 * database is only read. If several processes migrate at the same time, each migration is applied once.
 *
 * @throws Error if a migration differs from this program's, or the database is newer than the program, and not compatible
 *   with it or to be distributed; if it can't be distributed, or can't store every text; and if the role does not have
 *   the rights of the tables' owner
 * @throws UNAVAILABLE if a lock is not free within ten minutes, or another process migrates for as long; within a day for an
 *   index
 * @throws the reason of the signal
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
    : await applyMissing({ database, now, ...options }, before.version);
  const after = await readSchemaVersion(database);
  assertUsable(after);
  return { version: after.version, ...done };
}

type Work = MigrationOptions & { readonly database: Engine; readonly now: number };

async function applyMissing(work: Work, version: number): Promise<Omit<MigrationResult, 'version'>> {
  const { database, shardCount, onStep } = work;
  const applied: string[] = [];
  const distributed: string[] = [];
  const distribute = async () => {
    if (shardCount === undefined) return;
    onStep?.('Distributing the tables');
    const all = (to: Queryable) => database.distribute(to, shardCount);
    distributed.push(...(await untilUnlocked(work, () => database.schema.transaction(all))));
  };
  // First, so nothing is migrated if this fails.
  await distribute();
  for (const migration of migrationsAfter(version, database)) {
    onStep?.(`Applying ${migration.name}`);
    if (migration.batches) await applyInBatches(work, migration, migration.batches);
    const complete = (to: Queryable) => applyInTransaction(work, to, migration);
    const tables = await untilUnlocked(work, () => database.schema.transaction(complete));
    // Another process has applied it.
    if (tables === undefined) continue;
    applied.push(migration.name);
    distributed.push(...tables);
  }
  if (applied.length > 0) await distribute();
  return { applied, distributed };
}

/**
 * Applies a migration, or the end of one in batches.
 *
 * @returns the names of the new tables that were distributed; undefined if another process has applied it
 */
async function applyInTransaction(
  { database, now }: Work,
  to: Queryable,
  { version, compatibleFrom, batches, statements, digest }: Migration,
): Promise<readonly string[] | undefined> {
  // PostgreSQL looks for it in the first schema alone, and could create a second one there.
  if (version === 1) await to.write(createMigrationTable(database.textType));
  if (!(await isMissing(to, version))) return undefined;
  await to.write(INSERT, [version, compatibleFrom, now, digest]);
  const distributed: string[] = [];
  for (const statement of batches ? [] : statements) {
    await to.write(statement);
    // Before the next statement inserts rows into a new table.
    distributed.push(...(await database.distribute(to)));
  }
  return distributed;
}

/** Whether no process has applied a migration. Later ones may have changed its prerequisites. */
async function isMissing(to: Queryable, version: number): Promise<boolean> {
  return (await readSchemaVersion(to)).version < version;
}

/** Applies the statements of a migration in batches. After an interruption, it begins again, and finds little to do. */
async function applyInBatches(
  work: Work,
  { version, statements }: Migration,
  batches: Batches,
): Promise<void> {
  for (const statement of statements) {
    const index = indexOf(statement);
    if (index === undefined) await changeInBatches(work, { version, statement, ...batches });
    else {
      const { database, signal, onWait } = work;
      const creation = { signal, onWait, isMissing: (to: Queryable) => isMissing(to, version) };
      const create = () => database.schema.createIndex(index, creation);
      await untilUnlocked(work, create, MAX_INDEX_WAIT_MINUTES);
    }
  }
}

type BatchedChange = Batches & { readonly version: number; readonly statement: string };

/** Executes a statement for the rows of a table, ordered by their keys. */
async function changeInBatches(work: Work, { version, statement, table, key }: BatchedChange): Promise<void> {
  const { database, onProgress } = work;
  const onChanged = meterOf(onProgress, (onProgress && (await countTable(database, table))) ?? 0);
  const order = key.join(', ');
  const findKeys = `SELECT ${order} FROM ${table} WHERE (${order}) > (${placeholders(key, 1)})
ORDER BY ${order} LIMIT ${BATCH_SIZE}`;
  let last: readonly Value[] = key.map(() => '');
  for (let isFull = true; isFull; ) {
    const startMs = performance.now();
    const keys = await untilUnlocked(work, () =>
      database.schema.transaction(async (to) => {
        const rows = (await isMissing(to, version)) ? await to.read(findKeys, last) : [];
        const found = rows.map((row) => valuesOf(row, key));
        const ends = [found[0], found.at(-1)].flatMap((each) => each ?? []);
        if (found.length > 0) await to.write(statement, ends);
        return found;
      }),
    );
    onChanged(keys.length);
    last = keys.at(-1) ?? last;
    isFull = keys.length === BATCH_SIZE;
    // Requests have half of the time.
    await delay(performance.now() - startMs);
  }
}

/** Retries an attempt that has not got a lock, such as the lock of a table that a transaction uses. */
async function untilUnlocked<T>(
  { signal, onWait }: Work,
  attempt: () => Promise<T>,
  minutes = MAX_LOCK_WAIT_MINUTES,
): Promise<T> {
  const endMs = performance.now() + minutes * 60_000;
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof DatabaseError) || error.outage !== 'lock') throw error;
      const { message } = Error.isError(error.cause) ? error.cause : error;
      if (performance.now() > endMs)
        throw unavailable(new Error(`no lock in ${minutes} minutes: ${message}`), 'lock');
      onWait?.(`Waiting for a lock: ${message}`);
      await delay(LOCK_PAUSE_MS, undefined, { signal }).catch(() => {});
    }
  }
}
