import type { Address } from '../../model/address.ts';
import type { Network } from '../../model/network.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Change, ConditionalSql, Database, Queryable } from '../interface/database.ts';
import { KeysetList } from '../sql/keyset-list.ts';
import { isForeignKeyViolation, isUniqueViolation } from '../work/constraint-violations.ts';
import { type AuditEventRow, insertEventChange } from './audit-events.ts';
import { insertWalletChange, type NewWalletRow } from './wallets.ts';

/** An address that is left for a wallet. */
export type AddressRow = {
  readonly account_id: Ulid;
  readonly network: Network;
  readonly id: Ulid;
  readonly address: Address;
};

export const ADDRESS_TABLE = {
  name: 'address',
  columns: 'account_id, network, id, address',
  key: ['account_id', 'network', 'id'],
} as const;

export type AddressPoolRow = {
  readonly account_id: Ulid;
  readonly network: Network;
  readonly address_count: number;
  readonly last_id: Ulid | '';
};

export const ADDRESS_POOL_TABLE = {
  name: 'address_pool',
  columns: 'account_id, network, address_count, last_id',
  key: ['account_id', 'network'],
} as const;

/** The addresses of an account that are left for wallets on a network, in the order in which wallets get them. */
export const ADDRESS_LIST = new KeysetList<AddressRow>(ADDRESS_TABLE, {
  where: ['account_id =', 'network ='],
});

// On PostgreSQL, concurrent creations wait for the first row, find it deleted, and lock the next one.
const TAKE: ConditionalSql = ([account, network, project], condition) => `DELETE FROM address
WHERE account_id = ${account} AND network = ${network} AND id = (SELECT id FROM address
  WHERE account_id = ${account} AND network = ${network} AND id <= (
    SELECT last_id FROM address_pool WHERE account_id = ${account} AND network = ${network})
  ORDER BY id LIMIT 1 FOR NO KEY UPDATE)
  AND EXISTS (SELECT 1 FROM project WHERE account_id = ${account} AND project.id = ${project}) AND ${condition}
RETURNING address`;

const TAKE_FOR_REFERENCE: ConditionalSql = (names, condition) =>
  TAKE(
    names,
    `NOT EXISTS (SELECT 1 FROM wallet WHERE account_id = ${names[0]} AND reference = ${names[3]}) AND ${condition}`,
  );

const COUNT_TAKEN: ConditionalSql = ([account, network], condition) => `UPDATE address_pool
SET address_count = address_count - 1 WHERE account_id = ${account} AND network = ${network} AND ${condition}`;

const FIND_TARGETS = `SELECT
  CASE WHEN EXISTS (SELECT 1 FROM project WHERE account_id = $1 AND id = $2) THEN 1 ELSE 0 END AS project,
  CASE WHEN EXISTS (SELECT 1 FROM address_pool WHERE account_id = $1 AND network = $3 AND address_count > 0) THEN 1 ELSE 0
  END AS address`;

const FIND_COUNTS = 'SELECT network, address_count FROM address_pool WHERE account_id = $1';

const FIND_FEWEST = `SELECT network, MIN(address_count) AS address_count FROM address_pool
JOIN account ON account.id = address_pool.account_id WHERE account.state = 'ACTIVE' GROUP BY network`;

/**
 * Inserts a wallet, with its audit event, and gives it the address that was supplied first for its account and network.
 *
 * @returns the address, or undefined if none is left, the account does not have the project, or another wallet has the
 *   reference; then no address is used
 */
export async function insertWithNextAddress(
  database: Pick<Database, 'writeIfFirst'>,
  wallet: NewWalletRow,
  event: AuditEventRow,
): Promise<Address | undefined> {
  const { account_id, network, project_id, reference } = wallet;
  const take: Change =
    reference === null
      ? { sql: TAKE, params: [account_id, network, project_id] }
      : { sql: TAKE_FOR_REFERENCE, params: [account_id, network, project_id, reference] };
  try {
    const [taken] = await database.writeIfFirst<Pick<AddressRow, 'address'>>([
      take,
      { sql: COUNT_TAKEN, params: [account_id, network] },
      insertWalletChange(wallet),
      insertEventChange(event),
    ]);
    return taken?.address;
  } catch (error) {
    // The project was deleted, or the reference given to a wallet, at the same time.
    if (isForeignKeyViolation(error) || (reference !== null && isUniqueViolation(error))) return undefined;
    throw error;
  }
}

/** Returns whether an account has a project, and an address that is left for a network. */
export async function findWalletTargets(
  database: Queryable,
  { account_id, project_id, network }: Pick<NewWalletRow, 'account_id' | 'project_id' | 'network'>,
): Promise<{ readonly project: boolean; readonly address: boolean }> {
  const params = [account_id, project_id, network];
  const [row] = await database.read<{ project: 0 | 1; address: 0 | 1 }>(FIND_TARGETS, params);
  return { project: row?.project === 1, address: row?.address === 1 };
}

type Count = Pick<AddressPoolRow, 'network' | 'address_count'>;

/** Returns how many addresses of an account are left, per network that it has ever got some for. */
export function findAddressCounts(database: Queryable, accountId: Ulid): Promise<readonly Count[]> {
  return database.read<Count>(FIND_COUNTS, [accountId]);
}

/** Returns the fewest addresses that any active account has left, per network that one has ever got some for. */
export async function findFewestAddresses(database: Queryable): Promise<ReadonlyMap<Network, number>> {
  const rows = await database.read<Count>(FIND_FEWEST);
  return new Map(rows.map(({ network, address_count }) => [network, address_count]));
}
