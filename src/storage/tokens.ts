import { Keyv } from 'keyv';
import type { Scope } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { KeyvAdapter } from './keyv-adapter.ts';

/** The stored data of a token. */
export type TokenRecord = {
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly principal: Scope;
};

/** The store of valid tokens. The owner of a token is an account or an app, and can have many tokens. */
export type TokenStore = {
  /**
   * Returns the data of a token, or undefined if it is unknown, expired or revoked.
   * @throws UNAVAILABLE if the database is unavailable
   */
  find(ownerId: Ulid, serial: Ulid): Promise<TokenRecord | undefined>;
  /** Stores a token with a time to live of `ttlMs` milliseconds. @throws UNAVAILABLE if the database is unavailable */
  add(ownerId: Ulid, serial: Ulid, record: TokenRecord, ttlMs: number): Promise<void>;
  /** Revokes a token. Returns whether it was valid. @throws UNAVAILABLE if the database is unavailable */
  revoke(ownerId: Ulid, serial: Ulid): Promise<boolean>;
  /** Revokes all tokens of an owner. @throws UNAVAILABLE if the database is unavailable */
  revokeAll(ownerId: Ulid): Promise<void>;
};

// The serials of an owner sort by the time of issue.
const REVOKE_OLDEST = `DELETE FROM token WHERE namespace = $1 AND key <=
  (SELECT key FROM token WHERE namespace = $1 ORDER BY key DESC LIMIT 1 OFFSET $2)`;

/**
 * Returns the token store of a database, or of a transaction on it. The store is a Keyv with
 * one namespace per owner.
 *
 * @param clock returns the current time, in Unix milliseconds
 */
export function tokenStore(database: Queryable, clock: () => number): TokenStore {
  // If Keyv caught errors, a token would seem unknown during an outage.
  const settings = { throwOnErrors: true, emitErrors: false };
  const keyv = new Keyv<TokenRecord>({
    ...settings,
    store: new KeyvAdapter(database, clock),
    useKeyPrefix: false,
    serialize: JSON.stringify,
    deserialize: JSON.parse,
  });
  const keyOf = (ownerId: Ulid, serial: Ulid) => `${ownerId}:${serial}`;

  return {
    find: (ownerId, serial) => keyv.get(keyOf(ownerId, serial)),

    async add(ownerId, serial, record, ttlMs) {
      await keyv.set(keyOf(ownerId, serial), record, ttlMs);
    },

    revoke: (ownerId, serial) => keyv.delete(keyOf(ownerId, serial)),

    revokeAll: (ownerId) =>
      new Keyv({ ...settings, store: new KeyvAdapter(database, clock), namespace: ownerId }).clear(),
  };
}

/**
 * Revokes the oldest tokens of an owner, so that at most `count` tokens remain.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function revokeOldestTokens(database: Queryable, ownerId: Ulid, count: number): Promise<void> {
  await database.query(REVOKE_OLDEST, [ownerId, count]);
}
