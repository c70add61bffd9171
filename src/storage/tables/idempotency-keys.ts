import type { Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../interface/database.ts';
import { readRow } from '../sql/row-statements.ts';

export type IdempotencyKeyId = {
  readonly accountId: Ulid;
  /** A hash of the key and of its owner, which is an app or an account. */
  readonly keyHash: string;
};

/** A stored response, which is sealed, and a hash of the content of its request, with the idempotency key as its key. */
export type StoredResponse = { readonly content_hash: string; readonly response: string };

const IDEMPOTENCY_KEY_COLUMNS = 'account_id, key_hash, content_hash, response, expire_time_ms';

export const IDEMPOTENCY_KEY_TABLE = {
  name: 'idempotency_key',
  columns: IDEMPOTENCY_KEY_COLUMNS,
  key: ['account_id', 'key_hash'],
} as const;

// A row that has expired, but is not deleted yet, is replaced.
const INSERT = `INSERT INTO idempotency_key (${IDEMPOTENCY_KEY_COLUMNS}) VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, key_hash) DO UPDATE
  SET content_hash = excluded.content_hash, response = excluded.response, expire_time_ms = excluded.expire_time_ms
  WHERE idempotency_key.expire_time_ms <= $6
RETURNING key_hash`;

/** Returns the stored response of a key, or undefined if the key is unknown or has expired. @param now in Unix milliseconds */
export const findStoredResponse = readRow<StoredResponse, [accountId: Ulid, keyHash: string, now: number]>(
  `SELECT content_hash, response FROM idempotency_key
WHERE account_id = $1 AND key_hash = $2 AND expire_time_ms > $3`,
);

/** Stores the response of a key, unless it has one that has not expired at `now`. Returns whether it was stored. */
export async function insertStoredResponse(
  transaction: Queryable,
  { accountId, keyHash }: IdempotencyKeyId,
  { content_hash, response, expire_time_ms }: StoredResponse & { readonly expire_time_ms: number },
  now: number,
): Promise<boolean> {
  const values = [accountId, keyHash, content_hash, response, expire_time_ms, now];
  return (await transaction.write(INSERT, values)).length > 0;
}
