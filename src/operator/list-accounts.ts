import type { UntrustedInput } from '../data/call/rules.ts';
import { accountFromRow } from '../data/conversions/account.ts';
import { type ListDependencies, readList } from '../data/lists/read-list.ts';
import type { Account } from '../model/account.ts';
import type { ConnectionPage } from '../model/lists/list-page.ts';
import { ACCOUNT_LIST } from '../storage/tables/accounts.ts';

/** Returns one page of all accounts, in the order of their names. */
export function listAccounts(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<Account>> {
  return readList(dependencies, { list: ACCOUNT_LIST, values: [], toItem: accountFromRow }, input);
}
