import type { KeyvStoreAdapter } from 'keyv';
import { IF_FIRST, type Queryable } from './database.ts';
import { TOKEN } from './tables.ts';

// An entry of an account that is suspended or deleted is not found.
const GET = `SELECT token.value, token.expire_time_ms FROM token JOIN account ON account.id = token.account_id
WHERE token.account_id = $1 AND token.id = $2 AND account.id = $1 AND account.state = 'ACTIVE'`;

const SET = `INSERT INTO token (${TOKEN}) SELECT $1, $2, $3, $4, $5, $6 WHERE ${IF_FIRST}
ON CONFLICT (account_id, id) DO UPDATE SET value = excluded.value, expire_time_ms = excluded.expire_time_ms`;

const DELETE = 'DELETE FROM token WHERE account_id = $1 AND id = $2 RETURNING expire_time_ms';

const CLEAR = 'DELETE FROM token WHERE account_id = $1';

/** The app that signed in, and the public id of its key. Both are empty for an account token. */
export type AppOfToken = { readonly id: string; readonly keyId: string };

const NO_APP: AppOfToken = { id: '', keyId: '' };

type Entry = { readonly value: string; readonly expire_time_ms: number | null };

/**
 * A Keyv storage adapter for the table `token` of a database, or of a transaction on it.
 * Keyv's key is `<account>:<id>`, which is stored in two columns. A namespace is an account.
 */
export class KeyvAdapter implements KeyvStoreAdapter {
  readonly opts = {};
  /** Set by the Keyv instance that uses the adapter. */
  namespace?: string;
  readonly #database: Queryable;
  readonly #clock: () => number;
  readonly #app: AppOfToken;

  /**
   * @param clock returns the current time, in Unix milliseconds
   * @param app the app of the entries that `set` inserts
   */
  constructor(database: Queryable, clock: () => number, app = NO_APP) {
    this.#database = database;
    this.#clock = clock;
    this.#app = app;
  }

  /**
   * Returns the serialized value of an entry, or undefined if the entry does not exist or has expired, or if its
   * account is not active.
   */
  // The type parameter is part of Keyv's interface. The value is always a string.
  async get<V>(key: string): Promise<V | undefined> {
    const [row] = await this.#database.read<Entry>(GET, columns(key));
    const isLive = row !== undefined && (row.expire_time_ms ?? Infinity) > this.#clock();
    return isLive ? (row.value as V) : undefined;
  }

  /** Inserts or replaces an entry. @param ttl the time to live, in milliseconds; an entry without it does not expire */
  async set(key: string, value: string, ttl?: number): Promise<void> {
    const expireTimeMs = ttl === undefined ? null : this.#clock() + ttl;
    const params = [...columns(key), this.#app.id, this.#app.keyId, value, expireTimeMs];
    await this.#database.write(SET, params);
  }

  /** Deletes an entry. Returns whether it existed and had not expired. */
  async delete(key: string): Promise<boolean> {
    const [row] = await this.#database.write<{ expire_time_ms: number | null }>(DELETE, columns(key));
    return row !== undefined && (row.expire_time_ms ?? Infinity) > this.#clock();
  }

  /** Deletes all entries of an account. */
  async clear(): Promise<void> {
    await this.#database.write(CLEAR, [this.namespace ?? '']);
  }

  /** Ignores listeners: Keyv subscribes to error events, but this adapter reports errors only by rejected promises. */
  on(): this {
    return this;
  }
}

function columns(key: string): [accountId: string, id: string] {
  const colon = key.indexOf(':');
  return [key.slice(0, Math.max(colon, 0)), key.slice(colon + 1)];
}
