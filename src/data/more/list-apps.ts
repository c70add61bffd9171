import type { App } from '../../model/app.ts';
import type { ConnectionArguments, ConnectionPage } from '../../model/lists/list-page.ts';
import type { Principal } from '../../model/principal.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import { APPS, type AppRow } from '../../storage/apps.ts';
import { accountOfInput } from '../access/account-of.ts';
import { visibleIds } from '../access/actor.ts';
import type { UntrustedInput } from '../data-layer.ts';
import { type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { appFromRow } from '../rows/from-row.ts';

function listAt(now: number) {
  return { list: APPS, toItem: (row: AppRow) => appFromRow(row, now) };
}

export function listProjectApps(
  dependencies: ListDependencies,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<App>[]> {
  const parts = visibleIds(principal, projects);
  return readLists(
    dependencies,
    { ...listAt(dependencies.clock()), values: [principal.accountId], parts },
    input,
  );
}

/** Returns one page of the apps of any account, in the order of their names. */
export async function listAccountApps(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<App>> {
  const accountId = await accountOfInput(dependencies.database, 'operator', input);
  return readList(dependencies, { ...listAt(dependencies.clock()), values: [accountId] }, input);
}
