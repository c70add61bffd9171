import type { OperatorContext, UntrustedInput } from '../data/call/call.ts';
import { accountFromRow } from '../data/conversions/account.ts';
import { readList } from '../data/lists/read-list.ts';
import type { Account } from '../model/account.ts';
import type { ConnectionPage } from '../model/lists/list-page.ts';
import { ACCOUNT_LIST } from '../storage/tables/accounts.ts';

/** Returns one page of all accounts, in the order of their names. */
export function listAccounts(
  { database }: OperatorContext,
  input: UntrustedInput,
): Promise<ConnectionPage<Account>> {
  return readList(database, { list: ACCOUNT_LIST, values: [], toItem: accountFromRow }, input);
}
