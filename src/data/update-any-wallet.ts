import { invalidFields } from '../model/api-error.ts';
import {
  description,
  network,
  optional,
  parseFields,
  resourceNameValidator,
  title,
} from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { findAccountOfWallet, findUpdateTargets, findWallet, updateWallet } from '../storage/wallets.ts';
import { fieldsIn, recordOperatorAct } from './audit.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { walletFromRow } from './from-row.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = {
  name: resourceNameValidator('wallets'),
  title: optional(title),
  description: optional(description),
  project: optional(resourceNameValidator('projects')),
  network: optional(network),
};

/**
 * Updates a wallet of any account. Omitted fields are not changed.
 *
 * @param input `name` and, optionally, `title`, `description`, `project` and `network`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function updateAnyWallet(admin: AdminContext, input: UntrustedInput): Promise<Wallet> {
  const { name, ...changes } = parseFields(input, VALIDATORS);
  const { project, title, description, network } = changes;
  const projectId = project && idOf(project);
  const fields = fieldsIn(changes);
  const { database, clock } = admin;

  const row = await database.transaction(async (transaction) => {
    const accountId = await findAccountOfWallet(transaction, name);
    if (accountId === undefined) return undefined;
    if (fields.length === 0) return findWallet(transaction, accountId, idOf(name), undefined);
    const exists = await findUpdateTargets(transaction, accountId, idOf(name), undefined, projectId);
    if (!exists.project) {
      throw invalidFields([{ field: 'project', description: 'Must be a project of the same account.' }]);
    }
    const newValues = { title, description, network, projectId, passwordHash: undefined };
    const updated = await updateWallet(transaction, accountId, idOf(name), undefined, newValues, clock());
    const act = { action: 'wallet.update', resource: name, fields } as const;
    if (updated !== undefined) await recordOperatorAct(transaction, admin, accountId, act);
    return updated;
  });
  return walletFromRow(requireRow(row, 'name', 'wallet'));
}
