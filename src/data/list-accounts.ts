import type { Account } from '../model/account.ts';
import { ACCOUNT_LIST, type AccountRow } from '../storage/accounts.ts';
import { listOf } from '../storage/list.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { accountFromRow } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';

/**
 * Returns one page of all accounts, in the order of their names.
 *
 * @param input `page-size` and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export function listAccounts({ database }: AdminContext, input: UntrustedInput): Promise<ListPage<Account>> {
  return readListPage(database, input, listOf<AccountRow>(database, ACCOUNT_LIST), accountFromRow);
}
