import { setTimeout as delay } from 'node:timers/promises';
import { lockAccount, requireAccount } from '../data/access/account-of.ts';
import { recordAct } from '../data/audit/audit.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { optional, parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { idOf, resourceName } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { readRows } from '../storage/jobs/bulk-rows.ts';
import {
  type AddressPool,
  deleteEmptyPool,
  deleteFirstAddresses,
} from '../storage/jobs/supplied-addresses.ts';
import { ADDRESS_POOL_TABLE, type AddressPoolRow } from '../storage/tables/addresses.ts';

// SQLite deletes them in about 10 ms.
const BATCH_SIZE = 1000;

/**
 * Deletes all addresses that are left for new wallets, of an account or of the whole database, in batches. A wallet may
 * have got them since the time of a restored backup.
 *
 * @param input the name of the `account`; undefined for all
 * @returns the number of deleted addresses
 */
export async function deleteAllAddresses(operator: OperatorContext, input: UntrustedInput): Promise<number> {
  const { account } = parseFields(input, { account: optional(resourceNameValidator('accounts')) });
  const { database } = operator;
  if (account !== undefined) await requireAccount(database, account);
  let total = 0;
  for await (const rows of readRows(database, ADDRESS_POOL_TABLE, account && idOf(account))) {
    for (const { account_id: accountId, network } of rows as readonly AddressPoolRow[]) {
      const pool = { accountId, network };
      total += await deleteFromPool(database, pool, 'all', async (transaction, count) => {
        const act = {
          action: 'address.delete',
          resource: resourceName('accounts', accountId),
          fields: [network],
          count,
        } as const;
        await recordAct(transaction, operator, { accountId, ...act });
      });
      await database.transaction((transaction) => deleteEmptyPool(transaction, pool));
    }
  }
  return total;
}

/**
 * Deletes addresses of a pool in batches, and returns their number.
 *
 * @param which all, or those that no wallet can get yet
 * @param record is called in the transaction of each batch that has deleted some, with their number
 */
export async function deleteFromPool(
  database: OperatorContext['database'],
  pool: AddressPool,
  which: 'all' | 'being added',
  record: (transaction: Queryable, count: number) => Promise<void> = async () => {},
): Promise<number> {
  for (let total = 0; ; ) {
    const startMs = performance.now();
    const count = await database.transaction(async (transaction) => {
      await lockAccount(transaction, pool.accountId);
      const deleted = await deleteFirstAddresses(transaction, pool, which, BATCH_SIZE);
      if (deleted > 0) await record(transaction, deleted);
      return deleted;
    });
    total += count;
    if (count < BATCH_SIZE) return total;
    await delay(performance.now() - startMs);
  }
}
