import type { Ulid } from '../model/resource-name.ts';
import type { AppRow } from './apps.ts';
import { type AuditEventRow, auditStatement } from './audit-events.ts';
import { type Database, FOR_SHARE, IF_FIRST, type Row, type Statement, type Value } from './database.ts';
import { APP } from './tables.ts';
import { type TokenRecord, tokenStore } from './token-store.ts';

/** A successful sign-in of an app. */
export type SignIn = {
  readonly appId: Ulid;
  /** The public id of the current key of the app, when its keys were compared. */
  readonly currentKeyId: string;
  /** The public id of the key of the sign-in. */
  readonly keyId: string;
  readonly tokenId: Ulid;
  readonly record: TokenRecord;
  /** The lifetime of the token, in milliseconds. */
  readonly ttlMs: number;
  /** The number of tokens of the app that remain, with the new one. */
  readonly maxTokens: number;
  readonly event: AuditEventRow;
};

// A deactivation or a rotation waits for this lock, and then ends the new token as well. A sign-in that waits for one of
// them finds no row. Sign-ins don't wait for each other.
const LOCK = `SELECT ${APP} FROM app
WHERE account_id = $1 AND id = $2 AND private_key_id = $3 AND active = 1 ${FOR_SHARE}`;

// The ids sort by the time of issue. The subquery reads the newest tokens, up to the maximum.
const REVOKE_OLDEST = `DELETE FROM token WHERE ${IF_FIRST} AND account_id = $1 AND app_id = $2 AND id <=
  (SELECT id FROM token WHERE account_id = $1 AND app_id = $2 ORDER BY id DESC LIMIT 1 OFFSET $3)`;

// The average number of tokens that a sign-in reads to revoke the oldest ones.
const MEAN_TOKENS_READ = 64;

/**
 * Stores the token and the audit event of a sign-in, and revokes the oldest tokens of the app. If the maximum is large,
 * only some of the sign-ins do this, so that the app can have a few tokens more; so do concurrent sign-ins.
 *
 * @param clock returns the current time, in Unix milliseconds
 * @returns the app, or undefined if it is inactive or has another current key
 */
export async function insertSignIn(
  database: Pick<Database, 'read' | 'writeAll'>,
  clock: () => number,
  { appId, currentKeyId, keyId, tokenId, record, ttlMs, maxTokens, event }: SignIn,
): Promise<AppRow | undefined> {
  const { accountId } = record.principal;
  const lock = { sql: LOCK, params: [accountId, appId, currentKeyId] };
  const revocation: Statement = { sql: REVOKE_OLDEST, params: [accountId, appId, maxTokens - 1] };
  const revocations = Math.random() * maxTokens < MEAN_TOKENS_READ ? [revocation] : [];
  let rows: readonly AppRow[] = [];
  // Keyv inserts the token by one statement, to which the others are joined.
  const target = {
    read: database.read,
    async write<R extends Row>(sql: string, params: readonly Value[] = []): Promise<readonly R[]> {
      rows = await database.writeAll<AppRow>([lock, ...revocations, { sql, params }, auditStatement(event)]);
      return [];
    },
  };
  await tokenStore(target, clock, { app_id: appId, app_key_id: keyId }).add(tokenId, record, ttlMs);
  return rows[0];
}
