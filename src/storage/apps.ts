import type { ResourceName, Ulid } from '../model/resource-name.ts';
import { LAST_USE_INTERVAL_MS } from './background-writes.ts';
import type { Queryable, Statement } from './database.ts';
import { isForeignKeyViolation } from './foreign-keys.ts';
import { List } from './list.ts';
import { findAccountOf, placeholders, selectByIds } from './row-statements.ts';
import { APP, APP_KEY_HASHES, NEW_APP, namesOf, type RowOf, valuesOf } from './tables.ts';

/** A row of the table `app`, without the hashes of its keys. */
export type AppRow = RowOf<typeof APP>;

/** The public id of the private key of an app, and the SHA-256 of the key in hexadecimal digits. */
export type AppKey = RowOf<'private_key_id, private_key_hash'>;

/** A row of the table `app`, with the hashes of its keys. */
export type AppSecretRow = AppRow & RowOf<typeof APP_KEY_HASHES>;

/** New values for columns of an app. Columns with the value undefined are not changed. */
export type AppChanges = {
  readonly title?: string | undefined;
  readonly active?: boolean | undefined;
};

const TABLE = { name: 'app', columns: APP } as const;

/** The apps of an account. A part is a project. */
export const APPS = new List<AppRow>(TABLE, { where: ['account_id ='], part: 'project_id' });

const INSERTED = namesOf(NEW_APP);

// The SELECT returns no row, and nothing is inserted, if the project does not belong to the account.
const INSERT = `INSERT INTO app (${NEW_APP}) SELECT ${placeholders(INSERTED, 1)}
WHERE EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $3) RETURNING ${APP}`;

const FIND_SECRET = `SELECT ${APP}, ${APP_KEY_HASHES} FROM app WHERE account_id = $1 AND id = $2`;

const UPDATE = `UPDATE app SET title = COALESCE($3, title), active = COALESCE($4, active)
WHERE account_id = $1 AND id = $2 RETURNING ${APP}`;

const REPLACE_KEY = `UPDATE app SET
  previous_key_id = private_key_id,
  previous_key_hash = private_key_hash,
  previous_key_expire_time_ms = $5,
  private_key_id = $3,
  private_key_hash = $4
WHERE account_id = $1 AND id = $2 RETURNING ${APP}`;

const SIGNED_IN = `UPDATE app SET last_sign_in_time_ms = $3
WHERE account_id = $1 AND id = $2 AND COALESCE(last_sign_in_time_ms, 0) <= $4`;

// The expression must be the same as in the index `app_by_name`.
const DELETE = `DELETE FROM app WHERE 'apps/' || id = $1 RETURNING ${APP}`;

/** Inserts an app and returns its row, or undefined if the project does not belong to the account. */
export async function insertApp(
  database: Pick<Queryable, 'write'>,
  app: RowOf<typeof NEW_APP>,
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

/** Returns the statement that stores `now` as the last sign-in of an app, or undefined if the stored one is recent. */
export function lastSignInStatement(
  { account_id, id, last_sign_in_time_ms }: Pick<AppRow, 'account_id' | 'id' | 'last_sign_in_time_ms'>,
  now: number,
): Statement | undefined {
  const before = now - LAST_USE_INTERVAL_MS;
  return (last_sign_in_time_ms ?? 0) > before
    ? undefined
    : { sql: SIGNED_IN, params: [account_id, id, now, before] };
}

/** Deletes an app of any account and returns its last row, or undefined if the app does not exist. */
export async function deleteApp(
  transaction: Queryable,
  name: ResourceName<'apps'>,
): Promise<AppRow | undefined> {
  const [row] = await transaction.write<AppRow>(DELETE, [name]);
  return row;
}
