import { invalidFields } from '../model/api-error.ts';
import { idOf, type ResourceName } from '../model/resource-name.ts';
import { type AccountRow, findAccount } from '../storage/accounts.ts';
import type { Queryable } from '../storage/database.ts';

/** Returns the account of a name. @throws INVALID_ARGUMENT on the field `account` if there is none */
export async function requireAccount(
  database: Queryable,
  name: ResourceName<'accounts'>,
): Promise<AccountRow> {
  const account = await findAccount(database, idOf(name));
  if (account === undefined) {
    throw invalidFields([{ field: 'account', description: 'Must be an account that exists.' }]);
  }
  return account;
}
