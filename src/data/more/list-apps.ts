import type { App } from '../../model/app.ts';
import type { Caller } from '../../model/caller.ts';
import type { ConnectionArguments, ConnectionPage } from '../../model/lists/list-page.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import { APPS, type AppRow } from '../../storage/apps.ts';
import { accountOfInput } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { operation, type UntrustedInput } from '../operation/operation.ts';
import { appFromRow } from '../rows/app.ts';

function listAt(now: number) {
  return { list: APPS, toItem: (row: AppRow) => appFromRow(row, now) };
}

/**
 * Returns the same page of the apps of several projects, in the order of their names.
 *
 * @param projects at most 100 names; a project that is not visible to the caller has no apps
 * @returns the pages, in the order of the projects
 */
export const listProjectApps = operation(
  { caller: 'any', changes: false },
  (
    dependencies: ListDependencies,
    caller: Caller,
    projects: readonly ResourceName<'projects'>[],
    input: ConnectionArguments,
  ): Promise<readonly ConnectionPage<App>[]> => {
    const parts = visibleIds(caller, projects);
    return readLists(
      dependencies,
      { ...listAt(dependencies.clock()), values: [caller.principal.accountId], parts },
      input,
    );
  },
);

/** Returns one page of the apps of any account, in the order of their names. */
export async function listAccountApps(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<App>> {
  const accountId = await accountOfInput(dependencies.database, 'operator', input);
  return readList(dependencies, { ...listAt(dependencies.clock()), values: [accountId] }, input);
}
