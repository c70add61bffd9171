import type { Ulid } from '../../model/resource-name.ts';
import { LAST_USE_INTERVAL_MS } from '../background-writes.ts';
import type { Change, ConditionalSql, Database, Queryable, Row, Statement } from '../interface/database.ts';
import { type ChangesOf, except, KEY, type RowOf } from '../sql/columns.ts';
import { KeysetList, listByTitle } from '../sql/keyset-list.ts';
import {
  findAccountOf,
  ifRevision,
  insertChange,
  type RowId,
  readRow,
  revisionList,
  selectByIds,
  updateStatements,
  writeRow,
} from '../sql/row-statements.ts';
import { isForeignKeyViolation } from '../work/constraint-violations.ts';
import { type AuditEventRow, insertEventChange } from './audit-events.ts';

type App = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly title_key: string;
  readonly active: 0 | 1;
  readonly private_key_id: string;
  readonly private_key_hash: string;
  readonly previous_key_id: string | null;
  readonly previous_key_hash: string | null;
  readonly previous_key_expire_time_ms: number | null;
  readonly create_time_ms: number;
  readonly last_sign_in_time_ms: number | null;
  readonly revision: Ulid;
};

/** The columns of a new app. The others have defaults until it signs in, is updated, or its key is replaced. */
const NEW_APP_COLUMNS =
  'account_id, id, project_id, title, title_key, active, create_time_ms, private_key_id, private_key_hash, revision';

/** The columns of an app without the key of its title and the hashes of its keys. */
export const APP_COLUMNS =
  'account_id, id, project_id, title, active, create_time_ms, last_sign_in_time_ms, private_key_id, previous_key_id, previous_key_expire_time_ms, revision';

const APP_KEY_HASHES = 'private_key_hash, previous_key_hash';

export const APP_TABLE = {
  name: 'app',
  columns: `${APP_COLUMNS}, title_key, ${APP_KEY_HASHES}`,
  key: KEY,
} as const;

/** The columns that an update can change: all but these. */
const CHANGEABLE_COLUMNS = except(
  APP_TABLE.columns,
  `account_id, id, project_id, create_time_ms, last_sign_in_time_ms, private_key_id, previous_key_id, previous_key_expire_time_ms, revision, ${APP_KEY_HASHES}`,
);

export type AppRow = RowOf<App, typeof APP_COLUMNS>;

type NewAppRow = RowOf<App, typeof NEW_APP_COLUMNS>;

/** The public id of the private key of an app, the SHA-256 of the key in hexadecimal digits, and the revision with it. */
type NewKey = RowOf<App, 'private_key_id, private_key_hash, revision'>;

export type AppSecretRow = AppRow & RowOf<App, typeof APP_KEY_HASHES>;

/** The revision of an update, and new values for columns of an app. */
export type AppChanges = ChangesOf<App, (typeof CHANGEABLE_COLUMNS)[number]> & Pick<App, 'revision'>;

const TABLE = { name: 'app', columns: APP_COLUMNS } as const;

export const APP_LIST = new KeysetList<AppRow>(TABLE, { where: ['account_id ='], part: 'project_id' });

export const APP_LIST_BY_TITLE = listByTitle<AppRow>(TABLE, 'project_id');

// Its second parameter is not a row: insertions of one account wait for the account.
const COUNT: ConditionalSql = (
  [account, max, project],
  condition,
) => `UPDATE account SET app_count = app_count + 1
WHERE id = ${account} AND app_count < ${max}
  AND EXISTS (SELECT 1 FROM project WHERE account_id = ${account} AND project.id = ${project}) AND ${condition}
RETURNING id`;

const insertAppChange = insertChange<NewAppRow>('app', NEW_APP_COLUMNS);

// The columns that an insertion leaves out.
const NEW_ROW = {
  last_sign_in_time_ms: null,
  previous_key_id: null,
  previous_key_expire_time_ms: null,
} satisfies Partial<AppRow>;

const updateAppCount = writeRow<Row, [accountId: Ulid, count: number]>(
  'UPDATE account SET app_count = app_count + $2 WHERE id = $1',
);

const appUpdate = updateStatements(
  CHANGEABLE_COLUMNS,
  5,
  (assignments) => `UPDATE app SET revision = $4, ${assignments}
WHERE account_id = $1 AND id = $2 AND ${ifRevision(3)} RETURNING ${APP_COLUMNS}`,
);

const REPLACE_KEY = `UPDATE app SET
  previous_key_id = private_key_id,
  previous_key_hash = private_key_hash,
  previous_key_expire_time_ms = $5,
  private_key_id = $3,
  private_key_hash = $4,
  revision = $6
WHERE account_id = $1 AND id = $2 RETURNING ${APP_COLUMNS}`;

const DELETE = `DELETE FROM app WHERE account_id = $1 AND id = $2 RETURNING ${APP_COLUMNS}`;

const SIGNED_IN = `UPDATE app SET last_sign_in_time_ms = $3
WHERE account_id = $1 AND id = $2 AND COALESCE(last_sign_in_time_ms, 0) <= $4`;

/**
 * Inserts an app with its audit event. Returns its row, or undefined if the account has `max` apps already, or does not have
 * the project.
 */
export async function insertApp(
  database: Pick<Database, 'writeIfFirst'>,
  app: NewAppRow,
  max: number,
  event: AuditEventRow,
): Promise<AppRow | undefined> {
  const count: Change = { sql: COUNT, params: [app.account_id, max, app.project_id] };
  try {
    const counted = await database.writeIfFirst([count, insertAppChange(app), insertEventChange(event)]);
    return counted.length > 0 ? { ...NEW_ROW, ...app } : undefined;
  } catch (error) {
    // The project was deleted at the same time.
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
}

export const findApps = selectByIds<AppRow>(TABLE);

export const findAppSecret = readRow<AppSecretRow, [accountId: Ulid, id: Ulid]>(
  `SELECT ${APP_COLUMNS}, ${APP_KEY_HASHES} FROM app WHERE account_id = $1 AND id = $2`,
);

export const findAccountOfApp = findAccountOf('apps');

/** Updates an app and returns its new row, or undefined if it does not exist in the account or has none of the revisions. */
export async function updateAppRow(
  database: Queryable,
  { accountId, id }: RowId,
  { revision, ...changes }: AppChanges,
  revisions: readonly Ulid[] | undefined,
): Promise<AppRow | undefined> {
  const { sql, values } = appUpdate(changes);
  const params = [accountId, id, revisionList(revisions), revision, ...values];
  const [row] = await database.write<AppRow>(sql, params);
  return row;
}

/**
 * Replaces the key of an app. The key before becomes the previous key, and replaces an earlier one.
 *
 * @returns the row of the app with the id of the previous key, or undefined if the app does not exist
 */
export async function updateAppKey(
  transaction: Queryable,
  { accountId, id }: RowId,
  { private_key_id, private_key_hash, revision }: NewKey,
  previousExpireTimeMs: number,
): Promise<(AppRow & { readonly previous_key_id: string }) | undefined> {
  const params = [accountId, id, private_key_id, private_key_hash, previousExpireTimeMs, revision];
  const [row] = await transaction.write<AppRow & { readonly previous_key_id: string }>(REPLACE_KEY, params);
  return row;
}

/** Returns the statement that stores `now` as the last sign-in of an app, or undefined if the stored one is recent. */
export function lastSignInChange(
  { account_id, id, last_sign_in_time_ms }: Pick<AppRow, 'account_id' | 'id' | 'last_sign_in_time_ms'>,
  now: number,
): Statement | undefined {
  const before = now - LAST_USE_INTERVAL_MS;
  return (last_sign_in_time_ms ?? 0) > before
    ? undefined
    : { sql: SIGNED_IN, params: [account_id, id, now, before] };
}

/** Deletes an app, and decrements the app count of its account. Returns its last row. */
export async function deleteAppRow(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<AppRow | undefined> {
  const [row] = await transaction.write<AppRow>(DELETE, [accountId, id]);
  if (row) await updateAppCount(transaction, accountId, -1);
  return row;
}
