import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { Ulid } from '../model/resource-name.ts';
import { APP_LIST, type AppRow } from '../storage/apps.ts';
import { listOf, type ReadAfter } from '../storage/list.ts';
import { PROJECT_LIST, type ProjectItem } from '../storage/projects.ts';
import { listTokens as listTokenItems } from '../storage/tokens.ts';
import type { UntrustedInput } from './data-layer.ts';
import type { AdminContext } from './dependencies.ts';
import { appFromRow, projectFromRow, tokenFromItem } from './from-row.ts';
import { type ListPage, readListPage } from './read-list-page.ts';
import { requireAccount } from './require-account.ts';

const VALIDATORS = { account: resourceNameValidator('accounts') };

/** Lists of the operator. Each takes `account`, `page-size` and `page-token`, and throws INVALID_ARGUMENT. */
type ListOfAccount<Item> = (admin: AdminContext, input: UntrustedInput) => Promise<ListPage<Item>>;

/** Returns one page of the projects of an account, in the order of their names. */
export const listAccountProjects = listOfAccount(
  ({ database }, account_id) => listOf<ProjectItem>(database, PROJECT_LIST, { account_id }),
  (row, { publicUrl }) => projectFromRow(row, publicUrl()),
);

/** Returns one page of the apps of an account, in the order of their names. */
export const listAccountApps = listOfAccount(
  ({ database }, account_id) => listOf<AppRow>(database, APP_LIST, { account_id }),
  (row) => appFromRow(row),
);

/** Returns one page of the valid tokens of an account and of its apps, in the order of their issue. */
export const listAccountTokens = listOfAccount(({ database, clock }, accountId) => {
  const now = clock();
  return (after, limit) => listTokenItems(database, accountId, after, limit, now);
}, tokenFromItem);

function listOfAccount<Row extends { readonly id: Ulid }, Item>(
  readOf: (admin: AdminContext, accountId: Ulid) => ReadAfter<Row>,
  toItem: (row: Row, admin: AdminContext) => Item,
): ListOfAccount<Item> {
  return async (admin, input) => {
    const { account } = parseFields(input, VALIDATORS);
    const { id } = await requireAccount(admin.database, account);
    return readListPage(admin.database, input, readOf(admin, id), (row) => toItem(row, admin));
  };
}
