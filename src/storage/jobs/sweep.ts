import { setTimeout as delay } from 'node:timers/promises';
import { firstUlid } from '../../model/resource-name.ts';
import type { Queryable } from '../interface/database.ts';
import type { Engine } from '../interface/engine.ts';
import { prefixedId } from '../sql/columns.ts';

const DAY_MS = 86_400_000;

// Limits how long one statement of a sweep locks out other writes and, on SQLite, all requests: about 10 ms.
const BATCH_SIZE = 100;

const EVENT_NAME = prefixedId('events/');
const TOKEN_NAME = prefixedId('tokens/');

const DELETIONS = [
  ['token', 'account_id, id', 'expire_time_ms'],
  ['idempotency_key', 'account_id, key_hash', 'expire_time_ms'],
  ['audit_event', 'account_id, id', EVENT_NAME],
] as const;

// The id of a row begins with its time.
const FIND_NEWEST = `SELECT
  (SELECT id FROM audit_event WHERE ${EVENT_NAME} > '' ORDER BY ${EVENT_NAME} DESC LIMIT 1) AS event,
  (SELECT id FROM token WHERE ${TOKEN_NAME} > '' ORDER BY ${TOKEN_NAME} DESC LIMIT 1) AS token`;

export type SweepOptions = {
  /** How many days audit events are kept; 0 keeps them permanently. */
  readonly auditDays: number;
  readonly signal?: AbortSignal;
  /** Is called after each batch that has deleted rows of a table, with their number. */
  readonly onDeleted: (table: string, count: number) => void;
};

/**
 * Deletes expired rows and old audit events, in batches. Several instances may do so at the same time.
 *
 * @param now the time by which rows expire, in Unix milliseconds
 */
export async function sweepExpired(
  database: Queryable,
  now: number,
  { auditDays, signal, onDeleted }: SweepOptions,
): Promise<void> {
  const lastEvent = `events/${auditDays === 0 ? '' : firstUlid(now - auditDays * DAY_MS)}`;
  for (const [table, key, position] of DELETIONS) {
    const last = table === 'audit_event' ? lastEvent : now;
    // Without the order, PostgreSQL expects to find an old row early, and scans the table.
    const find = `SELECT ${key} FROM ${table} WHERE ${position} <= $1 ORDER BY ${position} LIMIT $2`;
    const sql = `DELETE FROM ${table} WHERE (${key}) IN (${find}) RETURNING 1 AS one`;
    // Without expired rows, nothing is written.
    let count = (await database.read(find, [last, 1])).length === 0 ? 0 : BATCH_SIZE;
    while (count === BATCH_SIZE && !signal?.aborted) {
      const start = performance.now();
      count = (await database.write(sql, [last, BATCH_SIZE])).length;
      if (count > 0) onDeleted(table, count);
      // Half of the time is left for requests.
      await delay(performance.now() - start, undefined, { signal }).catch(() => {});
    }
  }
}

/**
 * Sweeps at the start, and then at an interval, which is less than a day.
 *
 * A wrong clock must not delete valid rows: if the clock is more than a day ahead of the newest row, or of the last
 * sweep, nothing is deleted until it has been so for a day.
 */
export class Sweeper {
  readonly #database: Pick<Engine, 'read' | 'write' | 'expiryTime'>;
  readonly #clock: () => number;
  readonly #options: SweepOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> | undefined;
  /** The id of the newest row at the start, then the first id of the time of the last sweep. */
  #lastId: string | undefined;
  /** Since when the clock is ahead, as `performance.now()`. */
  #aheadSinceMs: number | undefined;

  /** @param clock returns the current time, in Unix milliseconds; see `Engine.expiryTime` */
  constructor(
    database: Pick<Engine, 'read' | 'write' | 'expiryTime'>,
    clock: () => number,
    options: Omit<SweepOptions, 'signal'>,
  ) {
    this.#database = database;
    this.#clock = clock;
    this.#options = { ...options, signal: this.#stopping.signal };
  }

  /** Begins to sweep. @param onError is called with the error of a sweep; the next one tries again */
  start(intervalMs: number, onError: (error: unknown) => void): void {
    this.#running = this.#run(intervalMs, onError);
  }

  /** Ends the sweeps after the current batch. */
  async close(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  /** Sweeps once. @throws Error if the clock is ahead, and was not in the sweep before */
  async sweep(): Promise<void> {
    const now = await this.#database.expiryTime(this.#clock);
    this.#lastId ??= (await this.#newestId()) ?? firstUlid(now);
    if (this.#lastId < firstUlid(now - DAY_MS)) {
      if (this.#aheadSinceMs === undefined) {
        this.#aheadSinceMs = performance.now();
        throw new Error(
          'The clock is more than a day ahead of the newest row. Nothing is deleted for a day.',
        );
      }
      if (performance.now() - this.#aheadSinceMs < DAY_MS) return;
    }
    this.#lastId = firstUlid(now);
    this.#aheadSinceMs = undefined;
    await sweepExpired(this.#database, now, this.#options);
  }

  async #run(intervalMs: number, onError: (error: unknown) => void): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.sweep().catch(onError);
      await delay(intervalMs, undefined, { signal }).catch(() => {});
    }
  }

  async #newestId(): Promise<string | undefined> {
    const [row = {}] = await this.#database.read<Record<string, string | null>>(FIND_NEWEST);
    return Object.values(row)
      .filter((id) => id !== null)
      .sort()
      .at(-1);
  }
}
