import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { List } from './list.ts';
import { findAccountOf, insertInto, selectByIds } from './row-statements.ts';
import { namesOf, type RowOf, valuesOf, WALLET } from './tables.ts';

/** A row of the table `wallet`, without the hash of the password. */
export type WalletRow = RowOf<typeof WALLET>;

/** The columns that an update can change. The hash of the password is in the PHC string format. */
const CHANGEABLE = 'project_id, title, description, network, password_hash';

/** New values for columns of a wallet. Columns with the value undefined are not changed. */
export type WalletChanges = Optional<RowOf<typeof CHANGEABLE>>;

type Optional<T> = { readonly [F in keyof T]: T[F] | undefined };

const TABLE = { name: 'wallet', columns: WALLET } as const;

/** The wallets of an account. A part is a project. */
export const WALLETS = new List<WalletRow>(TABLE, { where: ['account_id ='], part: 'project_id' });

const FIND_ONE = `SELECT ${WALLET} FROM wallet
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)`;

const FIND_TARGETS = `SELECT
  CASE WHEN EXISTS (
    SELECT 1 FROM wallet WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  ) THEN 1 ELSE 0 END AS wallet,
  CASE WHEN EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $4) THEN 1 ELSE 0 END AS project`;

// The expression must be the same as in the index `wallet_by_name`.
const DELETE = `DELETE FROM wallet WHERE 'wallets/' || id = $1 RETURNING ${WALLET}`;

const CHANGED = namesOf(CHANGEABLE);

// COALESCE keeps the current value of a column without a new value. Two concurrent updates of
// different fields therefore do not overwrite each other.
const UPDATE = `UPDATE wallet SET
  update_time_ms = $4, ${CHANGED.map((column, index) => `${column} = COALESCE($${5 + index}, ${column})`)}
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  AND (CAST($5 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.account_id = $1 AND p.id = $5))
RETURNING ${WALLET}`;

/** Inserts a wallet without a password. */
export const insertWallet = insertInto('wallet', WALLET);

/** Returns the wallets of the account with the given ids. */
export const findWallets = selectByIds(TABLE);

/**
 * Returns a wallet of the account, or undefined if it does not exist.
 *
 * @param withinProjectId if defined, only a wallet of this project is found
 */
export async function findWallet(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
): Promise<WalletRow | undefined> {
  const [row] = await database.read<WalletRow>(FIND_ONE, [accountId, id, withinProjectId ?? null]);
  return row;
}

/**
 * Returns whether the wallet of an update and its new project exist, with one statement. `project`
 * is true if `projectId` is undefined.
 *
 * @param withinProjectId if defined, only a wallet of this project is found
 */
export async function findUpdateTargets(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
  projectId: Ulid | undefined,
): Promise<{ wallet: boolean; project: boolean }> {
  const params = [accountId, id, withinProjectId ?? null, projectId ?? null];
  const [row] = await database.read<{ wallet: 0 | 1; project: 0 | 1 }>(FIND_TARGETS, params);
  return { wallet: row?.wallet === 1, project: projectId === undefined || row?.project === 1 };
}

/** Returns the id of the account of this wallet, or undefined if it does not exist. */
export const findAccountOfWallet = findAccountOf('wallets');

/** Deletes a wallet of any account and returns its last row, or undefined if the wallet does not exist. */
export async function deleteWallet(
  database: Queryable,
  wallet: ResourceName<'wallets'>,
): Promise<WalletRow | undefined> {
  const [row] = await database.write<WalletRow>(DELETE, [wallet]);
  return row;
}

/**
 * Updates a wallet of the account and returns its new row, or undefined if the wallet or its new project does not exist.
 *
 * @param withinProjectId if defined, only a wallet of this project is updated
 * @param now the time of the update, in Unix milliseconds
 */
export async function updateWallet(
  database: Pick<Queryable, 'write'>,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
  changes: WalletChanges,
  now: number,
): Promise<WalletRow | undefined> {
  const params = [accountId, id, withinProjectId ?? null, now, ...valuesOf(changes, CHANGED)];
  const [row] = await database.write<WalletRow>(UPDATE, params);
  return row;
}
