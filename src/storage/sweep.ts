import { setTimeout as delay } from 'node:timers/promises';
import { firstUlid } from '../model/resource-name.ts';
import type { Database } from './database.ts';

const DAY_MS = 86_400_000;

const INTERVAL_MS = 60_000;

// Limits how long one statement of a sweep locks out other writes and, on SQLite, all requests: about 10 ms.
const BATCH_SIZE = 100;

const DELETIONS = [
  ['token', 'account_id, id', 'expire_time_ms'],
  ['idempotency_key', 'account_id, principal_id, key_hash', 'expire_time_ms'],
  // The expression must be the same as in the index `audit_event_by_name`.
  ['audit_event', 'account_id, id', "'events/' || id"],
] as const;

/** Options of a sweep. */
export type SweepOptions = {
  /** The number of days for which audit events are kept; 0 keeps them for ever. */
  readonly auditDays: number;
  /** Returns the current time, in Unix milliseconds. */
  readonly clock: () => number;
  /** Ends the sweep after its current batch. */
  readonly signal?: AbortSignal;
  /** Is called after each batch that has deleted rows of a table, with their number. */
  readonly onDeleted: (table: string, count: number) => void;
};

/** Deletes expired rows and old audit events, in batches. Several instances may do so at the same time. */
export async function sweepExpired(
  database: Pick<Database, 'read' | 'write'>,
  { auditDays, clock, signal, onDeleted }: SweepOptions,
): Promise<void> {
  // The id of an event begins with its time.
  const lastEvent = () => `events/${auditDays === 0 ? '' : firstUlid(clock() - auditDays * DAY_MS)}`;
  for (const [table, key, position] of DELETIONS) {
    const last = table === 'audit_event' ? lastEvent : clock;
    // Without the order, PostgreSQL expects to find an old row early, and scans the table.
    const find = `SELECT ${key} FROM ${table} WHERE ${position} <= $1 ORDER BY ${position} LIMIT $2`;
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (${find}) RETURNING 1 AS one`;
    // Without expired rows, nothing is written.
    let count = (await database.read(find, [last(), 1])).length === 0 ? 0 : BATCH_SIZE;
    while (count === BATCH_SIZE && !signal?.aborted) {
      const start = performance.now();
      count = (await database.write(sql, [last(), BATCH_SIZE])).length;
      if (count > 0) onDeleted(table, count);
      // Half of the time is left for requests.
      await delay(performance.now() - start, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Sweeps now, and then once a minute.
 *
 * @param onError is called with the error of a sweep; the next one tries again
 * @returns a function that ends this after the current batch
 */
export function startSweeper(
  database: Pick<Database, 'read' | 'write'>,
  options: Omit<SweepOptions, 'signal'>,
  onError: (error: unknown) => void,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;

  async function run(): Promise<void> {
    while (!signal.aborted) {
      await sweepExpired(database, { ...options, signal }).catch(onError);
      await delay(INTERVAL_MS, undefined, { signal }).catch(() => {});
    }
  }

  const running = run();
  return () => {
    stopping.abort();
    return running;
  };
}
