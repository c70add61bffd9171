import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { type DeletedRows, deleteAccountRows } from '../storage/account-rows.ts';
import { updateAccountState } from '../storage/accounts.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { requireRow } from './require-row.ts';

const VALIDATORS = { name: resourceNameValidator('accounts') };

/**
 * Deletes an account with all its projects, apps, wallets and tokens, in batches. Its tokens are refused from the start.
 * After an interruption, the account can't be resumed, and a second call deletes the rest.
 *
 * @param input `name` of the account
 * @returns the number of deleted rows of each table
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function deleteAccount({ database }: AdminContext, input: UntrustedInput): Promise<DeletedRows> {
  const { name } = parseFields(input, VALIDATORS);
  requireRow(await updateAccountState(database, idOf(name), 'DELETING'), 'name', 'account');
  return deleteAccountRows(database, idOf(name));
}
