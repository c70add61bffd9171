import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { deleteAccountRows } from '../storage/jobs/bulk-rows.ts';
import { updateAccountState } from '../storage/tables/accounts.ts';
import type { TableCounts } from '../storage/tables/tables.ts';
import type { OnProgress } from '../storage/work/progress.ts';
import { changeResource } from './change-resource.ts';

/**
 * Deletes an account with all its projects, apps, wallets, addresses, tokens and audit events, in batches. Its tokens are
 * refused from the start. After an interruption, the account can't be resumed, and a second call deletes the rest.
 *
 * @returns the number of deleted rows of each table
 */
export async function deleteAccount(
  operator: OperatorContext,
  input: UntrustedInput,
  keepsAudit: boolean,
  onProgress?: OnProgress,
): Promise<TableCounts> {
  const { name } = parseFields(input, { name: resourceNameValidator('accounts') });
  const { database } = operator;
  const id = idOf(name);
  await changeResource(operator, { action: 'account.delete', resource: name }, (transaction) =>
    updateAccountState(transaction, id, 'DELETING'),
  );
  return deleteAccountRows(database, id, { kept: keepsAudit ? 'audit_event' : undefined, onProgress });
}
