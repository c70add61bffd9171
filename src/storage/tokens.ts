import { Keyv } from 'keyv';
import type { Principal } from '../model/principal.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { KeyvAdapter } from './keyv-adapter.ts';

/** What is kept of a token. */
export type TokenRecord = {
  /** The SHA-256 of the token, in hexadecimal digits. */
  readonly hash: string;
  readonly principal: Principal;
};

/** The tokens that are live. Each belongs to an owner, an account or an app, which may have many. */
export type Tokens = {
  /** Returns what is kept of a token, or undefined if it is unknown, expired or revoked. */
  find(ownerId: Ulid, serial: Ulid): Promise<TokenRecord | undefined>;
  /** Keeps a token for `ttlMs` milliseconds. */
  add(ownerId: Ulid, serial: Ulid, record: TokenRecord, ttlMs: number): Promise<void>;
  /** Ends a token, and returns whether it was live. */
  revoke(ownerId: Ulid, serial: Ulid): Promise<boolean>;
  /** Ends all tokens of an owner. */
  revokeAll(ownerId: Ulid): Promise<void>;
};

/**
 * Opens the tokens on a database, or on a transaction of it. They are kept in
 * Keyv, one namespace for each owner.
 *
 * @param clock tells the time, in Unix milliseconds
 */
export function openTokens(database: Queryable, clock: () => number): Tokens {
  // An error that Keyv kept to itself would turn an outage into an unknown token.
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
