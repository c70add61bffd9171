import type { App } from '../../model/app.ts';
import { type Caller, onlyProjectOf } from '../../model/caller.ts';
import type { ConnectionArguments, ConnectionPage } from '../../model/lists/list-page.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import { APPS, APPS_BY_TITLE, type AppRow } from '../../storage/apps.ts';
import { accountOfInput } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { type FilteredArguments, type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { byTitle } from '../lists/title-filter.ts';
import { operation, type UntrustedInput } from '../operation/operation.ts';
import { appFromRow } from '../rows/app.ts';

const itemAt = (now: number) => (row: AppRow) => appFromRow(row, now);

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
    const values = [caller.principal.accountId];
    return readLists(
      dependencies,
      { list: APPS, values, parts, toItem: itemAt(dependencies.clock()) },
      input,
    );
  },
);

/**
 * Returns one page of the apps with the beginning of a title that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and `title`
 */
export const findApps = operation(
  { caller: 'any', changes: false },
  async (
    dependencies: ListDependencies,
    caller: Caller,
    { title, ...input }: FilteredArguments,
  ): Promise<ConnectionPage<App>> => {
    const projectId = onlyProjectOf(caller);
    const source = {
      ...byTitle(APPS_BY_TITLE, caller.principal.accountId, title),
      parts: projectId && [projectId],
      toItem: itemAt(dependencies.clock()),
    };
    return readList(dependencies, source, input);
  },
);

/** Returns one page of the apps of any account, in the order of their names. */
export async function listAccountApps(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<App>> {
  const accountId = await accountOfInput(dependencies.database, 'operator', input);
  const source = { list: APPS, values: [accountId], toItem: itemAt(dependencies.clock()) };
  return readList(dependencies, source, input);
}
