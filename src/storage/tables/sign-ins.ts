import type { Ulid } from '../../model/resource-name.ts';
import type { Change, ConditionalSql, Database } from '../interface/database.ts';
import { APP_COLUMNS, type AppRow } from './apps.ts';
import { type AuditEventRow, insertEventChange } from './audit-events.ts';
import { insertTokenChange, type NewTokenRow } from './tokens.ts';

export type SignIn = {
  /** The public id of the current key of the app, when its keys were compared. */
  readonly currentKeyId: string;
  readonly token: NewTokenRow & { readonly app_id: Ulid };
  /** The number of tokens of the app that remain, with the new one. */
  readonly maxTokens: number;
  readonly event: AuditEventRow;
};

// A deactivation or a rotation waits for this lock, and then revokes the new token as well. A sign-in that waits for one
// of them finds no row. Sign-ins don't wait for each other.
const LOCK: ConditionalSql = ([account, app, key], condition) => `SELECT ${APP_COLUMNS} FROM app
WHERE account_id = ${account} AND id = ${app} AND private_key_id = ${key} AND active = 1 AND ${condition} FOR SHARE`;

// The ids sort by the time of issue. The subquery reads the newest tokens, up to the maximum.
const REVOKE_OLDEST: ConditionalSql = ([account, app, count], condition) => {
  const ofApp = `FROM token WHERE account_id = ${account} AND app_id = ${app}`;
  return `DELETE ${ofApp} AND ${condition} AND id <= (SELECT id ${ofApp} ORDER BY id DESC LIMIT 1 OFFSET ${count})`;
};

// The average number of tokens that a sign-in reads to revoke the oldest ones.
const MEAN_TOKENS_READ = 64;

/**
 * Stores the token and the audit event of a sign-in, and revokes the oldest tokens of the app. If the maximum is large,
 * only a random share of the sign-ins revokes them. An app can therefore exceed the maximum slightly, as it can by
 * concurrent sign-ins.
 *
 * @returns the app, or undefined if it is inactive or has a different current key
 */
export async function insertSignIn(
  database: Pick<Database, 'writeIfFirst'>,
  { currentKeyId, token, maxTokens, event }: SignIn,
): Promise<AppRow | undefined> {
  const { account_id: accountId, app_id: appId } = token;
  const lock: Change = { sql: LOCK, params: [accountId, appId, currentKeyId] };
  const revocation: Change = { sql: REVOKE_OLDEST, params: [accountId, appId, maxTokens - 1] };
  const revocations = Math.random() * maxTokens < MEAN_TOKENS_READ ? [revocation] : [];
  const others = [...revocations, insertTokenChange(token), insertEventChange(event)];
  const [app] = await database.writeIfFirst<AppRow>([lock, ...others]);
  return app;
}
