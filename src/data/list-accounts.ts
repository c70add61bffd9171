import type { Account } from '../model/account.ts';
import { listAccounts as listAccountRows } from '../storage/accounts.ts';
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
  return readListPage(
    database,
    input,
    (after, limit) => listAccountRows(database, after, limit),
    accountFromRow,
  );
}
