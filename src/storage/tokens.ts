import type { Ulid } from '../model/resource-name.ts';
import { LAST_USE_INTERVAL_MS } from './background-writes.ts';
import type { Queryable, Statement } from './database.ts';
import { List } from './list.ts';
import type { RowOf } from './tables.ts';
import { type FoundToken, parseEntry } from './token-store.ts';

/** A token with its public data, and the SHA-256 of its secret. */
export type TokenItem = FoundToken & {
  /** The app that signed in; undefined for an account token. */
  readonly appId: Ulid | undefined;
  /** The id of the token, which sorts by the time of issue. */
  readonly id: Ulid;
  readonly title: string;
  /** Unix time in milliseconds. */
  readonly expireTimeMs: number;
};

/** The number up to which valid tokens are counted. */
export const MAX_COUNTED_TOKENS = 100_000;

const REVOKE_OTHER_KEYS = 'DELETE FROM token WHERE account_id = $1 AND app_id = $2 AND app_key_id <> $3';

const SHORTEN = `UPDATE token SET expire_time_ms = $3
WHERE account_id = $1 AND app_id = $2 AND expire_time_ms > $3`;

const COLUMNS = 'id, app_id, title, value, expire_time_ms, last_use_time_ms';

/** The columns of a token that make a `TokenItem`. */
export type TokenRow = RowOf<typeof COLUMNS>;

/** The tokens of an account and of its apps that are valid after a time. */
export const TOKENS = new List<TokenRow>(
  { name: 'token', columns: COLUMNS },
  { where: ['account_id =', 'expire_time_ms >'] },
);

const ITEM = `SELECT ${COLUMNS} FROM token`;

const FIND = `${ITEM} WHERE account_id = $1 AND id = $2`;

// The expression must be the same as in the index `token_by_name`.
const FIND_BY_NAME = `${ITEM} WHERE 'tokens/' || id = $1`;

const REVOKE = `DELETE FROM token WHERE account_id = $1 AND id = $2 AND expire_time_ms > $3
RETURNING account_id, app_id`;

const REVOKE_BY_NAME = `DELETE FROM token WHERE 'tokens/' || id = $1 AND expire_time_ms > $2
RETURNING account_id, app_id`;

const USE = `UPDATE token SET last_use_time_ms = $3
WHERE account_id = $1 AND id = $2 AND COALESCE(last_use_time_ms, 0) <= $4`;

// The limit bounds the time for which SQLite blocks the event loop, to about 5 ms.
const COUNT = `SELECT COUNT(*) AS count FROM
  (SELECT 1 FROM token WHERE expire_time_ms > $1 LIMIT ${MAX_COUNTED_TOKENS}) AS valid`;

const REVOKE_OF_APP = 'DELETE FROM token WHERE account_id = $1 AND app_id = $2 RETURNING expire_time_ms';

const REVOKE_OF_ACCOUNT = `DELETE FROM token WHERE account_id = $1 AND id IN
  (SELECT id FROM token WHERE account_id = $1 AND expire_time_ms > $2 LIMIT $3) RETURNING id`;

/**
 * Ends the tokens of an app after a rotation of its key: those of the previous key at `expireTimeMs`, with the key, those
 * of earlier keys at once.
 */
export async function endTokensWithKey(
  transaction: Queryable,
  accountId: Ulid,
  appId: Ulid,
  previousKeyId: string,
  expireTimeMs: number,
): Promise<void> {
  await transaction.write(REVOKE_OTHER_KEYS, [accountId, appId, previousKeyId]);
  await transaction.write(SHORTEN, [accountId, appId, expireTimeMs]);
}

/** Returns a token of any account, also one that has expired or whose account is not active. */
export async function findTokenById(database: Queryable, id: Ulid): Promise<TokenItem | undefined> {
  const [row] = await database.read<TokenRow>(FIND_BY_NAME, [`tokens/${id}`]);
  return row && tokenItem(row);
}

/** Returns a token of an account or of one of its apps, also one that has expired. */
export async function findToken(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<TokenItem | undefined> {
  const [row] = await database.read<TokenRow>(FIND, [accountId, id]);
  return row && tokenItem(row);
}

/** A token that has ended: its account, and its app if it is a project token. */
export type RevokedToken = { readonly accountId: Ulid; readonly appId: Ulid | undefined };

/** Revokes a token of an account or of one of its apps, if it is valid at `now`. Returns undefined if it is not. */
export async function revokeToken(
  database: Pick<Queryable, 'write'>,
  accountId: Ulid,
  id: Ulid,
  now: number,
): Promise<RevokedToken | undefined> {
  return revokedToken(await database.write<RevokedRow>(REVOKE, [accountId, id, now]));
}

/** Returns the statement that stores `now` as the last use of a token, or undefined if the stored one is recent. */
export function lastUseStatement(
  accountId: Ulid,
  id: Ulid,
  { lastUseTimeMs }: FoundToken,
  now: number,
): Statement | undefined {
  const before = now - LAST_USE_INTERVAL_MS;
  return (lastUseTimeMs ?? 0) > before ? undefined : { sql: USE, params: [accountId, id, now, before] };
}

/** Returns the number of tokens that are valid at `now`, or `MAX_COUNTED_TOKENS` if there are more. */
export async function countTokens(database: Queryable, now: number): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT, [now]);
  return row?.count ?? 0;
}

/** Revokes a token of any account, if it is valid at `now`. Returns undefined if it is not. */
export async function revokeTokenById(
  database: Queryable,
  id: Ulid,
  now: number,
): Promise<RevokedToken | undefined> {
  return revokedToken(await database.write<RevokedRow>(REVOKE_BY_NAME, [`tokens/${id}`, now]));
}

type RevokedRow = RowOf<'account_id, app_id'>;

function revokedToken([row]: readonly RevokedRow[]): RevokedToken | undefined {
  return row && { accountId: row.account_id, appId: row.app_id || undefined };
}

/** Revokes all tokens of an app. Returns the number of those that were valid at `now`. */
export async function revokeTokensOfApp(
  database: Queryable,
  accountId: Ulid,
  appId: Ulid,
  now: number,
): Promise<number> {
  const rows = await database.write<{ expire_time_ms: number }>(REVOKE_OF_APP, [accountId, appId]);
  return rows.filter((row) => row.expire_time_ms > now).length;
}

/** The maximum number of tokens that `revokeTokensOfAccount` revokes: one statement locks out other writes. */
export const MAX_REVOKED = 1000;

/** Revokes at most `MAX_REVOKED` tokens of an account and of its apps that are valid at `now`. Returns their number. */
export async function revokeTokensOfAccount(
  database: Queryable,
  accountId: Ulid,
  now: number,
): Promise<number> {
  const { length } = await database.write(REVOKE_OF_ACCOUNT, [accountId, now, MAX_REVOKED]);
  return length;
}

/** Converts a row to a token with its public data. */
export function tokenItem({ id, app_id, title, value, ...times }: TokenRow): TokenItem {
  const { expire_time_ms: expireTimeMs, last_use_time_ms: lastUseTimeMs } = times;
  return { ...parseEntry(value).value, id, appId: app_id || undefined, title, expireTimeMs, lastUseTimeMs };
}
