import { isWhole } from '../data/access/account-of.ts';
import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import type { Network } from '../model/network.ts';
import { idOf, type ResourceName, resourceName, type Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/interface/database.ts';
import { copyAccount, type RestoreOptions } from '../storage/jobs/copy.ts';
import { assertValid } from '../storage/jobs/row-values.ts';
import { findLeftAddresses } from '../storage/jobs/supplied-addresses.ts';
import { findAccount } from '../storage/tables/accounts.ts';
import type { TableCounts } from '../storage/tables/tables.ts';

/**
 * Restores an account from a backup, in batches; its tokens are refused until the last one. First all rows are checked.
 * The act is not recorded: the account has the audit events of the backup.
 *
 * @param backup a database with the same schema version
 * @param input the name of the `account`
 * @returns the number of rows of each table, and the addresses that were left out
 * @throws Error if the account is not in the backup, has values that the gateway can't have written, or exists; nothing is
 *   changed
 */
export async function restoreAccount(
  { database }: Pick<OperatorContext, 'database'>,
  backup: Pick<Queryable, 'read'>,
  input: UntrustedInput,
  options: RestoreOptions,
): Promise<{ readonly restored: TableCounts; readonly leftOut: readonly LeftAddresses[] }> {
  const { account } = parseFields(input, { account: resourceNameValidator('accounts') });
  await assertValid(backup, 'The backup', idOf(account));
  const row = await findAccount(backup, idOf(account));
  if (row === undefined) throw new Error(`The backup does not have ${account}.`);
  if (!isWhole(row)) throw new Error(`The backup has ${account} during its deletion or restoration.`);
  const leftOut = options.withAddresses ? [] : await leftAddresses(backup, row.id);
  return { restored: await copyAccount(backup, database, row, options), leftOut };
}

/** Addresses that were left for wallets of an account on a network. */
export type LeftAddresses = {
  readonly account: ResourceName<'accounts'>;
  readonly network: Network;
  readonly count: number;
};

/** Returns the addresses that a backup has left, of all accounts or of one. */
export async function leftAddresses(
  backup: Pick<Queryable, 'read'>,
  accountId?: Ulid,
): Promise<readonly LeftAddresses[]> {
  const rows = await findLeftAddresses(backup, accountId);
  return rows.map(({ account_id, ...left }) => ({ account: resourceName('accounts', account_id), ...left }));
}
