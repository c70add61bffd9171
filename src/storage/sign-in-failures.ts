import type { Ulid } from '../model/resource-name.ts';
import { type AuditEventRow, audited } from './audit-events.ts';
import type { Database, Queryable } from './database.ts';

/** The app that a client tries to sign in to, and the client. */
export type SignInAttempt = {
  readonly accountId: Ulid;
  /** The id in the request. The app may not exist. */
  readonly appId: Ulid;
  /** The public id of the bearer token of the request. */
  readonly credentialId: Ulid;
  readonly address: string;
};

/** The failed sign-ins of one client to one app. */
export type SignInFailures = {
  readonly count: number;
  /** The time at which the count starts again: Unix time in milliseconds. */
  readonly expireTimeMs: number;
};

type FailureRow = { readonly failure_count: number; readonly expire_time_ms: number };

// Bounds the rows of an account, because a client can name any number of apps.
const MAX_ROWS_PER_ACCOUNT = 1000;

const KEY = 'account_id = $1 AND app_id = $2 AND credential_id = $3 AND address = $4';

const FIND = `SELECT failure_count, expire_time_ms FROM sign_in_failure WHERE ${KEY} AND expire_time_ms > $5`;

const ADD = `INSERT INTO sign_in_failure (account_id, app_id, credential_id, address, failure_count, expire_time_ms)
VALUES ($1, $2, $3, $4, 1, $6)
ON CONFLICT (account_id, app_id, credential_id, address) DO UPDATE SET
  failure_count = CASE WHEN sign_in_failure.expire_time_ms > $5 THEN sign_in_failure.failure_count + 1 ELSE 1 END,
  expire_time_ms = CASE WHEN sign_in_failure.expire_time_ms > $5 THEN sign_in_failure.expire_time_ms
    ELSE excluded.expire_time_ms END
RETURNING failure_count, expire_time_ms`;

const ORDER = 'expire_time_ms, app_id, credential_id, address';

const TRIM = `DELETE FROM sign_in_failure WHERE account_id = $1 AND (expire_time_ms <= $2 OR (${ORDER}) <= (
  SELECT ${ORDER} FROM sign_in_failure WHERE account_id = $1
  ORDER BY expire_time_ms DESC, app_id DESC, credential_id DESC, address DESC
  LIMIT 1 OFFSET ${MAX_ROWS_PER_ACCOUNT}))`;

/**
 * Returns the failed sign-ins of a client to an app, or undefined if there are none.
 *
 * @param now the current time, in Unix milliseconds
 */
export async function findSignInFailures(
  database: Queryable,
  attempt: SignInAttempt,
  now: number,
): Promise<SignInFailures | undefined> {
  const [row] = await database.read<FailureRow>(FIND, [...keyOf(attempt), now]);
  return row && failuresFromRow(row);
}

/**
 * Counts a failed sign-in, records it, and returns the failures with it. The oldest failures of the account are
 * forgotten if there are too many.
 *
 * @param now the current time, in Unix milliseconds
 * @param expireTimeMs the time until which the failure counts if it is the first: Unix time in milliseconds
 */
export async function addSignInFailure(
  database: Pick<Database, 'write' | 'queryAndInsert'>,
  attempt: SignInAttempt,
  now: number,
  expireTimeMs: number,
  event: AuditEventRow,
): Promise<SignInFailures> {
  const add = audited(database, event);
  const [row] = await add.write<FailureRow>(ADD, [...keyOf(attempt), now, expireTimeMs]);
  if (row === undefined) throw new Error('The statement returned no row.');
  if (row.failure_count === 1) await database.write(TRIM, [attempt.accountId, now]);
  return failuresFromRow(row);
}

function keyOf({ accountId, appId, credentialId, address }: SignInAttempt): readonly string[] {
  return [accountId, appId, credentialId, address];
}

function failuresFromRow({ failure_count, expire_time_ms }: FailureRow): SignInFailures {
  return { count: failure_count, expireTimeMs: expire_time_ms };
}
