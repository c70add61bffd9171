import type { Address } from '../../model/address.ts';
import type { Network } from '../../model/network.ts';
import type { Ulid } from '../../model/resource-name.ts';
import { placeholders } from '../port/change.ts';
import type { Queryable } from '../port/database.ts';
import { ADDRESS_TABLE, type RowOf } from '../sql/columns.ts';
import { insertRows } from './bulk-rows.ts';
import { batches } from './import-rows.ts';

const INSERT_POOL = `INSERT INTO address_pool (account_id, network, address_count) VALUES ($1, $2, 0)
ON CONFLICT (account_id, network) DO NOTHING`;

const IF_NEW = 'ON CONFLICT (account_id, address) DO NOTHING RETURNING address';

const ADD_TO_COUNT =
  'UPDATE address_pool SET address_count = address_count + $3 WHERE account_id = $1 AND network = $2';

const DELETE_EMPTY_POOL =
  'DELETE FROM address_pool WHERE account_id = $1 AND network = $2 AND address_count = 0';

const FIND_ASSIGNED = `SELECT w.address FROM wallet w
JOIN address a ON a.account_id = w.account_id AND a.address = w.address WHERE w.account_id = $1`;

const COUNT_ALL = `SELECT (SELECT COUNT(*) FROM wallet WHERE account_id = $1) +
  (SELECT COUNT(*) FROM address WHERE account_id = $1) AS count`;

/** Returns the number of the wallets of an account and of the addresses that are left for more. */
export async function countWalletsAndAddresses(transaction: Queryable, accountId: Ulid): Promise<number> {
  const [row] = await transaction.read<{ count: number }>(COUNT_ALL, [accountId]);
  return row?.count ?? 0;
}

/** An account, and the network for whose wallets addresses are left. */
type Pool = { readonly accountId: Ulid; readonly network: Network };

/** Inserts addresses of a pool, in their order. Returns those that neither were left before nor have a wallet. */
export async function insertAddresses(
  transaction: Queryable,
  { accountId, network }: Pool,
  addresses: readonly Address[],
  newId: () => Ulid,
): Promise<ReadonlySet<Address>> {
  const pool = { account_id: accountId, network };
  await transaction.write(INSERT_POOL, [accountId, network]);
  const unused = new Set<Address>();
  for (const batch of batches(addresses)) {
    const rows = batch.map((address) => ({ ...pool, id: newId(), address }));
    const inserted = await insertRows<RowOf<'address'>>(transaction, ADDRESS_TABLE, rows, IF_NEW);
    for (const { address } of inserted) unused.add(address);
  }
  const assigned = await transaction.read<RowOf<'address'>>(FIND_ASSIGNED, [accountId]);
  for (const { address } of assigned) unused.delete(address);
  // At the end: creations of wallets wait for the row from here on.
  await transaction.write(ADD_TO_COUNT, [accountId, network, unused.size]);
  return unused;
}

/** Deletes addresses of an account from its pools. Returns those that were left, each with its network. */
export async function deleteAddresses(
  transaction: Queryable,
  accountId: Ulid,
  addresses: readonly Address[],
): Promise<readonly RowOf<'network, address'>[]> {
  const deleted: RowOf<'network, address'>[] = [];
  for (const batch of batches(addresses)) {
    const sql = `DELETE FROM address WHERE account_id = $1 AND address IN (${placeholders(batch, 2)})
RETURNING network, address`;
    deleted.push(...(await transaction.write<RowOf<'network, address'>>(sql, [accountId, ...batch])));
  }
  for (const [network, { length }] of Map.groupBy(deleted, (row) => row.network)) {
    await transaction.write(ADD_TO_COUNT, [accountId, network, -length]);
  }
  return deleted;
}

/** Deletes addresses of a pool, and the pool if it is then empty. Returns those of them that were left. */
export async function deleteAddressesOf(
  transaction: Queryable,
  { accountId, network }: Pool,
  addresses: readonly Address[],
): Promise<ReadonlySet<Address>> {
  const deleted = await deleteAddresses(transaction, accountId, addresses);
  await transaction.write(DELETE_EMPTY_POOL, [accountId, network]);
  return new Set(deleted.flatMap((row) => (row.network === network ? row.address : [])));
}
