import type { Address } from '../../model/address.ts';
import type { Preconditions } from '../../model/etag.ts';
import type { Network } from '../../model/network.ts';
import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import type { Change, ConditionalSql, Queryable } from '../interface/database.ts';
import { type ChangesOf, except, KEY, prefixedId, type RowOf } from '../sql/columns.ts';
import { KeysetList, listByReference, listByTitle } from '../sql/keyset-list.ts';
import {
  findAccountOf,
  ifRevision,
  insertChange,
  insertInto,
  type RowId,
  readRow,
  revisionList,
  selectByIds,
  unlessRevision,
  updateStatements,
  writeRow,
} from '../sql/row-statements.ts';

type Wallet = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly project_id: Ulid;
  readonly title: string;
  readonly title_key: string;
  readonly description: string;
  readonly network: Network;
  readonly address: Address;
  readonly reference: string | null;
  readonly create_time_ms: number;
  readonly update_time_ms: number;
  readonly revision: Ulid;
  readonly archived: 0 | 1;
  /** Null unless the wallet is archived. */
  readonly archive_time_ms: number | null;
  /** In the PHC string format. */
  readonly password_hash: string | null;
};

/** The columns of a wallet without the hash of the password, and without those that the lists find it by. */
const WALLET_COLUMNS =
  'account_id, id, project_id, title, description, network, address, reference, create_time_ms, update_time_ms, revision, archive_time_ms';

export const WALLET_TABLE = {
  name: 'wallet',
  columns: `${WALLET_COLUMNS}, title_key, archived, password_hash`,
  key: KEY,
} as const;

/** The columns that an update can change: all but these. */
const CHANGEABLE_COLUMNS = except(
  WALLET_TABLE.columns,
  'account_id, id, address, create_time_ms, update_time_ms, revision, archived, archive_time_ms',
);

export type WalletRow = RowOf<Wallet, typeof WALLET_COLUMNS>;

/** A wallet without the address that it gets. */
export type NewWalletRow = Omit<Wallet, 'address' | 'password_hash'> & Partial<Pick<Wallet, 'password_hash'>>;

/** The time and the revision of an update, and new values for columns of a wallet. */
export type WalletChanges = ChangesOf<Wallet, (typeof CHANGEABLE_COLUMNS)[number]> &
  Pick<Wallet, 'update_time_ms' | 'revision'>;

const TABLE = { name: 'wallet', columns: WALLET_COLUMNS } as const;

/** The wallets of projects that are archived, or those that are not. */
export const WALLET_LIST = new KeysetList<WalletRow>(TABLE, {
  where: ['account_id =', 'archived ='],
  part: 'project_id',
});

export const WALLET_LIST_OF_ALL = new KeysetList<WalletRow>(TABLE, { where: ['account_id ='] });

export const WALLET_LIST_AT_ADDRESS = new KeysetList<WalletRow>(TABLE, {
  where: ['account_id =', 'address ='],
  part: 'project_id',
});

export const WALLET_LIST_BY_TITLE = listByTitle<WalletRow>(TABLE, 'project_id', ['archived =']);

export const WALLET_LIST_BY_REFERENCE = listByReference<WalletRow>(TABLE, 'project_id');

const FIND_ONE = `SELECT ${WALLET_COLUMNS} FROM wallet
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)`;

const FIND_TARGETS = `SELECT
  (SELECT archived FROM wallet WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)) AS archived,
  CASE WHEN EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $4) THEN 1 ELSE 0 END AS project`;

// $6 is the new project, which is also one of the values from $9 on.
const walletUpdate = updateStatements(
  CHANGEABLE_COLUMNS,
  9,
  (assignments): ConditionalSql =>
    (_, condition) =>
      `UPDATE wallet SET update_time_ms = $4, revision = $5, ${assignments}
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  AND (CAST($6 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM project p WHERE p.account_id = $1 AND p.id = $6))
  AND archived = 0 AND ${ifRevision(7)} AND ${unlessRevision(8)} AND ${condition}
RETURNING ${WALLET_COLUMNS}`,
);

const SET_ARCHIVED: ConditionalSql = (_, condition) => `UPDATE wallet SET
  archived = $4, archive_time_ms = $5, update_time_ms = $6, revision = $7
WHERE account_id = $1 AND id = $2 AND project_id = COALESCE($3, project_id)
  AND archived <> $4 AND ${ifRevision(8)} AND ${condition}
RETURNING ${WALLET_COLUMNS}`;

/** Inserts a wallet without a password. */
export const insertWallet = insertInto<Omit<Wallet, 'password_hash'>>(
  'wallet',
  `${WALLET_COLUMNS}, title_key, archived`,
);

const insertion = insertChange('wallet', WALLET_TABLE.columns);

/** Returns the change that inserts a wallet with the address that the first change of the statement returns. */
export function insertWalletChange(wallet: NewWalletRow): Change {
  return insertion({ ...wallet, address: { column: 'address' } });
}

export const findWallets = selectByIds<WalletRow>(TABLE);

export const findWalletByReference = readRow<WalletRow, [accountId: Ulid, reference: string]>(
  `SELECT ${WALLET_COLUMNS} FROM wallet WHERE account_id = $1 AND reference = $2`,
);

/** The primary key of a wallet, which is found only in a project if `withinProjectId` is defined. */
export type ScopedWalletId = RowId & { readonly withinProjectId: Ulid | undefined };

/** Returns a wallet, or undefined if it does not exist. */
export async function findWallet(
  database: Queryable,
  wallet: ScopedWalletId,
): Promise<WalletRow | undefined> {
  const [row] = await database.read<WalletRow>(FIND_ONE, paramsOf(wallet));
  return row;
}

/**
 * Returns whether the wallet of an update is archived, or null if it does not exist, and whether its new project exists, with
 * one statement. `project` is true if `projectId` is undefined.
 */
export async function findUpdateTargets(
  database: Queryable,
  wallet: ScopedWalletId,
  projectId: Ulid | undefined,
): Promise<{ archived: 0 | 1 | null; project: boolean }> {
  const params = [...paramsOf(wallet), projectId ?? null];
  const [row] = await database.read<{ archived: 0 | 1 | null; project: 0 | 1 }>(FIND_TARGETS, params);
  return { archived: row?.archived ?? null, project: projectId === undefined || row?.project === 1 };
}

export const findAccountOfWallet = findAccountOf('wallets');

export const deleteWalletRow = writeRow<WalletRow, [name: ResourceName<'wallets'>]>(
  `DELETE FROM wallet WHERE ${prefixedId('wallets/')} = $1 RETURNING ${WALLET_COLUMNS}`,
);

/**
 * Returns the change that updates a wallet and returns its new row, unless the wallet or its new project does not exist, or
 * the wallet is archived, or does not meet the conditions. It is the first of its statement.
 */
export function updateWalletChange(
  wallet: ScopedWalletId,
  { update_time_ms: now, revision, ...changes }: WalletChanges,
  { ifMatch, ifNoneMatch }: Preconditions,
): Change {
  const { sql, values } = walletUpdate(changes);
  const conditions = [changes.project_id ?? null, revisionList(ifMatch), revisionList(ifNoneMatch)];
  return { sql, params: [...paramsOf(wallet), now, revision, ...conditions, ...values] };
}

/**
 * Returns the change that archives or unarchives a wallet, and returns its new row, unless the wallet does not exist, is
 * in this state, or has none of the revisions. It is the first of its statement.
 */
export function setArchivedChange(
  wallet: ScopedWalletId,
  { archived, update_time_ms: now, revision }: RowOf<Wallet, 'archived, update_time_ms, revision'>,
  revisions: readonly Ulid[] | undefined,
): Change {
  const values = [archived, archived === 1 ? now : null, now, revision, revisionList(revisions)];
  return { sql: SET_ARCHIVED, params: [...paramsOf(wallet), ...values] };
}

function paramsOf({ accountId, id, withinProjectId }: ScopedWalletId): [Ulid, Ulid, Ulid | null] {
  return [accountId, id, withinProjectId ?? null];
}
