import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { isForeignKeyViolation } from './foreign-keys.ts';
import { List } from './list.ts';
import { findAccountOf, placeholders, selectByIds } from './row-statements.ts';
import { APP, APP_KEY, namesOf, PREVIOUS_KEY, type RowOf, valuesOf } from './tables.ts';

/** A row of the table `app`, without its keys. */
export type AppRow = RowOf<typeof APP>;

/** The public id of the private key of an app, and the SHA-256 of the key in hexadecimal digits. */
export type AppKey = RowOf<typeof APP_KEY>;

/** A row of the table `app`, with its keys. */
export type AppSecretRow = AppRow & AppKey & RowOf<typeof PREVIOUS_KEY>;

/** New values for columns of an app. Columns with the value undefined are not changed. */
export type AppChanges = {
  readonly title?: string | undefined;
  readonly active?: boolean | undefined;
};

const TABLE = { name: 'app', columns: APP } as const;

/** The apps of an account. A part is a project. */
export const APPS = new List<AppRow>(TABLE, { where: ['account_id ='], part: 'project_id' });

const INSERTED = namesOf(`${APP}, ${APP_KEY}`);

// The SELECT returns no row, and nothing is inserted, if the project does not belong to the account.
const INSERT = `INSERT INTO app (${APP}, ${APP_KEY}) SELECT ${placeholders(INSERTED, 1)}
WHERE EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $3) RETURNING ${APP}`;

const FIND_SECRET = `SELECT ${APP}, ${APP_KEY}, ${PREVIOUS_KEY} FROM app WHERE account_id = $1 AND id = $2`;

const UPDATE = `UPDATE app SET title = COALESCE($3, title), active = COALESCE($4, active)
WHERE account_id = $1 AND id = $2 RETURNING ${APP}`;

const REPLACE_KEY = `UPDATE app SET
  previous_key_id = private_key_id,
  previous_key_hash = private_key_hash,
  previous_key_expire_time_ms = $5,
  private_key_id = $3,
  private_key_hash = $4
WHERE account_id = $1 AND id = $2 RETURNING ${APP}, previous_key_id`;

// The expression must be the same as in the index `app_by_name`.
const DELETE = `DELETE FROM app WHERE 'apps/' || id = $1 RETURNING ${APP}`;

/** Inserts an app and returns its row, or undefined if the project does not belong to the account. */
export async function insertApp(
  database: Pick<Queryable, 'write'>,
  app: AppRow & AppKey,
): Promise<AppRow | undefined> {
  try {
    const [row] = await database.write<AppRow>(INSERT, valuesOf(app, INSERTED));
    return row;
  } catch (error) {
    if (isForeignKeyViolation(error)) return undefined;
    throw error;
  }
}

/** Returns the apps of the account with the given ids. */
export const findApps = selectByIds(TABLE);

/** Returns an app of the account with its keys, or undefined if it does not exist. */
export async function findAppSecret(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<AppSecretRow | undefined> {
  const [row] = await database.read<AppSecretRow>(FIND_SECRET, [accountId, id]);
  return row;
}

/** Returns the id of the account of this app, or undefined if it does not exist. */
export const findAccountOfApp = findAccountOf('apps');

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
