import type { Address } from '../../model/address.ts';
import type { Network } from '../../model/network.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Queryable } from '../interface/database.ts';
import type { AddressRow } from '../tables/addresses.ts';
import { placeholders } from '../work/change.ts';
import { forStatements, insertRows } from './bulk-rows.ts';

const INSERT_POOL = `INSERT INTO address_pool (account_id, network, address_count, last_id) VALUES ($1, $2, 0, '')
ON CONFLICT (account_id, network) DO NOTHING`;

const IF_NEW = 'ON CONFLICT (account_id, address) DO NOTHING RETURNING address';

const FIND_LAST_ID = 'SELECT last_id FROM address_pool WHERE account_id = $1 AND network = $2';

const ADD_TO_COUNT =
  'UPDATE address_pool SET address_count = address_count + $3 WHERE account_id = $1 AND network = $2';

const GIVE_ADDED = `UPDATE address_pool SET last_id = $3, address_count = address_count + (
  SELECT COUNT(*) FROM address WHERE account_id = $1 AND network = $2 AND id > last_id)
WHERE account_id = $1 AND network = $2`;

const DELETE_EMPTY_POOL = `DELETE FROM address_pool WHERE account_id = $1 AND network = $2
  AND NOT EXISTS (SELECT 1 FROM address WHERE account_id = $1 AND network = $2)`;

// With IN, PostgreSQL would search the first ones again for each row.
const DELETE_FIRST = `DELETE FROM address WHERE account_id = $1 AND network = $2 AND id > $3 AND id <= (SELECT MAX(id) FROM (
  SELECT id FROM address WHERE account_id = $1 AND network = $2 AND id > $3 ORDER BY id LIMIT $4
) AS first)
RETURNING id`;

const FIND_LAST_IDS = `SELECT p.last_id, (SELECT MAX(id) FROM address WHERE account_id = $1 AND network = $2
  AND id > p.last_id) AS last_added FROM address_pool p WHERE p.account_id = $1 AND p.network = $2`;

const COUNT_ALL = `SELECT (SELECT COUNT(*) FROM wallet WHERE account_id = $1) +
  (SELECT CAST(COALESCE(SUM(address_count), 0) AS BIGINT) FROM address_pool WHERE account_id = $1) AS count`;

/** Returns the number of the wallets of an account and of the addresses that are left for more. */
export async function countWalletsAndAddresses(database: Queryable, accountId: Ulid): Promise<number> {
  const [row] = await database.read<{ count: number }>(COUNT_ALL, [accountId]);
  return row?.count ?? 0;
}

/** An account, and the network for whose wallets addresses are left. */
export type AddressPool = { readonly accountId: Ulid; readonly network: Network };

/** Returns how many addresses are left, by account and network, of all accounts or of one. */
export function findLeftAddresses(
  database: Pick<Queryable, 'read'>,
  accountId?: Ulid,
): Promise<readonly (Pick<AddressRow, 'account_id' | 'network'> & { readonly count: number })[]> {
  const where = accountId === undefined ? '' : 'WHERE account_id = $1';
  const sql = `SELECT account_id, network, COUNT(*) AS count FROM address ${where}
GROUP BY account_id, network ORDER BY account_id, network`;
  return database.read(sql, accountId === undefined ? [] : [accountId]);
}

/** Returns the addresses that have a wallet, or are left for one on any network, but not those that are being added to the pool. */
export async function findUsed(
  database: Queryable,
  { accountId, network }: AddressPool,
  addresses: Iterable<Address>,
): Promise<ReadonlySet<Address>> {
  const used = new Set<Address>();
  for (const batch of forStatements(addresses)) {
    const list = placeholders(batch, 3);
    const sql = `SELECT address FROM wallet WHERE account_id = $1 AND address IN (${list})
UNION ALL SELECT address FROM address WHERE account_id = $1 AND address IN (${list})
  AND (network <> $2 OR id <= (${FIND_LAST_ID}))`;
    const rows = await database.read<Pick<AddressRow, 'address'>>(sql, [accountId, network, ...batch]);
    for (const { address } of rows) used.add(address);
  }
  return used;
}

/** Returns the addresses that a wallet can get from a pool. */
export async function findLeft(
  database: Queryable,
  { accountId, network }: AddressPool,
  addresses: Iterable<Address>,
): Promise<ReadonlySet<Address>> {
  const left = new Set<Address>();
  for (const batch of forStatements(addresses)) {
    const sql = `SELECT address FROM address WHERE account_id = $1 AND network = $2 AND id <= (${FIND_LAST_ID})
  AND address IN (${placeholders(batch, 3)})`;
    const rows = await database.read<Pick<AddressRow, 'address'>>(sql, [accountId, network, ...batch]);
    for (const { address } of rows) left.add(address);
  }
  return left;
}

type LastIds = { readonly last_id: Ulid | ''; readonly last_added: Ulid | null };

/**
 * Returns the ids of the last address of a pool that a wallet can get, and of the last one that is being added. Another
 * process adds or deletes some at the same time if they differ from this one's.
 */
export async function findLastIds(
  transaction: Queryable,
  { accountId, network }: AddressPool,
): Promise<LastIds> {
  const [row] = await transaction.read<LastIds>(FIND_LAST_IDS, [accountId, network]);
  return row ?? { last_id: '', last_added: null };
}

/** Inserts addresses of a pool, which no wallet gets before `giveAdded`. Returns those that were left already. */
export async function insertAddresses(
  transaction: Queryable,
  { accountId, network }: AddressPool,
  addresses: readonly Pick<AddressRow, 'address' | 'id'>[],
): Promise<ReadonlySet<Address>> {
  await transaction.write(INSERT_POOL, [accountId, network]);
  const rows = addresses.map((each) => ({ account_id: accountId, network, ...each }));
  const inserted = await insertRows<Pick<AddressRow, 'address'>>(transaction, 'address', rows, IF_NEW);
  const left = new Set(addresses.map(({ address }) => address));
  for (const { address } of inserted) left.delete(address);
  return left;
}

/** Lets wallets get the addresses that were added to a pool; the last one has this id. */
export async function giveAdded(
  transaction: Queryable,
  { accountId, network }: AddressPool,
  lastId: Ulid | undefined,
): Promise<void> {
  await transaction.write(GIVE_ADDED, [accountId, network, lastId ?? '']);
}

/** Deletes addresses of an account from its pools. */
export async function deleteAddresses(
  transaction: Queryable,
  accountId: Ulid,
  addresses: readonly Address[],
): Promise<void> {
  const deleted: Pick<AddressRow, 'network' | 'id'>[] = [];
  for (const batch of forStatements(addresses)) {
    const sql = `DELETE FROM address WHERE account_id = $1 AND address IN (${placeholders(batch, 2)}) RETURNING network, id`;
    deleted.push(
      ...(await transaction.write<Pick<AddressRow, 'network' | 'id'>>(sql, [accountId, ...batch])),
    );
  }
  for (const [network, rows] of Map.groupBy(deleted, (row) => row.network)) {
    await subtract(transaction, { accountId, network }, rows);
  }
}

/** Subtracts deleted addresses from the count of those that wallets can get. */
async function subtract(
  transaction: Queryable,
  pool: AddressPool,
  deleted: readonly Pick<AddressRow, 'id'>[],
): Promise<void> {
  const { last_id } = await findLastIds(transaction, pool);
  const left = deleted.filter(({ id }) => id <= last_id);
  await transaction.write(ADD_TO_COUNT, [pool.accountId, pool.network, -left.length]);
}

/** Deletes the first addresses of a pool, or of those that no wallet can get yet, at most `max`. Returns their number. */
export async function deleteFirstAddresses(
  transaction: Queryable,
  pool: AddressPool,
  which: 'all' | 'being added',
  max: number,
): Promise<number> {
  const { accountId, network } = pool;
  const first = which === 'all' ? '' : (await findLastIds(transaction, pool)).last_id;
  const deleted = await transaction.write<Pick<AddressRow, 'id'>>(DELETE_FIRST, [
    accountId,
    network,
    first,
    max,
  ]);
  await subtract(transaction, pool, deleted);
  return deleted.length;
}

/** Deletes a pool without addresses. The metric of addresses then no longer counts the account. */
export async function deleteEmptyPool(
  transaction: Queryable,
  { accountId, network }: AddressPool,
): Promise<void> {
  await transaction.write(DELETE_EMPTY_POOL, [accountId, network]);
}
