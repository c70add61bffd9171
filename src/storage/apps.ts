import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { isForeignKeyViolation } from './foreign-keys.ts';
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

/** New values for columns of an app. Omitted columns are not changed. */
export type AppChanges = {
  readonly title?: string | undefined;
  readonly active?: boolean;
  readonly privateKeyHash?: string;
};

const COLUMNS = 'account_id, id, project_id, title, active, create_time_ms';

// The SELECT returns no row, and nothing is inserted, if the project does not belong to the account.
const INSERT = `INSERT INTO app (account_id, id, project_id, title, active, create_time_ms, private_key_hash)
SELECT p.account_id, $3, p.id, $4, $5, $6, $7 FROM project p WHERE p.account_id = $1 AND p.id = $2
RETURNING ${COLUMNS}`;

const FIND_SECRET = `SELECT ${COLUMNS}, private_key_hash FROM app WHERE account_id = $1 AND id = $2`;

const LIST = `SELECT ${COLUMNS} FROM app WHERE account_id = $1 AND id > $2 ORDER BY id LIMIT $3`;

// An update without a change: a row lock that works on both engines, held until the end of the transaction.
const LOCK = `UPDATE app SET active = active WHERE account_id = $1 AND id = $2 AND private_key_hash = $3
RETURNING active`;

// The expression must be the same as in the index `app_by_name`.
const UPDATE = `UPDATE app SET
  title = COALESCE($2, title),
  active = COALESCE($3, active),
  private_key_hash = COALESCE($4, private_key_hash)
WHERE 'apps/' || id = $1 RETURNING ${COLUMNS}`;

const FIND = `SELECT ${COLUMNS} FROM app WHERE 'apps/' || id = $1`;

const DELETE = `DELETE FROM app WHERE 'apps/' || id = $1 RETURNING ${COLUMNS}`;

/** Inserts an app and returns its row, or undefined if the project does not belong to the account. */
export async function insertApp(database: Queryable, app: AppSecretRow): Promise<AppRow | undefined> {
  try {
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
  } catch (error) {
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
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

/**
 * Locks an app, so that it keeps its key and its state until the end of the transaction.
 *
 * @returns whether the app is active, or undefined if no app has this id and this key
 */
export async function lockApp(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
  privateKeyHash: string,
): Promise<boolean | undefined> {
  const [row] = await transaction.query<{ active: 0 | 1 }>(LOCK, [accountId, id, privateKeyHash]);
  return row && row.active === 1;
}

/** Returns the app of any account with this name, or undefined if it does not exist. */
export async function findAppByName(
  database: Queryable,
  name: ResourceName<'apps'>,
): Promise<AppRow | undefined> {
  const [row] = await database.query<AppRow>(FIND, [name]);
  return row;
}

/** Updates an app of any account and returns its new row, or undefined if the app does not exist. */
export async function updateApp(
  database: Queryable,
  name: ResourceName<'apps'>,
  { title, active, privateKeyHash }: AppChanges,
): Promise<AppRow | undefined> {
  const [row] = await database.query<AppRow>(UPDATE, [
    name,
    title ?? null,
    active === undefined ? null : Number(active),
    privateKeyHash ?? null,
  ]);
  return row;
}

/** Deletes an app of any account and returns its last row, or undefined if the app does not exist. */
export async function deleteApp(
  transaction: Queryable,
  name: ResourceName<'apps'>,
): Promise<AppRow | undefined> {
  const [row] = await transaction.query<AppRow>(DELETE, [name]);
  return row;
}
