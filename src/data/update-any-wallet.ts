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
import { findAccountOfWallet, findUpdateTargets, updateWallet } from '../storage/wallets.ts';
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
export async function updateAnyWallet(
  { database, clock }: AdminContext,
  input: UntrustedInput,
): Promise<Wallet> {
  const { name, project, ...changes } = parseFields(input, VALIDATORS);
  const projectId = project && idOf(project);

  const row = await database.transaction(async (transaction) => {
    const accountId = await findAccountOfWallet(transaction, name);
    if (accountId === undefined) return undefined;
    const exists = await findUpdateTargets(transaction, accountId, idOf(name), undefined, projectId);
    if (!exists.project) {
      throw invalidFields([{ field: 'project', description: 'Must be a project of the same account.' }]);
    }
    const newValues = { ...changes, projectId, passwordHash: undefined };
    return updateWallet(transaction, accountId, idOf(name), undefined, newValues, clock());
  });
  return walletFromRow(requireRow(row, 'name', 'wallet'));
}
