import type { KeyvStoreAdapter } from 'keyv';
import type { Queryable } from './database.ts';

const GET = 'SELECT value, expire_time_ms FROM token WHERE namespace = $1 AND key = $2';

const SET = `INSERT INTO token (namespace, key, value, expire_time_ms) VALUES ($1, $2, $3, $4)
ON CONFLICT (namespace, key) DO UPDATE SET value = excluded.value, expire_time_ms = excluded.expire_time_ms`;

const DELETE = 'DELETE FROM token WHERE namespace = $1 AND key = $2 RETURNING expire_time_ms';

const CLEAR = 'DELETE FROM token WHERE namespace = $1';

const FIND_EXPIRED = 'SELECT key FROM token WHERE expire_time_ms <= $1 LIMIT 1';

const SWEEP = `DELETE FROM token WHERE (namespace, key) IN
  (SELECT namespace, key FROM token WHERE expire_time_ms <= $1 LIMIT $2) RETURNING key`;

// So that a sweep of many never keeps the others from writing for long.
const SWEEP_BATCH = 1000;

type Entry = { readonly value: string; readonly expire_time_ms: number | null };

/**
 * Keyv's storage on a database, or on a transaction of it: the table `token`.
 * Keyv's key `<namespace>:<key>` becomes its two columns.
 */
export class KeyvAdapter implements KeyvStoreAdapter {
  readonly opts = {};
  /** Set by the Keyv that the adapter is given to. */
  namespace?: string;
  readonly #database: Queryable;
  readonly #clock: () => number;

  /** @param clock tells the time, in Unix milliseconds */
  constructor(database: Queryable, clock: () => number) {
    this.#database = database;
    this.#clock = clock;
  }

  /** Returns the entry in its serialised form, or undefined if there is none or it has expired. */
  // Keyv's type lets the caller name what it expects; what comes is always text.
  async get<V>(key: string): Promise<V | undefined> {
    const [row] = await this.#database.query<Entry>(GET, columns(key));
    const isLive = row !== undefined && (row.expire_time_ms ?? Infinity) > this.#clock();
    return isLive ? (row.value as V) : undefined;
  }

  /** @param ttl the time to live, in milliseconds; without it the entry stays */
  async set(key: string, value: string, ttl?: number): Promise<void> {
    await this.#database.query(SET, [...columns(key), value, ttl === undefined ? null : this.#clock() + ttl]);
  }

  /** Returns whether there was such an entry that had not expired. */
  async delete(key: string): Promise<boolean> {
    const [row] = await this.#database.query<{ expire_time_ms: number | null }>(DELETE, columns(key));
    return row !== undefined && (row.expire_time_ms ?? Infinity) > this.#clock();
  }

  /** Deletes all entries of the namespace. */
  async clear(): Promise<void> {
    await this.#database.query(CLEAR, [this.namespace ?? '']);
  }

  /** Keyv listens for errors that come on their own; here each comes from a call, which throws it. */
  on(): this {
    return this;
  }
}

/** Deletes the entries that have expired by `now`, Unix milliseconds, and returns their number. */
export async function sweepExpired(database: Queryable, now: number): Promise<number> {
  // Without expired entries no lock is taken.
  const expired = await database.query(FIND_EXPIRED, [now]);
  if (expired.length === 0) return 0;
  let total = 0;
  for (;;) {
    const { length } = await database.query(SWEEP, [now, SWEEP_BATCH]);
    total += length;
    if (length < SWEEP_BATCH) return total;
  }
}

function columns(key: string): [namespace: string, key: string] {
  const colon = key.indexOf(':');
  return [key.slice(0, Math.max(colon, 0)), key.slice(colon + 1)];
}
