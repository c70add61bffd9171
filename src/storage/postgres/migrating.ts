import { setTimeout as delay } from 'node:timers/promises';
import type { Index, SchemaChanges } from '../port/engine.ts';
import type { ConnectionPool } from './connections/pool.ts';
import { inTransaction, transactionBegin } from './transaction.ts';

const DAY_MS = 86_400_000;

// One holds the lock, one works, and the turns keep one free. Without the limits of a server, see `MIGRATION_LIMITS`.
export const MIGRATION_POOL = { max: 3, statement_timeout: 0 };

// The requests behind a statement that waits for the lock of a table wait as long.
const LOCK_TIMEOUT_MS = 1000;

/** No statement of a migration is late within a day, but it does not wait long for a lock. */
export const MIGRATION_LIMITS = {
  timeoutMs: DAY_MS,
  // As behind a pooler, so that the lock timeout does not apply to an index, which waits for transactions.
  begin: transactionBegin(true, { timeoutMs: DAY_MS, lockTimeoutMs: LOCK_TIMEOUT_MS }),
};

// The creation of an index waits for all snapshots. So the transaction of the lock keeps none: it has none of its own, does
// not wait in the server, and replaces the query, which keeps its own until the next statement.
const READ_COMMITTED = 'SET TRANSACTION ISOLATION LEVEL READ COMMITTED';
const END_QUERY = 'SET LOCAL lock_timeout TO DEFAULT';

const TRY_LOCK = `SELECT CASE WHEN pg_try_advisory_xact_lock(hashtext('paw migrate')) THEN 1 ELSE 0 END AS is_locked`;

const LOCK_INTERVAL_MS = 250;

/** See `Engine.migrating`. The lock is that of a transaction, since a pooler keeps none of a session. */
export async function migrating<T>(
  pool: ConnectionPool,
  work: (schema: SchemaChanges) => Promise<T>,
): Promise<T> {
  const schema: SchemaChanges = {
    transaction: (inner) => inTransaction(pool, undefined, inner),
    createIndex: (index) => createIndex(pool, index),
  };
  for (;;) {
    const ended = await inTransaction(pool, undefined, async (transaction) => {
      await transaction.write(READ_COMMITTED);
      const [lock] = await transaction.read<{ is_locked: 0 | 1 }>(TRY_LOCK);
      await transaction.write(END_QUERY);
      return lock?.is_locked === 1 ? { result: await work(schema) } : undefined;
    });
    if (ended !== undefined) return ended.result;
    await delay(LOCK_INTERVAL_MS);
  }
}

/** Creates an index beside writes, which a transaction can't. An interrupted attempt leaves an invalid one. */
function createIndex(pool: ConnectionPool, { name, sql }: Index): Promise<void> {
  return pool.use({ deadline: undefined }, async (session) => {
    await session.query(`DROP INDEX CONCURRENTLY IF EXISTS ${name}`);
    await session.query(sql.replace('INDEX', 'INDEX CONCURRENTLY'));
  });
}
