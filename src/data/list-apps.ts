import type { App } from '../model/app.ts';
import { parseFields, resourceNameValidator } from '../model/fields.ts';
import { listApps as listAppRows } from '../storage/apps.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

/**
 * Returns one page of the apps of an account, in the order of their names.
 *
 * @param input `account`, `page-size` and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function listApps({ database }: AdminContext, input: UntrustedInput): Promise<ListPage<App>> {
  const { account } = parseFields(input, VALIDATORS);
  const { id: accountId } = await requireAccount(database, account);
  return readListPage(
    database,
    input,
    (after, limit) => listAppRows(database, accountId, after, limit),
    (row) => appFromRow(row),
  );
}
