import type { App } from '../../model/app.ts';
import { sees } from '../../model/caller.ts';
import type { Project } from '../../model/project.ts';
import {
  type Collection,
  collectionOf,
  idOf,
  type ResourceName,
  type Ulid,
} from '../../model/resource-name.ts';
import type { Wallet } from '../../model/wallet.ts';
import { findApps } from '../../storage/tables/apps.ts';
import { findProjects } from '../../storage/tables/projects.ts';
import { findWallets } from '../../storage/tables/wallets.ts';
import { begin, type Call, type Rules } from '../call/call.ts';
import { appFromRow } from '../conversions/app.ts';
import { projectFromRow } from '../conversions/project.ts';
import { walletFromRow } from '../conversions/wallet.ts';

export type Resource = Project | App | Wallet;

getResources.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the resources with the given names, in the order of the names. A resource that does not exist or is not visible to the
 * caller is null. Executes one statement per collection in `names`.
 *
 * @param names at most 100 names
 */
export async function getResources(
  call: Call,
  names: readonly ResourceName[],
): Promise<readonly (Resource | null)[]> {
  const { database, publicUrl, clock } = begin(call, getResources.rules);
  const { caller } = call;
  const { accountId } = caller.principal;
  const idsOf = (collection: Collection): readonly Ulid[] =>
    names.filter((name) => collectionOf(name) === collection).map(idOf);

  const [projects, apps, wallets] = await Promise.all([
    findProjects(database, accountId, idsOf('projects')),
    findApps(database, accountId, idsOf('apps')),
    findWallets(database, accountId, idsOf('wallets')),
  ]);

  const isVisible = (projectId: Ulid) => sees(caller, projectId);
  const url = publicUrl();
  const now = clock();
  const found: readonly Resource[] = [
    ...projects.filter(({ id }) => isVisible(id)).map((row) => projectFromRow(row, url)),
    ...apps.filter((row) => isVisible(row.project_id)).map((row) => appFromRow(row, now)),
    ...wallets.filter((row) => isVisible(row.project_id)).map(walletFromRow),
  ];
  const byName = new Map<ResourceName, Resource>(found.map((resource) => [resource.name, resource]));
  return names.map((name) => byName.get(name) ?? null);
}
