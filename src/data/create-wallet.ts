import {
  address,
  description,
  network,
  optional,
  parseFields,
  resourceNameValidator,
  title,
} from '../model/fields.ts';
import { idOf, resourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { insertWallet } from '../storage/wallets.ts';
import { requireAccountOfProject } from './account-of.ts';
import { recordAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';

const VALIDATORS = {
  project: resourceNameValidator('projects'),
  title,
  description: optional(description),
  network,
  address,
};

export async function createWallet(admin: AdminContext, input: UntrustedInput): Promise<Wallet> {
  const { project, description = '', ...fields } = parseFields(input, VALIDATORS);
  const { database, clock, newId } = admin;

  const accountId = await requireAccountOfProject(database, 'project', project);
  const now = clock();
  const row = {
    account_id: accountId,
    id: newId(),
    project_id: idOf(project),
    ...fields,
    description,
    create_time_ms: now,
    update_time_ms: now,
    revision: newId(),
  };
  const name = resourceName('wallets', row.id);
  await database.transaction(async (transaction) => {
    await insertWallet(transaction, row);
    await recordAct(transaction, admin, 'operator', { accountId, action: 'wallet.create', resource: name });
  });
  return walletFromRow(row);
}
