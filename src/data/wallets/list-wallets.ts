import { onlyProjectOf } from '../../model/caller.ts';
import { invalidFields } from '../../model/errors.ts';
import { addressInAnyCase, parseFields, resourceNameValidator } from '../../model/fields/fields.ts';
import type { ConnectionPage, FilteredArguments } from '../../model/lists/list-page.ts';
import { idOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { WALLET_LIST, WALLET_LIST_AT_ADDRESS, WALLET_LIST_BY_TITLE } from '../../storage/tables/wallets.ts';
import { requireAccountOfProject } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { begin, type Call } from '../call/call.ts';
import type { Rules, UntrustedInput } from '../call/rules.ts';
import { walletFromRow } from '../conversions/wallet.ts';
import { type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { byTitle } from '../lists/title-filter.ts';

listWalletsOfProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the same page of the wallets of several projects. See `listAppsOfProjects`.
 *
 * @param input the arguments of a connection, and optionally `title`
 */
export async function listWalletsOfProjects(
  call: Call<ListDependencies>,
  projects: readonly ResourceName<'projects'>[],
  { title, ...input }: FilteredArguments,
): Promise<readonly ConnectionPage<Wallet>[]> {
  const dependencies = begin(call, listWalletsOfProjects.rules);
  const { caller } = call;
  const { accountId } = caller.principal;
  const source = {
    ...(title == null
      ? { list: WALLET_LIST, values: [accountId] }
      : byTitle(WALLET_LIST_BY_TITLE, accountId, title)),
    parts: visibleIds(caller, projects),
    toItem: walletFromRow,
  };
  return readLists(dependencies, source, input);
}

searchWallets.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the wallets with an address or with the beginning of a title that are visible to the caller, in the
 * order of their names.
 *
 * @param input the arguments of a connection, and either `address`, in any case, or `title`
 */
export async function searchWallets(
  call: Call<ListDependencies>,
  { address, title, ...input }: FilteredArguments & { readonly address?: unknown },
): Promise<ConnectionPage<Wallet>> {
  const dependencies = begin(call, searchWallets.rules);
  const { caller } = call;
  if ((address == null) === (title == null)) {
    const field = title == null ? 'address' : 'title';
    throw invalidFields([{ field, description: 'Use either address or title.' }]);
  }
  const { accountId } = caller.principal;
  const projectId = onlyProjectOf(caller);
  const source = {
    ...(title == null ? atAddress(accountId, address) : byTitle(WALLET_LIST_BY_TITLE, accountId, title)),
    parts: projectId && [projectId],
    toItem: walletFromRow,
  };
  return readList(dependencies, source, input);
}

function atAddress(accountId: Ulid, searched: unknown) {
  const { address } = parseFields({ address: searched }, { address: addressInAnyCase });
  return { list: WALLET_LIST_AT_ADDRESS, values: [accountId, address], filter: `address ${address}` };
}

/** Returns one page of the wallets of a project of any account, in the order of their names. */
export async function listWallets(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<Wallet>> {
  const { project } = parseFields(input, { project: resourceNameValidator('projects') });
  const accountId = await requireAccountOfProject(dependencies.database, 'project', project);
  const source = { list: WALLET_LIST, values: [accountId], parts: [idOf(project)], toItem: walletFromRow };
  return readList(dependencies, source, input);
}
