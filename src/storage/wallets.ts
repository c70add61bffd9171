import type { Address } from '../model/address.ts';
import type { Network } from '../model/network.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `wallet`, without the hash of its password. */
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

/** New values of some of a wallet's columns. What is undefined stays as it is. */
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

const INSERT = `INSERT INTO wallet (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

const FIND_ONE = `SELECT ${COLUMNS} FROM wallet
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)`;

const FIND_TARGETS = `SELECT
  CASE WHEN EXISTS (
    SELECT 1 FROM wallet WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  ) THEN 1 ELSE 0 END AS wallet,
  CASE WHEN EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $4) THEN 1 ELSE 0 END AS project`;

const LIST = `SELECT ${COLUMNS} FROM wallet WHERE account_id = $1 ORDER BY id LIMIT $2`;

// Each column is written from itself where no value was sent, so that two updates
// of different fields at the same time both stand.
const UPDATE = `UPDATE wallet SET
  title = COALESCE($3, title),
  description = COALESCE($4, description),
  project_id = COALESCE($5, project_id),
  network = COALESCE($6, network),
  password_hash = COALESCE($7, password_hash),
  update_time_ms = $8
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($9, project_id)
RETURNING ${COLUMNS}`;

/** Adds a wallet, without a password. */
export async function insertWallet(database: Queryable, wallet: WalletRow): Promise<void> {
  await database.query(INSERT, [
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

/** Returns those of the account's wallets `ids` that exist, in no order. */
export function findWallets(
  database: Queryable,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly WalletRow[]> {
  return selectByIds(database, `SELECT ${COLUMNS} FROM wallet WHERE account_id = $1 AND id`, accountId, ids);
}

/**
 * Returns a wallet of the account, or undefined if it has none of this id.
 *
 * @param withinProjectId if given, only a wallet of this project is found
 */
export async function findWallet(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
): Promise<WalletRow | undefined> {
  const [row] = await database.query<WalletRow>(FIND_ONE, [accountId, id, withinProjectId ?? null]);
  return row;
}

/**
 * Returns whether the wallet that is to be updated, and the project that it is to
 * move into, if one is given, are there. Costs one statement.
 */
export async function findUpdateTargets(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
  projectId: Ulid | undefined,
): Promise<{ wallet: boolean; project: boolean }> {
  const [row] = await database.query<{ wallet: 0 | 1; project: 0 | 1 }>(FIND_TARGETS, [
    accountId,
    id,
    withinProjectId ?? null,
    projectId ?? null,
  ]);
  return { wallet: row?.wallet === 1, project: projectId === undefined || row?.project === 1 };
}

/** Returns the first `limit` wallets of the account, by id. */
export function listWallets(
  database: Queryable,
  accountId: Ulid,
  limit: number,
): Promise<readonly WalletRow[]> {
  return database.query<WalletRow>(LIST, [accountId, limit]);
}

/**
 * Changes a wallet of the account and returns its new row, or undefined if the
 * account has none of this id.
 *
 * @param withinProjectId if given, only a wallet of this project is changed
 * @param now the time of the update, Unix milliseconds
 */
export async function changeWallet(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  withinProjectId: Ulid | undefined,
  changes: WalletChanges,
  now: number,
): Promise<WalletRow | undefined> {
  const [row] = await database.query<WalletRow>(UPDATE, [
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
