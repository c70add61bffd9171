import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';

/** The primary key of the table `idempotency_key`. */
export type IdempotencyKeyId = {
  readonly accountId: Ulid;
  /** The account or the project that the token speaks for. */
  readonly principalId: Ulid;
  /** The SHA-256 of the key, in hexadecimal digits. */
  readonly keyHash: string;
};

const FIND = `SELECT answer, expire_time_ms FROM idempotency_key
WHERE account_id = $1 AND principal_id = $2 AND key_hash = $3`;

const COUNT = `SELECT COUNT(*) AS count
FROM (SELECT 1 AS one FROM idempotency_key WHERE account_id = $1 LIMIT $2) AS kept`;

// A row that has expired, but is not deleted yet, is replaced.
const INSERT = `INSERT INTO idempotency_key (account_id, principal_id, key_hash, answer, expire_time_ms)
VALUES ($1, $2, $3, $4, $5)
ON CONFLICT (account_id, principal_id, key_hash) DO UPDATE
  SET answer = excluded.answer, expire_time_ms = excluded.expire_time_ms
  WHERE idempotency_key.expire_time_ms <= $6
RETURNING key_hash`;

/** Returns the sealed response of a key, or undefined if the key is unknown or has expired. @param now in Unix milliseconds */
export async function findResponse(
  database: Queryable,
  { accountId, principalId, keyHash }: IdempotencyKeyId,
  now: number,
): Promise<string | undefined> {
  const [row] = await database.read<{ answer: string; expire_time_ms: number }>(FIND, [
    accountId,
    principalId,
    keyHash,
  ]);
  return row !== undefined && row.expire_time_ms > now ? row.answer : undefined;
}

/** Returns the number of responses of an account, but at most `limit`. */
export async function countResponses(database: Queryable, accountId: Ulid, limit: number): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT, [accountId, limit]);
  return row?.count ?? 0;
}

/**
 * Stores the sealed response of a key. Returns false if the key has a response already.
 *
 * @param now the current time, in Unix milliseconds
 * @param ttlMs the time to live, in milliseconds
 */
export async function insertResponse(
  transaction: Queryable,
  { accountId, principalId, keyHash }: IdempotencyKeyId,
  response: string,
  now: number,
  ttlMs: number,
): Promise<boolean> {
  const rows = await transaction.write(INSERT, [accountId, principalId, keyHash, response, now + ttlMs, now]);
  return rows.length > 0;
}
