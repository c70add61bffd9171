import { parseFields, resourceNameValidator } from '../model/fields.ts';
import type { ConnectionArguments, ConnectionPage } from '../model/list-page.ts';
import type { Principal } from '../model/principal.ts';
import { idOf, type ResourceName } from '../model/resource-name.ts';
import type { Wallet } from '../model/wallet.ts';
import { WALLETS } from '../storage/wallets.ts';
import { requireAccountOfProject } from './account-of.ts';
import { visibleIds } from './actor.ts';
import type { UntrustedInput } from './data-layer.ts';
import { walletFromRow } from './from-row.ts';
import { type ListDependencies, readList, readLists } from './read-list.ts';

const LIST = { list: WALLETS, toItem: walletFromRow };

export function listProjectWallets(
  dependencies: ListDependencies,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<Wallet>[]> {
  const parts = visibleIds(principal, projects);
  return readLists(dependencies, { ...LIST, values: [principal.accountId], parts }, input);
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
