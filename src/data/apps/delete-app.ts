import type { App } from '../../model/app.ts';
import { parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import { idOf } from '../../model/resource-name.ts';
import { deleteAppRow } from '../../storage/tables/apps.ts';
import { deleteTokensOfApp } from '../../storage/tables/tokens.ts';
import { accountOfApp } from '../access/account-of.ts';
import { notFound } from '../access/visibility.ts';
import { recordAct } from '../audit/audit.ts';
import { begin, type Call, type OperatorContext, type Rules, type UntrustedInput } from '../call/call.ts';
import { appFromRow } from '../conversions/app.ts';

const INPUT = { name: resourceNameValidator('apps') };

deleteApp.rules = { caller: 'account', changes: true, input: INPUT } as const satisfies Rules;

/**
 * Deletes an app; for the operator, an app of any account. Its keys and its project tokens are revoked immediately.
 * Returns its last state.
 *
 * @param input `name`
 * @throws NOT_FOUND if the app does not exist or is not visible to the caller; for the operator INVALID_ARGUMENT
 */
export async function deleteApp(call: Call | OperatorContext, input: UntrustedInput): Promise<App> {
  const { database, clock, newId } = begin(call, deleteApp.rules);
  const { caller } = call;
  const { name } = parseFields(input, INPUT);
  const id = idOf(name);

  return database.transaction(async (transaction) => {
    const accountId = await accountOfApp(transaction, caller, name);
    // First, because it waits for sign-ins that hold the lock of the app and are storing a token.
    const row = await deleteAppRow(transaction, accountId, id);
    if (row === undefined) throw notFound(caller, name);
    await deleteTokensOfApp(transaction, accountId, id, clock());
    await recordAct(transaction, { caller, newId }, { accountId, action: 'app.delete', resource: name });
    return appFromRow(row, clock());
  });
}
