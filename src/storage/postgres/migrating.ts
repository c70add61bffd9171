import type { PoolConfig } from 'pg';
import type { Queryable } from '../port/database.ts';
import type { Index, SchemaChanges } from '../port/engine.ts';
import { unavailable } from '../port/errors.ts';
import type { ConnectionPool } from './connections/pool.ts';
import { inTransaction, transactionBegin } from './transaction.ts';

const DAY_MS = 86_400_000;

// The requests behind a statement that waits for the lock of a table wait as long.
const LOCK_TIMEOUT_MS = 1000;

/** The settings of the sessions of migrations. A pooler refuses them. */
export function migrationPool(hasPooler: boolean): PoolConfig {
  // An index is created beside the transaction that has the lock, and `ConnectionTurns` keeps one connection free.
  const common = { max: 3, keepAliveInitialDelayMillis: 10_000 };
  // A timeout of the role would end the creation of an index.
  return hasPooler ? common : { ...common, statement_timeout: DAY_MS, lock_timeout: DAY_MS };
}

/** The limits of a transaction of a migration: a day for a statement, and a second for a lock. */
export const MIGRATION_LIMITS = {
  timeoutMs: DAY_MS,
  begin: (isCitus: boolean) => [
    // As behind a pooler, so that it is the transaction that has the lock timeout, and not the creation of an index.
    ...transactionBegin(true, { timeoutMs: DAY_MS, lockTimeoutMs: LOCK_TIMEOUT_MS })(isCitus),
    { sql: `SET LOCAL statement_timeout = ${DAY_MS}`, params: [] },
  ],
};

// What another process has committed before it let go of the lock has to be seen.
const READ_COMMITTED = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED';

// A statement that waits would have a snapshot, and the creation of an index waits for all snapshots.
const TRY_LOCK = `SELECT CASE WHEN pg_try_advisory_xact_lock(hashtext('paw migrate')) THEN 1 ELSE 0 END AS is_locked`;

const FIND_VALID_INDEX = 'SELECT 1 AS one FROM pg_index WHERE indexrelid = to_regclass($1) AND indisvalid';

// Any statement ends the last query, with its snapshot.
const END_QUERY = 'SET LOCAL lock_timeout TO DEFAULT';

/** See `Engine.schema`. The lock is that of a transaction, since a pooler keeps none of a session. */
export function schemaChanges(pool: ConnectionPool): SchemaChanges {
  const transaction = <T>(work: (transaction: Queryable) => Promise<T>): Promise<T> =>
    inTransaction(pool, undefined, async (to) => {
      await to.write(READ_COMMITTED);
      const [lock] = await to.read<{ is_locked: 0 | 1 }>(TRY_LOCK);
      if (lock?.is_locked !== 1)
        throw unavailable(new Error('Another process migrates the database'), 'lock');
      return work(to);
    });
  return {
    transaction,
    createIndex: (index, isMissing) =>
      transaction(async (to) => {
        if (!(await isMissing(to)) || (await to.read(FIND_VALID_INDEX, [index.name])).length > 0) return;
        await to.write(END_QUERY);
        await createIndex(pool, index);
      }),
  };
}

/** Creates an index beside writes, which a transaction can't. An interrupted attempt has left an invalid one. */
function createIndex(pool: ConnectionPool, { name, isUnique, table, columns }: Index): Promise<void> {
  const create = isUnique ? 'CREATE UNIQUE INDEX' : 'CREATE INDEX';
  return pool.use({ deadline: undefined }, async (session) => {
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await session.query(`${create} CONCURRENTLY ${name} ON ${table} ${columns}`);
  });
}
