import { Keyv, type KeyvStoreAdapter } from 'keyv';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import { IF_FIRST, type Queryable } from './database.ts';
import { placeholders } from './row-statements.ts';
import { namesOf, type RowOf, TOKEN, valuesOf } from './tables.ts';

/** The stored data of a token. */
export type TokenRecord = {
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly principal: Scope;
};

/** The data of a valid token, and its last use. */
export type FoundToken = TokenRecord & {
  /** Unix time in milliseconds, up to an hour too early; null before the first use. */
  readonly lastUseTimeMs: number | null;
};

/** The columns of a new token that Keyv does not know. Those of the app are empty for an account token. */
export type TokenColumns = Partial<RowOf<'app_id, app_key_id, title'>>;

/** The store of valid tokens. */
export type TokenStore = {
  /**
   * Returns the data of a token, or undefined if it is unknown, expired or revoked, or if its account is not active.
   */
  find(accountId: Ulid, id: Ulid): Promise<FoundToken | undefined>;
  /** Stores a token with a time to live of `ttlMs` milliseconds. */
  add(id: Ulid, record: TokenRecord, ttlMs: number): Promise<void>;
};

const DEFAULTS = { app_id: '', app_key_id: '', title: '' };

type Entry = { readonly value: string } & Expiry & RowOf<'last_use_time_ms'>;

type Expiry = { readonly expire_time_ms: number | null };

const COLUMNS = namesOf(TOKEN);

// An entry of an account that is suspended or deleted is not found.
const GET = `SELECT token.value, token.expire_time_ms, token.last_use_time_ms
FROM token JOIN account ON account.id = token.account_id
WHERE token.account_id = $1 AND token.id = $2 AND account.id = $1 AND account.state = 'ACTIVE'`;

const SET = `INSERT INTO token (${TOKEN}) SELECT ${placeholders(COLUMNS, 1)} WHERE ${IF_FIRST}
ON CONFLICT (account_id, id) DO UPDATE SET value = excluded.value, expire_time_ms = excluded.expire_time_ms`;

const DELETE = 'DELETE FROM token WHERE account_id = $1 AND id = $2 RETURNING expire_time_ms';

const CLEAR = 'DELETE FROM token WHERE account_id = $1';

/**
 * Returns the token store of a database, or of a transaction on it. The store is a Keyv with
 * one namespace per account.
 *
 * @param clock returns the current time, in Unix milliseconds
 * @param columns further columns of the tokens that are added
 */
export function tokenStore(database: Queryable, clock: () => number, columns?: TokenColumns): TokenStore {
  const keyv = new Keyv({
    // If Keyv caught errors, a token would seem unknown during an outage.
    throwOnErrors: true,
    emitErrors: false,
    store: new TokenAdapter(database, clock, columns),
    useKeyPrefix: false,
    serialize: JSON.stringify,
    deserialize: parseEntry,
  });
  return {
    find: (accountId, id) => keyv.get<FoundToken>(`${accountId}:${id}`),

    async add(id, record, ttlMs) {
      await keyv.set(`${record.principal.accountId}:${id}`, record, ttlMs);
    },
  };
}

/** Returns the entry of Keyv in a column `value`, which has the data of the token beside its expiry. */
export function parseEntry(value: string) {
  return JSON.parse(value);
}

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
  readonly #columns: TokenColumns;

  /**
   * @param clock returns the current time, in Unix milliseconds
   * @param columns further columns of the entries that `set` inserts
   */
  constructor(database: Queryable, clock: () => number, columns: TokenColumns = {}) {
    this.#database = database;
    this.#clock = clock;
    this.#columns = columns;
  }

  /**
   * Returns the serialized value of an entry, or undefined if the entry does not exist or has expired, or if its
   * account is not active.
   */
  // The type parameter is part of Keyv's interface. The value is always a string.
  async get<V>(key: string): Promise<V | undefined> {
    const [row] = await this.#database.read<Entry>(GET, idOf(key));
    return row !== undefined && this.#isLive(row) ? (this.entryOf(row) as V) : undefined;
  }

  /** Returns the entry of a row, as text or as the object that Keyv makes of it. */
  protected entryOf({ value }: Entry): unknown {
    return value;
  }

  /** Inserts or replaces an entry. @param ttl the time to live, in milliseconds; an entry without it does not expire */
  async set(key: string, value: string, ttl?: number): Promise<void> {
    const [account_id, id] = idOf(key);
    const expire_time_ms = ttl === undefined ? null : this.#clock() + ttl;
    const row = { ...DEFAULTS, ...this.#columns, account_id, id, value, expire_time_ms };
    await this.#database.write(SET, valuesOf(row, COLUMNS));
  }

  /** Deletes an entry. Returns whether it existed and had not expired. */
  async delete(key: string): Promise<boolean> {
    const [row] = await this.#database.write<Expiry>(DELETE, idOf(key));
    return this.#isLive(row);
  }

  /** Deletes all entries of an account. */
  async clear(): Promise<void> {
    await this.#database.write(CLEAR, [this.namespace ?? '']);
  }

  /** Ignores listeners: Keyv subscribes to error events, but this adapter reports errors only by rejected promises. */
  on(): this {
    return this;
  }

  #isLive(row: Expiry | undefined): boolean {
    return row !== undefined && (row.expire_time_ms ?? Infinity) > this.#clock();
  }
}

/** The adapter of the token store: the value of an entry has the last use of the token as well. */
class TokenAdapter extends KeyvAdapter {
  protected override entryOf({ value, last_use_time_ms }: Entry): unknown {
    const entry = parseEntry(value);
    entry.value.lastUseTimeMs = last_use_time_ms;
    return entry;
  }
}

function idOf(key: string): [accountId: string, id: string] {
  const colon = key.indexOf(':');
  return [key.slice(0, Math.max(colon, 0)), key.slice(colon + 1)];
}
