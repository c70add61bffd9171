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

/** A token with its public data, and the SHA-256 of its secret. */
export type TokenItem = TokenRecord & {
  readonly ownerId: Ulid;
  /** The id of the token, which sorts by the time of issue. */
  readonly id: Ulid;
  /** Unix time in milliseconds. */
  readonly expireTimeMs: number;
};

/** The store of valid tokens. The owner of a token is an account or an app, and can have many tokens. */
export type TokenStore = {
  /**
   * Returns the data of a token, or undefined if it is unknown, expired or revoked, or if its account is not active.
   * @throws UNAVAILABLE if the database is unavailable
   */
  find(ownerId: Ulid, serial: Ulid): Promise<TokenRecord | undefined>;
  /**
   * Stores a token with a time to live of `ttlMs` milliseconds.
   * @param appKeyId the public id of the app key for which the token is issued; empty for an account token
   * @throws UNAVAILABLE if the database is unavailable
   */
  add(ownerId: Ulid, serial: Ulid, record: TokenRecord, ttlMs: number, appKeyId: string): Promise<void>;
  /** Revokes a token. Returns whether it was valid. @throws UNAVAILABLE if the database is unavailable */
  revoke(ownerId: Ulid, serial: Ulid): Promise<boolean>;
  /** Revokes all tokens of an owner. @throws UNAVAILABLE if the database is unavailable */
  revokeAll(ownerId: Ulid): Promise<void>;
};

/** The number up to which valid tokens are counted. */
export const MAX_COUNTED_TOKENS = 100_000;

// The serials of an owner sort by the time of issue.
const REVOKE_OLDEST = `DELETE FROM token WHERE namespace = $1 AND key <=
  (SELECT key FROM token WHERE namespace = $1 ORDER BY key DESC LIMIT 1 OFFSET $2)`;

const REVOKE_OTHER_KEYS = 'DELETE FROM token WHERE namespace = $1 AND app_key_id <> $2';

const SHORTEN = 'UPDATE token SET expire_time_ms = $2 WHERE namespace = $1 AND expire_time_ms > $2';

const ITEM = 'SELECT namespace, key, value, expire_time_ms FROM token';

const FIND = `${ITEM} WHERE namespace = $1 AND key = $2`;

const FIND_OF_ACCOUNT = `${ITEM} WHERE account_id = $1 AND key = $2`;

const REVOKE_OF_ACCOUNT = 'DELETE FROM token WHERE account_id = $1 AND key = $2 RETURNING key';

const LIST = `${ITEM} WHERE account_id = $1 AND key > $2 AND expire_time_ms > $4 ORDER BY key LIMIT $3`;

// The expression must be the same as in the index `token_by_name`.
const REVOKE_ONE = `DELETE FROM token WHERE 'tokens/' || key = $1 AND expire_time_ms > $2
RETURNING namespace, account_id`;

// The limit bounds the time for which SQLite blocks the event loop, to about 5 ms.
const COUNT = `SELECT COUNT(*) AS count FROM
  (SELECT 1 FROM token WHERE expire_time_ms > $1 LIMIT ${MAX_COUNTED_TOKENS}) AS valid`;

const REVOKE_OWNER = 'DELETE FROM token WHERE namespace = $1 AND expire_time_ms > $2 RETURNING key';

const REVOKE_ACCOUNT = `DELETE FROM token WHERE (namespace, key) IN
  (SELECT namespace, key FROM token WHERE account_id = $1 AND expire_time_ms > $2 LIMIT $3) RETURNING key`;

type ItemRow = {
  readonly namespace: Ulid;
  readonly key: Ulid;
  readonly value: string;
  readonly expire_time_ms: number;
};

/**
 * Returns the token store of a database, or of a transaction on it. The store is a Keyv with
 * one namespace per owner.
 *
 * @param clock returns the current time, in Unix milliseconds
 */
export function tokenStore(database: Queryable, clock: () => number): TokenStore {
  // If Keyv caught errors, a token would seem unknown during an outage.
  const settings = { throwOnErrors: true, emitErrors: false };
  const keyvOf = (accountId?: Ulid, appKeyId?: string) =>
    new Keyv<TokenRecord>({
      ...settings,
      store: new KeyvAdapter(database, clock, accountId, appKeyId),
      useKeyPrefix: false,
      serialize: JSON.stringify,
      deserialize: JSON.parse,
    });
  const keyv = keyvOf();
  const keyOf = (ownerId: Ulid, serial: Ulid) => `${ownerId}:${serial}`;

  return {
    find: (ownerId, serial) => keyv.get(keyOf(ownerId, serial)),

    async add(ownerId, serial, record, ttlMs, appKeyId) {
      await keyvOf(record.principal.accountId, appKeyId).set(keyOf(ownerId, serial), record, ttlMs);
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

/**
 * Ends the tokens of an app after a rotation of its key: those of the previous key with the key, those of earlier keys
 * at once.
 *
 * @param previousKeyId the public id of the previous key
 * @param expireTimeMs the end of the previous key: Unix time in milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function endTokensWithKey(
  transaction: Queryable,
  appId: Ulid,
  previousKeyId: string,
  expireTimeMs: number,
): Promise<void> {
  await transaction.query(REVOKE_OTHER_KEYS, [appId, previousKeyId]);
  await transaction.query(SHORTEN, [appId, expireTimeMs]);
}

/**
 * Returns a stored token, also one that has expired or whose account is not active, or undefined if it does not exist.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function findToken(
  database: Queryable,
  ownerId: Ulid,
  id: Ulid,
): Promise<TokenItem | undefined> {
  const [row] = await database.query<ItemRow>(FIND, [ownerId, id]);
  return row && itemFromRow(row);
}

/**
 * Returns a token of an account or of one of its apps, also one that has expired, or undefined if it does not exist.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function findTokenOfAccount(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<TokenItem | undefined> {
  const [row] = await database.query<ItemRow>(FIND_OF_ACCOUNT, [accountId, id]);
  return row && itemFromRow(row);
}

/**
 * Revokes a token of an account or of one of its apps, if it exists.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function revokeTokenOfAccount(database: Queryable, accountId: Ulid, id: Ulid): Promise<void> {
  await database.query(REVOKE_OF_ACCOUNT, [accountId, id]);
}

/**
 * Returns at most `limit` valid tokens of an account and of its apps whose id is greater than `after`, in the order
 * of their ids.
 *
 * @param now the current time, in Unix milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function listTokens(
  database: Queryable,
  accountId: Ulid,
  after: Ulid | '',
  limit: number,
  now: number,
): Promise<readonly TokenItem[]> {
  const rows = await database.query<ItemRow>(LIST, [accountId, after, limit, now]);
  return rows.map(itemFromRow);
}

/**
 * Returns the number of tokens that have not expired, or `MAX_COUNTED_TOKENS` if there are more.
 *
 * @param now the current time, in Unix milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function countTokens(database: Queryable, now: number): Promise<number> {
  const [row] = await database.query<{ count: number }>(COUNT, [now]);
  return row?.count ?? 0;
}

/**
 * Revokes the valid token with this id. Returns its owner and its account, or undefined if there is no such token.
 *
 * @param now the current time, in Unix milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function revokeTokenById(
  database: Queryable,
  id: Ulid,
  now: number,
): Promise<{ readonly ownerId: Ulid; readonly accountId: Ulid } | undefined> {
  const [row] = await database.query<{ namespace: Ulid; account_id: Ulid }>(REVOKE_ONE, [
    `tokens/${id}`,
    now,
  ]);
  return row && { ownerId: row.namespace, accountId: row.account_id };
}

/**
 * Revokes all valid tokens of an owner, an account or an app. Returns their number.
 *
 * @param now the current time, in Unix milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function revokeTokensOfOwner(database: Queryable, ownerId: Ulid, now: number): Promise<number> {
  const rows = await database.query(REVOKE_OWNER, [ownerId, now]);
  return rows.length;
}

/** The maximum number of tokens that `revokeTokensOfAccount` revokes: one statement locks out other writes. */
export const MAX_REVOKED = 1000;

/**
 * Revokes at most `MAX_REVOKED` valid tokens of an account and of its apps. Returns their number.
 *
 * @param now the current time, in Unix milliseconds
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function revokeTokensOfAccount(
  database: Queryable,
  accountId: Ulid,
  now: number,
): Promise<number> {
  const { length } = await database.query(REVOKE_ACCOUNT, [accountId, now, MAX_REVOKED]);
  return length;
}

function itemFromRow({ namespace, key, value, expire_time_ms }: ItemRow): TokenItem {
  // Keyv stores a value in an object, beside its expiry.
  const { value: record }: { value: TokenRecord } = JSON.parse(value);
  return { ...record, ownerId: namespace, id: key, expireTimeMs: expire_time_ms };
}
