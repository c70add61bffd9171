import { onlyProjectOf, type Principal } from '../../model/principal.ts';
import {
  type Collection,
  collectionOf,
  idOf,
  type ResourceName,
  type Ulid,
} from '../../model/resource-name.ts';
import { findApps } from '../../storage/apps.ts';
import { findProjects } from '../../storage/projects.ts';
import { findWallets } from '../../storage/wallets.ts';
import type { Resource } from '../data-layer.ts';
import type { Dependencies } from '../operation/dependencies.ts';
import { appFromRow, projectFromRow, walletFromRow } from '../rows/from-row.ts';

/** See `Reads.getResources`. Executes one statement per collection in `names`. */
export async function getResources(
  { database, publicUrl, clock }: Dependencies,
  principal: Principal,
  names: readonly ResourceName[],
): Promise<readonly (Resource | null)[]> {
  const { accountId } = principal;
  const idsOf = (collection: Collection): readonly Ulid[] =>
    names.filter((name) => collectionOf(name) === collection).map(idOf);

  const [projects, apps, wallets] = await Promise.all([
    findProjects(database, accountId, idsOf('projects')),
    findApps(database, accountId, idsOf('apps')),
    findWallets(database, accountId, idsOf('wallets')),
  ]);

  const only = onlyProjectOf(principal);
  const isVisible = (projectId: Ulid) => projectId === (only ?? projectId);
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
