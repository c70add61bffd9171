import { Keyv } from 'keyv';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { type AppOfToken, KeyvAdapter } from './keyv-adapter.ts';

/** The stored data of a token. */
export type TokenRecord = {
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly principal: Scope;
};

/** The store of valid tokens. */
export type TokenStore = {
  /**
   * Returns the data of a token, or undefined if it is unknown, expired or revoked, or if its account is not active.
   */
  find(accountId: Ulid, id: Ulid): Promise<TokenRecord | undefined>;
  /** Stores a token with a time to live of `ttlMs` milliseconds. */
  add(id: Ulid, record: TokenRecord, ttlMs: number): Promise<void>;
};

/**
 * Returns the token store of a database, or of a transaction on it. The store is a Keyv with
 * one namespace per account.
 *
 * @param clock returns the current time, in Unix milliseconds
 * @param app the app of the tokens that are added; omitted for account tokens
 */
export function tokenStore(database: Queryable, clock: () => number, app?: AppOfToken): TokenStore {
  const keyv = new Keyv<TokenRecord>({
    // If Keyv caught errors, a token would seem unknown during an outage.
    throwOnErrors: true,
    emitErrors: false,
    store: new KeyvAdapter(database, clock, app),
    useKeyPrefix: false,
    serialize: JSON.stringify,
    deserialize: parseEntry,
  });
  const keyOf = (accountId: Ulid, id: Ulid) => `${accountId}:${id}`;

  return {
    find: (accountId, id) => keyv.get(keyOf(accountId, id)),

    async add(id, record, ttlMs) {
      await keyv.set(keyOf(record.principal.accountId, id), record, ttlMs);
    },
  };
}

/** Returns the entry of Keyv in a column `value`, which has the data of the token beside its expiry. */
export function parseEntry(value: string) {
  return JSON.parse(value);
}
