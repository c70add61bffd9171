import type { App } from '../../model/app.ts';
import { onlyProjectOf } from '../../model/caller.ts';
import type { ConnectionArguments, ConnectionPage, FilteredArguments } from '../../model/lists/list-page.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import { APP_LIST, APP_LIST_BY_TITLE, type AppRow } from '../../storage/tables/apps.ts';
import { accountOfInput } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { begin, type Call } from '../call/call.ts';
import type { Rules, UntrustedInput } from '../call/rules.ts';
import { appFromRow } from '../conversions/app.ts';
import { type ListDependencies, readList, readLists } from '../lists/read-list.ts';
import { byTitle } from '../lists/title-filter.ts';

const itemAt = (now: number) => (row: AppRow) => appFromRow(row, now);

listAppsOfProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the same page of the apps of several projects, in the order of their names.
 *
 * @param projects at most 100 names; a project that is not visible to the caller has no apps
 * @returns the pages, in the order of the projects
 */
export async function listAppsOfProjects(
  call: Call<ListDependencies>,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<App>[]> {
  const dependencies = begin(call, listAppsOfProjects.rules);
  const { caller } = call;
  const parts = visibleIds(caller, projects);
  const values = [caller.principal.accountId];
  return readLists(
    dependencies,
    { list: APP_LIST, values, parts, toItem: itemAt(dependencies.clock()) },
    input,
  );
}

searchApps.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the apps with the beginning of a title that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and `title`
 */
export async function searchApps(
  call: Call<ListDependencies>,
  { title, ...input }: FilteredArguments,
): Promise<ConnectionPage<App>> {
  const dependencies = begin(call, searchApps.rules);
  const { caller } = call;
  const projectId = onlyProjectOf(caller);
  const source = {
    ...byTitle(APP_LIST_BY_TITLE, caller.principal.accountId, title),
    parts: projectId && [projectId],
    toItem: itemAt(dependencies.clock()),
  };
  return readList(dependencies, source, input);
}

/** Returns one page of the apps of any account, in the order of their names. */
export async function listAppsOfAccount(
  dependencies: ListDependencies,
  input: UntrustedInput,
): Promise<ConnectionPage<App>> {
  const accountId = await accountOfInput(dependencies.database, 'operator', input);
  const source = { list: APP_LIST, values: [accountId], toItem: itemAt(dependencies.clock()) };
  return readList(dependencies, source, input);
}
