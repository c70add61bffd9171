import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `app`, without the hash of its private key. */
export type AppRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly active: 0 | 1;
  readonly create_time_ms: number;
};

/** A row of the table `app` with the SHA-256 of its private key's secret. */
export type AppSecretRow = AppRow & { readonly private_key_hash: string };

const COLUMNS = 'account_id, id, project_id, title, active, create_time_ms';

// The project is read, not taken on trust: no row is made unless it is the account's.
const INSERT = `INSERT INTO app (account_id, id, project_id, title, active, create_time_ms, private_key_hash)
SELECT p.account_id, $3, p.id, $4, $5, $6, $7 FROM project p WHERE p.account_id = $1 AND p.id = $2
RETURNING ${COLUMNS}`;

const FIND_SECRET = `SELECT ${COLUMNS}, private_key_hash FROM app WHERE account_id = $1 AND id = $2`;

const LIST = `SELECT ${COLUMNS} FROM app WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

// Writes the row as it is: a lock that both engines know, held until the transaction ends.
const LOCK_ACTIVE =
  'UPDATE app SET active = active WHERE account_id = $1 AND id = $2 AND active = 1 RETURNING id';

// By an index on this very expression, as the account of a project is found.
const SET_ACTIVE = `UPDATE app SET active = $2 WHERE 'apps/' || id = $1 RETURNING ${COLUMNS}`;

/** Adds an app and returns its row, or undefined if the account has no such project. */
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

/** Returns those of the account's apps `ids` that exist, in no order. */
export function findApps(
  database: Queryable,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly AppRow[]> {
  return selectByIds(database, `SELECT ${COLUMNS} FROM app WHERE account_id = $1 AND id`, accountId, ids);
}

/** Returns an app of the account with the hash of its key, or undefined. */
export async function findAppSecret(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<AppSecretRow | undefined> {
  const [row] = await database.query<AppSecretRow>(FIND_SECRET, [accountId, id]);
  return row;
}

/** Returns up to `limit` of the account's apps that follow `after`, by id. */
export function listApps(
  database: Queryable,
  accountId: Ulid,
  after: Ulid | '',
  limit: number,
): Promise<readonly AppRow[]> {
  return database.query<AppRow>(LIST, [accountId, after, limit]);
}

/** Whether the app is active; if so it stays active until the transaction ends. */
export async function lockActiveApp(transaction: Queryable, accountId: Ulid, id: Ulid): Promise<boolean> {
  const rows = await transaction.query(LOCK_ACTIVE, [accountId, id]);
  return rows.length > 0;
}

/** Makes an app active or inactive and returns its row, or undefined if there is no such app. */
export async function updateAppActive(
  transaction: Queryable,
  name: ResourceName<'apps'>,
  active: boolean,
): Promise<AppRow | undefined> {
  const [row] = await transaction.query<AppRow>(SET_ACTIVE, [name, active ? 1 : 0]);
  return row;
}
