import { invalidFields } from '../model/api-error.ts';
import { idOf, type ResourceName } from '../model/resource-name.ts';
import { type AccountRow, findAccount } from '../storage/accounts.ts';
import type { Queryable } from '../storage/database.ts';

/** Returns the account with this name. @throws INVALID_ARGUMENT for the field `account` if it does not exist */
export async function requireAccount(
  database: Queryable,
  name: ResourceName<'accounts'>,
): Promise<AccountRow> {
  const account = await findAccount(database, idOf(name));
  if (account === undefined) {
    throw invalidFields([{ field: 'account', description: 'Must be an existing account.' }]);
  }
  return account;
}
