import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { accountFromRow } from '../data/conversions/account.ts';
import type { Account } from '../model/account.ts';
import { parseFields, resourceNameValidator } from '../model/fields/fields.ts';
import { idOf } from '../model/resource-name.ts';
import { updateAccountState } from '../storage/tables/accounts.ts';
import { changeResource } from './change-resource.ts';

/**
 * Suspends or resumes an account. While it is suspended, all tokens of the account and of its apps are refused. They
 * are not deleted, and are valid again after a resumption.
 */
export async function setAccountSuspended(
  operator: OperatorContext,
  input: UntrustedInput,
  suspended: boolean,
): Promise<Account> {
  const { name } = parseFields(input, { name: resourceNameValidator('accounts') });
  const action = suspended ? 'account.suspend' : 'account.resume';
  const state = suspended ? 'SUSPENDED' : 'ACTIVE';
  const row = await changeResource(operator, { action, resource: name }, (transaction) =>
    updateAccountState(transaction, idOf(name), state),
  );
  return accountFromRow(row);
}
