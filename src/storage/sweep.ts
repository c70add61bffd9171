import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { firstUlid } from '../model/resource-name.ts';
import type { Database, Value } from './database.ts';

const DAY_MS = 86_400_000;

// Nothing is deleted before the clock has been trusted for this time. A clock that is wrong at one start thus deletes
// nothing.
const TRUST_MS = DAY_MS;

// An instance that has not swept for this time has lost its claim.
const CLAIM_MS = 60_000;

// Longer than a claim, so that instances take turns only if one of them ends.
const MIN_INTERVAL_MS = 60_000;
const MAX_INTERVAL_MS = 90_000;

// Limits how long one statement of a sweep locks out other writes and, on SQLite, all requests: about 10 ms.
const BATCH_SIZE = 100;

/** The tables with expired rows, their primary keys, and how long an expired row is kept, in milliseconds. */
const TABLES = [
  ['token', 'account_id, id', TRUST_MS],
  ['idempotency_key', 'account_id, principal_id, key_hash', 0],
] as const;

/** The deletion of the old rows of a table. */
type Sweep = {
  readonly table: string;
  /** Selects a row, if there is one to delete. `$1` is the last position of such rows. */
  readonly find: string;
  /** Deletes at most `$2` rows. */
  readonly delete: string;
  /** Returns the last position of the rows that were found. */
  readonly found: (now: number) => Value;
  /** Returns the last position of the rows to delete. */
  readonly deleted: (now: number) => Value;
};

const EXPIRED: readonly Sweep[] = TABLES.map(([table, key, graceMs]) => ({
  ...sweepOf(table, key, 'expire_time_ms'),
  found: (now) => now,
  deleted: (now) => now - graceMs,
}));

// The id of an event begins with its time. The expression must be the same as in the index `audit_event_by_name`.
const EVENTS = sweepOf('audit_event', 'account_id, id', "'events/' || id");

function sweepOf(table: string, key: string, position: string): Pick<Sweep, 'table' | 'find' | 'delete'> {
  return {
    table,
    // Without the order, PostgreSQL expects to find an old row early, and scans the table.
    find: `SELECT 1 AS one FROM ${table} WHERE ${position} <= $1 ORDER BY ${position} LIMIT 1`,
    delete: `DELETE FROM ${table} WHERE (${key}) IN
  (SELECT ${key} FROM ${table} WHERE ${position} <= $1 ORDER BY ${position} LIMIT $2) RETURNING 1 AS one`,
  };
}

/** Returns the deletion of the audit events that are older than `days`. */
function sweepOfEvents(days: number): Sweep {
  const position = (now: number) => `events/${firstUlid(now - days * DAY_MS)}`;
  return { ...EVENTS, found: position, deleted: position };
}

// The row stays locked until the end of the transaction, so that one instance sweeps at a time. A time that is far
// from the last one, in either direction, means that one of the two clocks is wrong.
const CLAIM = `UPDATE sweep SET holder = $1, time_ms = $2,
  clock_since_ms = CASE WHEN ABS(time_ms - $2) <= ${TRUST_MS} THEN clock_since_ms ELSE $2 END
WHERE id = 1 AND (holder = $1 OR ABS(time_ms - $2) >= ${CLAIM_MS}) RETURNING clock_since_ms`;

/** Is called with the number of expired rows that were deleted from a table. */
type OnDeleted = (table: string, count: number) => void;

/**
 * Deletes expired rows and old audit events in batches, unless another instance is doing this. Tokens are kept for a
 * day after their expiry.
 *
 * @param auditDays the number of days for which audit events are kept; 0 keeps them for ever
 * @param holder the id of this instance
 * @param clock returns the current time, in Unix milliseconds
 * @param signal ends the sweep after its current batch
 * @param onDeleted is called after each batch with the table and the number of deleted rows
 * @returns the number of deleted rows
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function sweepExpired(
  database: Pick<Database, 'read' | 'write' | 'transaction'>,
  auditDays: number,
  holder: string,
  clock: () => number,
  signal?: AbortSignal,
  onDeleted: OnDeleted = () => {},
): Promise<number> {
  let total = 0;
  for (const sweep of auditDays > 0 ? [...EXPIRED, sweepOfEvents(auditDays)] : EXPIRED) {
    // Without expired rows no lock is taken.
    const expired = await database.read(sweep.find, [sweep.found(clock())]);
    for (let isComplete = expired.length === 0; !isComplete; ) {
      const start = performance.now();
      const count = await deleteBatch(database, sweep, holder, clock());
      total += count;
      if (count > 0) onDeleted(sweep.table, count);
      isComplete = count < BATCH_SIZE;
      // Half of the time is left for requests.
      if (!isComplete) await delay(performance.now() - start, undefined, { signal }).catch(() => {});
      if (signal?.aborted) return total;
    }
  }
  return total;
}

/** Deletes at most `BATCH_SIZE` rows, and returns their number. */
function deleteBatch(
  database: Pick<Database, 'transaction'>,
  sweep: Sweep,
  holder: string,
  now: number,
): Promise<number> {
  return database.transaction(async (transaction) => {
    const [claim] = await transaction.write<{ clock_since_ms: number }>(CLAIM, [holder, now]);
    if (claim === undefined || claim.clock_since_ms > now - TRUST_MS) return 0;
    const rows = await transaction.write(sweep.delete, [sweep.deleted(now), BATCH_SIZE]);
    return rows.length;
  });
}

/**
 * Sweeps now, and then at intervals with a random length, so that instances that start together do not sweep together.
 *
 * @param auditDays the number of days for which audit events are kept; 0 keeps them for ever
 * @param onDeleted is called after each batch
 * @param onError is called with the error of a sweep; the next one tries again
 * @returns a function that ends this after the current batch
 */
export function startSweeper(
  database: Database,
  auditDays: number,
  clock: () => number,
  onDeleted: OnDeleted,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const holder = randomUUID();

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await sweepExpired(database, auditDays, holder, clock, signal, onDeleted);
      } catch (error) {
        onError(error);
      }
      const interval = MIN_INTERVAL_MS + Math.random() * (MAX_INTERVAL_MS - MIN_INTERVAL_MS);
      await delay(interval, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
