import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { isForeignKeyViolation } from './foreign-keys.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `app`, without its keys. */
export type AppRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly active: 0 | 1;
  readonly create_time_ms: number;
};

/** The private key of an app. */
export type AppKey = {
  /** The public id of the key. */
  readonly private_key_id: string;
  /** The SHA-256 of the key, in hexadecimal digits. */
  readonly private_key_hash: string;
};

/** A row of the table `app`, with its keys. The columns of the previous key are null if the key was never replaced. */
export type AppSecretRow = AppRow &
  AppKey & {
    readonly previous_key_id: string | null;
    readonly previous_key_hash: string | null;
    /** The end of the previous key: Unix time in milliseconds. */
    readonly previous_key_expire_time_ms: number | null;
  };

/** New values for columns of an app. Columns with the value undefined are not changed. */
export type AppChanges = {
  readonly title?: string | undefined;
  readonly active?: boolean | undefined;
};

const COLUMNS = 'account_id, id, project_id, title, active, create_time_ms';

/** The table of the lists of apps. Their rows are `AppRow`s. */
export const APP_LIST = { name: 'app', columns: COLUMNS } as const;

// The SELECT returns no row, and nothing is inserted, if the project does not belong to the account.
const INSERT = `INSERT INTO app (account_id, id, project_id, title, active, create_time_ms, private_key_id, private_key_hash)
SELECT p.account_id, $3, p.id, $4, $5, $6, $7, $8 FROM project p WHERE p.account_id = $1 AND p.id = $2
RETURNING ${COLUMNS}`;

const FIND_SECRET = `SELECT ${COLUMNS}, private_key_id, private_key_hash, previous_key_id, previous_key_hash,
  previous_key_expire_time_ms FROM app WHERE account_id = $1 AND id = $2`;

const UPDATE = `UPDATE app SET title = COALESCE($3, title), active = COALESCE($4, active)
WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}`;

const REPLACE_KEY = `UPDATE app SET
  previous_key_id = private_key_id,
  previous_key_hash = private_key_hash,
  previous_key_expire_time_ms = $5,
  private_key_id = $3,
  private_key_hash = $4
WHERE account_id = $1 AND id = $2 RETURNING ${COLUMNS}, previous_key_id`;

// The expression must be the same as in the index `app_by_name`.
const FIND_ACCOUNT = "SELECT account_id FROM app WHERE 'apps/' || id = $1";

const DELETE = `DELETE FROM app WHERE 'apps/' || id = $1 RETURNING ${COLUMNS}`;

/** Inserts an app and returns its row, or undefined if the project does not belong to the account. */
export async function insertApp(
  database: Pick<Queryable, 'write'>,
  app: AppRow & AppKey,
): Promise<AppRow | undefined> {
  try {
    const [row] = await database.write<AppRow>(INSERT, [
      app.account_id,
      app.project_id,
      app.id,
      app.title,
      app.active,
      app.create_time_ms,
      app.private_key_id,
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

/** Returns an app of the account with its keys, or undefined if it does not exist. */
export async function findAppSecret(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<AppSecretRow | undefined> {
  const [row] = await database.read<AppSecretRow>(FIND_SECRET, [accountId, id]);
  return row;
}

/** Returns the id of the account of an app, or undefined if the app does not exist. */
export async function findAccountOfApp(
  database: Queryable,
  app: ResourceName<'apps'>,
): Promise<Ulid | undefined> {
  const [row] = await database.read<{ account_id: Ulid }>(FIND_ACCOUNT, [app]);
  return row?.account_id;
}

/** Updates an app of the account and returns its new row, or undefined if the app does not exist. */
export async function updateApp(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  { title, active }: AppChanges,
): Promise<AppRow | undefined> {
  const [row] = await database.write<AppRow>(UPDATE, [
    accountId,
    id,
    title ?? null,
    active === undefined ? null : Number(active),
  ]);
  return row;
}

/**
 * Replaces the key of an app. The key before becomes the previous key, in place of an earlier one.
 *
 * @param previousExpireTimeMs the end of the previous key: Unix time in milliseconds
 * @returns the row of the app with the id of the previous key, or undefined if the app does not exist
 */
export async function replaceAppKey(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
  { private_key_id, private_key_hash }: AppKey,
  previousExpireTimeMs: number,
): Promise<(AppRow & { readonly previous_key_id: string }) | undefined> {
  const params = [accountId, id, private_key_id, private_key_hash, previousExpireTimeMs];
  const [row] = await transaction.write<AppRow & { readonly previous_key_id: string }>(REPLACE_KEY, params);
  return row;
}

/** Deletes an app of any account and returns its last row, or undefined if the app does not exist. */
export async function deleteApp(
  transaction: Queryable,
  name: ResourceName<'apps'>,
): Promise<AppRow | undefined> {
  const [row] = await transaction.write<AppRow>(DELETE, [name]);
  return row;
}
