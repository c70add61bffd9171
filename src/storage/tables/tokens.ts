import type { Ulid } from '../../model/resource-name.ts';
import { LAST_USE_INTERVAL_MS } from '../background-writes.ts';
import type { Change, ConditionalSql, Queryable, Statement } from '../interface/database.ts';
import { columnNames, KEY, prefixedId, type RowOf } from '../sql/columns.ts';
import { KeysetList } from '../sql/keyset-list.ts';
import { insertChange, type RowId, readRow, writeRow } from '../sql/row-statements.ts';
import { renderSql } from '../work/change.ts';

type Token = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly app_id: Ulid | null;
  readonly app_key_id: string | null;
  readonly maker_token_id: Ulid | null;
  readonly hash: string;
  readonly title: string;
  readonly is_one_project: 0 | 1;
  readonly is_read_only: 0 | 1;
  readonly expire_time_ms: number;
  readonly last_use_time_ms: number | null;
};

/** The columns of a token without its hash, and without the key that its app signed in with. */
const TOKEN_COLUMNS =
  'account_id, id, project_id, app_id, maker_token_id, title, is_one_project, is_read_only, expire_time_ms, last_use_time_ms';

/** The columns of a new token. The other one is null until the token is used. */
export const NEW_TOKEN_COLUMNS =
  'account_id, id, project_id, app_id, app_key_id, maker_token_id, hash, title, is_one_project, is_read_only, expire_time_ms';

export const TOKEN_TABLE = {
  name: 'token',
  columns: `${TOKEN_COLUMNS}, hash, app_key_id`,
  key: KEY,
  // A token that was made makes none itself.
  first: 'maker_token_id IS NULL',
} as const;

export type TokenRow = RowOf<Token, typeof TOKEN_COLUMNS>;

export type TokenSecretRow = TokenRow & Pick<Token, 'hash'>;

export type NewTokenRow = RowOf<Token, typeof NEW_TOKEN_COLUMNS>;

const MAX_COUNTED_TOKENS = 100_000;

// Their rows are read, and not their index alone.
const MAX_ENDING_TOKENS = 10_000;

const WEEK_MS = 7 * 86_400_000;

/** The tokens of an account and of its apps that are valid after a time. */
export const TOKEN_LIST = new KeysetList<TokenRow>(
  { name: 'token', columns: TOKEN_COLUMNS },
  { where: ['account_id =', 'expire_time_ms >'] },
);

/** The tokens of all accounts that are valid after a time. Their index is `token_by_name`. */
export const TOKEN_LIST_OF_ALL = new KeysetList<TokenRow>(
  { name: 'token', columns: TOKEN_COLUMNS },
  { where: ['expire_time_ms >'], prefix: 'tokens/' },
);

// The tokens of an account that is suspended or being deleted are not valid.
function ifValid([account, id, now]: readonly string[]): string {
  return `FROM token JOIN account ON account.id = token.account_id
WHERE token.account_id = ${account} AND token.id = ${id} AND token.expire_time_ms > ${now}
  AND account.id = ${account} AND account.state = 'ACTIVE'`;
}

const IS_VALID: ConditionalSql = (names, condition) => `SELECT 1 AS one ${ifValid(names)} AND ${condition}`;

const REVOKE: ConditionalSql = ([account, id, now], condition) => `DELETE FROM token
WHERE account_id = ${account} AND id = ${id} AND expire_time_ms > ${now} AND ${condition} RETURNING account_id, app_id`;

const REVOKE_OTHER_KEYS = 'DELETE FROM token WHERE account_id = $1 AND app_id = $2 AND app_key_id <> $3';

const SHORTEN = `UPDATE token SET expire_time_ms = $3
WHERE account_id = $1 AND app_id = $2 AND expire_time_ms > $3`;

const USE = `UPDATE token SET last_use_time_ms = $3
WHERE account_id = $1 AND id = $2 AND COALESCE(last_use_time_ms, 0) <= $4`;

// The limit bounds how long SQLite blocks the event loop, to about 5 ms.
const COUNT = `SELECT COUNT(*) AS count FROM
  (SELECT 1 FROM token WHERE expire_time_ms > $1 LIMIT ${MAX_COUNTED_TOKENS}) AS valid`;

// The index is `account_token_by_expiry`.
const COUNT_ENDING = `SELECT COUNT(*) AS count FROM (SELECT token.last_use_time_ms FROM token
  JOIN account ON account.id = token.account_id
  WHERE token.app_id IS NULL AND token.expire_time_ms > $1 AND token.expire_time_ms <= $2 AND account.state = 'ACTIVE'
  ORDER BY token.expire_time_ms LIMIT ${MAX_ENDING_TOKENS}) AS counted
WHERE last_use_time_ms > $3`;

const REVOKE_OF_APP = 'DELETE FROM token WHERE account_id = $1 AND app_id = $2 RETURNING expire_time_ms';

// Newest first, because a token is revoked with its maker.
const FIND_OF_ACCOUNT = `SELECT id FROM token
WHERE account_id = $1 AND expire_time_ms > $2 ORDER BY id DESC LIMIT $3`;

const REVOKE_OF_ACCOUNT = `DELETE FROM token WHERE account_id = $1 AND id IN (${FIND_OF_ACCOUNT})`;

const LOCK = 'SELECT expire_time_ms FROM token WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE';

const COUNT_MADE = `SELECT COUNT(*) AS count FROM token
WHERE account_id = $1 AND maker_token_id = $2 AND expire_time_ms > $3`;

/**
 * Ends the tokens of an app after a rotation of its key: tokens of the previous key at `expireTimeMs`, with the key,
 * tokens of earlier keys immediately.
 */
export async function deleteTokensOfOldKeys(
  transaction: Queryable,
  { accountId, id }: RowId,
  previousKeyId: string,
  expireTimeMs: number,
): Promise<void> {
  await transaction.write(REVOKE_OTHER_KEYS, [accountId, id, previousKeyId]);
  await transaction.write(SHORTEN, [accountId, id, expireTimeMs]);
}

/** Returns the change that inserts a token. */
export const insertTokenChange = insertChange<NewTokenRow>('token', NEW_TOKEN_COLUMNS);

/** Returns a token of an account or of one of its apps, even if it has expired or its account is not active. */
export const findToken = readRow<TokenSecretRow, [accountId: Ulid, id: Ulid]>(
  `SELECT ${TOKEN_COLUMNS}, hash FROM token WHERE account_id = $1 AND id = $2`,
);

/** Returns a token if it is valid at `now`: if it has not ended, and its account is active. */
export const findValidToken = readRow<TokenSecretRow, [accountId: Ulid, id: Ulid, now: number]>(
  `SELECT ${[...columnNames(TOKEN_COLUMNS), 'hash'].map((column) => `token.${column}`)} ${ifValid(['$1', '$2', '$3'])}`,
);

/**
 * Locks a token that creates others: the creations wait for each other, and its revocation for them, so it includes all
 * created tokens. Returns undefined if the token is no longer valid.
 */
export const lockMaker = readRow<Pick<Token, 'expire_time_ms'>, [accountId: Ulid, id: Ulid]>(LOCK);

/** Returns the number of the tokens that a token has made, and that are valid at `now`. */
export async function countMadeTokens(
  transaction: Queryable,
  { accountId, id }: RowId,
  now: number,
): Promise<number> {
  const [row] = await transaction.read<{ count: number }>(COUNT_MADE, [accountId, id, now]);
  return row?.count ?? 0;
}

/** Returns a SELECT that returns a row if a token is valid at `now`. */
export function validTokenCondition(accountId: Ulid, id: Ulid, now: number): Change {
  return { sql: IS_VALID, params: [accountId, id, now] };
}

export type RevokedToken = Pick<Token, 'account_id' | 'app_id'>;

/** Revokes a token of an account or of one of its apps, if it is valid at `now`. Returns undefined if it is not. */
export const deleteTokenRow = writeRow<RevokedToken, [accountId: Ulid, id: Ulid, now: number]>(
  renderSql(REVOKE, ['$1', '$2', '$3']),
);

/** Returns the change of `deleteTokenRow`. */
export function deleteTokenChange(accountId: Ulid, id: Ulid, now: number): Change {
  return { sql: REVOKE, params: [accountId, id, now] };
}

/** Returns the statement that stores `now` as the last use of a token, or undefined if the stored one is recent. */
export function lastUseChange(
  { account_id, id, last_use_time_ms }: TokenRow,
  now: number,
): Statement | undefined {
  const before = now - LAST_USE_INTERVAL_MS;
  return (last_use_time_ms ?? 0) > before ? undefined : { sql: USE, params: [account_id, id, now, before] };
}

/** Returns the number of tokens that are valid at `now`, or `MAX_COUNTED_TOKENS` if there are more. */
export async function countTokens(database: Queryable, now: number): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT, [now]);
  return row?.count ?? 0;
}

/**
 * Returns the number of account tokens that are valid at `now`, end within a week, and were used within the week before. Of more
 * than `MAX_ENDING_TOKENS` that end, the first ones are searched.
 */
export async function countEndingTokens(database: Queryable, now: number): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT_ENDING, [now, now + WEEK_MS, now - WEEK_MS]);
  return row?.count ?? 0;
}

/** Revokes a token of any account, if it is valid at `now`. Returns undefined if it is not. */
export const deleteTokenByName = writeRow<RevokedToken, [name: `tokens/${Ulid}`, now: number]>(
  `DELETE FROM token WHERE ${prefixedId('tokens/')} = $1 AND expire_time_ms > $2
RETURNING account_id, app_id`,
);

/** Revokes all tokens of an app. Returns the number of those that were valid at `now`. */
export async function deleteTokensOfApp(
  database: Queryable,
  accountId: Ulid,
  appId: Ulid,
  now: number,
): Promise<number> {
  const rows = await database.write<{ expire_time_ms: number }>(REVOKE_OF_APP, [accountId, appId]);
  return rows.filter((row) => row.expire_time_ms > now).length;
}

/** The maximum number of tokens that `deleteTokensOfAccount` deletes: one statement locks out other writes. */
export const MAX_DELETED = 1000;

/** Deletes at most `MAX_DELETED` tokens of an account and of its apps that are valid at `now`. Returns their number. */
export async function deleteTokensOfAccount(
  transaction: Queryable,
  accountId: Ulid,
  now: number,
): Promise<number> {
  const params = [accountId, now, MAX_DELETED];
  // SQLite does not return the rows that a row takes with it.
  const { length } = await transaction.read(FIND_OF_ACCOUNT, params);
  await transaction.write(REVOKE_OF_ACCOUNT, params);
  return length;
}
