import { type Caller, onlyProjectOf } from '../../model/caller.ts';
import { addressInAnyCase, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { ConnectionArguments, ConnectionPage } from '../../model/lists/list-page.ts';
import { idOf, type ResourceName } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { WALLETS, WALLETS_AT_ADDRESS, WALLETS_BY_TITLE } from '../../storage/wallets.ts';
import { requireAccountOfProject } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { type FilteredArguments, type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { titleFilter } from '../lists/title-filter.ts';
import { operation, type UntrustedInput } from '../operation/operation.ts';
import { walletFromRow } from '../rows/wallet.ts';

const LIST = { list: WALLETS, toItem: walletFromRow };

/**
 * Returns the same page of the wallets of several projects. See `listProjectApps`.
 *
 * @param input the arguments of a connection, and optionally `title`
 */
export const listProjectWallets = operation(
  { caller: 'any', changes: false },
  (
    dependencies: ListDependencies,
    caller: Caller,
    projects: readonly ResourceName<'projects'>[],
    { title, ...input }: FilteredArguments,
  ): Promise<readonly ConnectionPage<Wallet>[]> => {
    const byTitle = titleFilter(title);
    const source = {
      ...LIST,
      list: byTitle === undefined ? WALLETS : WALLETS_BY_TITLE,
      values: [caller.principal.accountId, ...(byTitle?.keys ?? [])],
      parts: visibleIds(caller, projects),
      filter: byTitle?.filter,
    };
    return readLists(dependencies, source, input);
  },
);

/**
 * Returns one page of the wallets with an address that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and `address`, in any case
 */
export const findWallets = operation(
  { caller: 'any', changes: false },
  async (
    dependencies: ListDependencies,
    caller: Caller,
    { address: searched, ...input }: ConnectionArguments & { readonly address?: unknown },
  ): Promise<ConnectionPage<Wallet>> => {
    const { address } = parseFields({ address: searched }, { address: addressInAnyCase });
    const projectId = onlyProjectOf(caller);
    const source = {
      ...LIST,
      list: WALLETS_AT_ADDRESS,
      values: [caller.principal.accountId, address],
      parts: projectId && [projectId],
      filter: `address ${address}`,
    };
    return readList(dependencies, source, input);
  },
);

/** Returns one page of the wallets of a project of any account, in the order of their names. */
export async function listAnyProjectWallets(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<Wallet>> {
  const { project } = parseFields(input, { project: resourceNameValidator('projects') });
  const accountId = await requireAccountOfProject(dependencies.database, 'project', project);
  return readList(dependencies, { ...LIST, values: [accountId], parts: [idOf(project)] }, input);
}
