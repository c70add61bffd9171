import { addressInAnyCase, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { ConnectionArguments, ConnectionPage } from '../../model/lists/list-page.ts';
import type { Principal } from '../../model/principal.ts';
import { idOf, type ResourceName } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { WALLETS, WALLETS_AT_ADDRESS, WALLETS_BY_TITLE } from '../../storage/wallets.ts';
import { requireAccountOfProject } from '../access/account-of.ts';
import { projectOf, visibleIds } from '../access/actor.ts';
import type { FilteredArguments, UntrustedInput } from '../data-layer.ts';
import { type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { titleFilter } from '../lists/title-filter.ts';
import { walletFromRow } from '../rows/from-row.ts';

const LIST = { list: WALLETS, toItem: walletFromRow };

export function listProjectWallets(
  dependencies: ListDependencies,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  { title, ...input }: FilteredArguments,
): Promise<readonly ConnectionPage<Wallet>[]> {
  const byTitle = titleFilter(title);
  const source = {
    ...LIST,
    list: byTitle === undefined ? WALLETS : WALLETS_BY_TITLE,
    values: [principal.accountId, ...(byTitle?.keys ?? [])],
    parts: visibleIds(principal, projects),
    filter: byTitle?.filter,
  };
  return readLists(dependencies, source, input);
}

/** See `Reads.findWallets`. */
export async function findWallets(
  dependencies: ListDependencies,
  principal: Principal,
  { address: searched, ...input }: ConnectionArguments & { readonly address?: unknown },
): Promise<ConnectionPage<Wallet>> {
  const { address } = parseFields({ address: searched }, { address: addressInAnyCase });
  const projectId = projectOf({ principal });
  const source = {
    ...LIST,
    list: WALLETS_AT_ADDRESS,
    values: [principal.accountId, address],
    parts: projectId && [projectId],
    filter: `address ${address}`,
  };
  return readList(dependencies, source, input);
}

/** Returns one page of the wallets of a project of any account, in the order of their names. */
export async function listAnyProjectWallets(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<Wallet>> {
  const { project } = parseFields(input, { project: resourceNameValidator('projects') });
  const accountId = await requireAccountOfProject(dependencies.database, 'project', project);
  return readList(dependencies, { ...LIST, values: [accountId], parts: [idOf(project)] }, input);
}
