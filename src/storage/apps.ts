import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `app`, without the hash of the private key. */
export type AppRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly active: 0 | 1;
  readonly create_time_ms: number;
};

/** A row of the table `app`, with the SHA-256 of the private key in hexadecimal digits. */
export type AppSecretRow = AppRow & { readonly private_key_hash: string };

const COLUMNS = 'account_id, id, project_id, title, active, create_time_ms';

// The SELECT returns no row, and nothing is inserted, if the project does not belong to the account.
const INSERT = `INSERT INTO app (account_id, id, project_id, title, active, create_time_ms, private_key_hash)
SELECT p.account_id, $3, p.id, $4, $5, $6, $7 FROM project p WHERE p.account_id = $1 AND p.id = $2
RETURNING ${COLUMNS}`;

const FIND_SECRET = `SELECT ${COLUMNS}, private_key_hash FROM app WHERE account_id = $1 AND id = $2`;

const LIST = `SELECT ${COLUMNS} FROM app WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

// An update without a change: a row lock that works on both engines, held until the end of the transaction.
const LOCK_ACTIVE =
  'UPDATE app SET active = active WHERE account_id = $1 AND id = $2 AND active = 1 RETURNING id';

// The expression must be the same as in the index `app_by_name`.
const SET_ACTIVE = `UPDATE app SET active = $2 WHERE 'apps/' || id = $1 RETURNING ${COLUMNS}`;

/** Inserts an app and returns its row, or undefined if the project does not belong to the account. */
export async function insertApp(database: Queryable, app: AppSecretRow): Promise<AppRow | undefined> {
  const [row] = await database.query<AppRow>(INSERT, [
    app.account_id,
    app.project_id,
    app.id,
    app.title,
    app.active,
    app.create_time_ms,
    app.private_key_hash,
  ]);
  return row;
}

/** Returns the apps of the account with the given ids, in no particular order. Missing apps are omitted. */
export function findApps(
  database: Queryable,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly AppRow[]> {
  return selectByIds(database, `SELECT ${COLUMNS} FROM app WHERE account_id = $1 AND id`, accountId, ids);
}

/** Returns an app of the account with the hash of its private key, or undefined if it does not exist. */
export async function findAppSecret(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<AppSecretRow | undefined> {
  const [row] = await database.query<AppSecretRow>(FIND_SECRET, [accountId, id]);
  return row;
}

/** Returns at most `limit` apps of the account whose id is greater than `after`, in the order of their ids. */
export function listApps(
  database: Queryable,
  accountId: Ulid,
  after: Ulid | '',
  limit: number,
): Promise<readonly AppRow[]> {
  return database.query<AppRow>(LIST, [accountId, after, limit]);
}

/** Returns whether the app is active. An active app is locked and stays active until the end of the transaction. */
export async function lockActiveApp(transaction: Queryable, accountId: Ulid, id: Ulid): Promise<boolean> {
  const rows = await transaction.query(LOCK_ACTIVE, [accountId, id]);
  return rows.length > 0;
}

/** Activates or deactivates an app and returns its row, or undefined if the app does not exist. */
export async function updateAppActive(
  transaction: Queryable,
  name: ResourceName<'apps'>,
  active: boolean,
): Promise<AppRow | undefined> {
  const [row] = await transaction.query<AppRow>(SET_ACTIVE, [name, active ? 1 : 0]);
  return row;
}
