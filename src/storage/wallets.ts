import type { Address } from '../model/address.ts';
import type { Network } from '../model/network.ts';
import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `wallet`, without the hash of the password. */
export type WalletRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly description: string;
  readonly network: Network;
  readonly address: Address;
  readonly create_time_ms: number;
  readonly update_time_ms: number;
};

/** New values for columns of a wallet. Columns with the value undefined are not changed. */
export type WalletChanges = {
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly projectId: Ulid | undefined;
  readonly network: Network | undefined;
  /** In the PHC string format. */
  readonly passwordHash: string | undefined;
};

const COLUMNS =
  'account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms';

/** The table of the lists of wallets. Their rows are `WalletRow`s. */
export const WALLET_LIST = { name: 'wallet', columns: COLUMNS } as const;

const INSERT = `INSERT INTO wallet (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const FIND_ONE = `SELECT ${COLUMNS} FROM wallet
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)`;

const FIND_TARGETS = `SELECT
  CASE WHEN EXISTS (
    SELECT 1 FROM wallet WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  ) THEN 1 ELSE 0 END AS wallet,
  CASE WHEN EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $4) THEN 1 ELSE 0 END AS project`;

// The expression must be the same as in the index `wallet_by_name`.
const FIND_ACCOUNT = "SELECT account_id FROM wallet WHERE 'wallets/' || id = $1";

const DELETE = `DELETE FROM wallet WHERE 'wallets/' || id = $1 RETURNING ${COLUMNS}`;

// COALESCE keeps the current value of a column without a new value. Two concurrent updates of
// different fields therefore do not overwrite each other.
const UPDATE = `UPDATE wallet SET
  title = COALESCE($3, title),
  description = COALESCE($4, description),
  project_id = COALESCE($5, project_id),
  network = COALESCE($6, network),
  password_hash = COALESCE($7, password_hash),
  update_time_ms = $8
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($9, project_id)
  AND (CAST($5 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.account_id = $1 AND p.id = $5))
RETURNING ${COLUMNS}`;

/** Inserts a wallet without a password. */
export async function insertWallet(database: Queryable, wallet: WalletRow): Promise<void> {
  await database.write(INSERT, [
    wallet.account_id,
    wallet.id,
    wallet.project_id,
    wallet.title,
    wallet.description,
    wallet.network,
    wallet.address,
    wallet.create_time_ms,
    wallet.update_time_ms,
  ]);
}

/** Returns the wallets of the account with the given ids, in no particular order. Missing wallets are omitted. */
export function findWallets(
  database: Queryable,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly WalletRow[]> {
  return selectByIds(database, `SELECT ${COLUMNS} FROM wallet WHERE account_id = $1 AND id`, accountId, ids);
}

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
  const [row] = await database.read<{ wallet: 0 | 1; project: 0 | 1 }>(FIND_TARGETS, [
    accountId,
    id,
    withinProjectId ?? null,
    projectId ?? null,
  ]);
  return { wallet: row?.wallet === 1, project: projectId === undefined || row?.project === 1 };
}

/** Returns the id of the account of a wallet, or undefined if the wallet does not exist. */
export async function findAccountOfWallet(
  database: Queryable,
  wallet: ResourceName<'wallets'>,
): Promise<Ulid | undefined> {
  const [row] = await database.read<{ account_id: Ulid }>(FIND_ACCOUNT, [wallet]);
  return row?.account_id;
}

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
  const [row] = await database.write<WalletRow>(UPDATE, [
    accountId,
    id,
    changes.title ?? null,
    changes.description ?? null,
    changes.projectId ?? null,
    changes.network ?? null,
    changes.passwordHash ?? null,
    now,
    withinProjectId ?? null,
  ]);
  return row;
}
