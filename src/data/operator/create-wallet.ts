import {
  address,
  description,
  network,
  optional,
  parseFields,
  resourceNameValidator,
  title,
} from '../../model/fields/fields.ts';
import { resourceName } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { insertWallet } from '../../storage/wallets.ts';
import { requireAccountOfProject } from '../access/account-of.ts';
import { recordAct } from '../audit/audit.ts';
import type { AdminContext } from '../operation/dependencies.ts';
import type { UntrustedInput } from '../operation/operation.ts';
import { walletFromRow } from '../rows/from-row.ts';
import { newWalletRow } from '../rows/new-rows.ts';

const VALIDATORS = {
  project: resourceNameValidator('projects'),
  title,
  description: optional(description),
  network,
  address,
};

export async function createWallet(admin: AdminContext, input: UntrustedInput): Promise<Wallet> {
  const fields = parseFields(input, VALIDATORS);
  const { database } = admin;

  const accountId = await requireAccountOfProject(database, 'project', fields.project);
  const row = newWalletRow(admin, accountId, fields);
  const name = resourceName('wallets', row.id);
  await database.transaction(async (transaction) => {
    await insertWallet(transaction, row);
    await recordAct(transaction, admin, 'operator', { accountId, action: 'wallet.create', resource: name });
  });
  return walletFromRow(row);
}
