import type { App } from '../../model/app.ts';
import { onlyProjectOf } from '../../model/caller.ts';
import type { ConnectionPage, FilteredArguments } from '../../model/lists/list-page.ts';
import type { ResourceName } from '../../model/resource-name.ts';
import { APP_LIST, APP_LIST_BY_TITLE, type AppRow } from '../../storage/tables/apps.ts';
import { accountOfInput } from '../access/account-of.ts';
import { visibleIds } from '../access/visibility.ts';
import { begin, type Call, type OperatorContext, type Rules } from '../call/call.ts';
import { appFromRow } from '../conversions/app.ts';
import { ofAccount } from '../lists/list-filters.ts';
import { readList, readLists } from '../lists/read-list.ts';

const LISTS = { all: APP_LIST, byTitle: APP_LIST_BY_TITLE };

const itemAt = (now: number) => (row: AppRow) => appFromRow(row, now);

listAppsOfProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns the same page of the apps of several projects, in the order of their names.
 *
 * @param projects at most 100 names; a project that is not visible to the caller has no apps
 * @param input the arguments of a connection, and optionally the start of a `title`
 * @returns the pages, in the order of the projects
 */
export async function listAppsOfProjects(
  call: Call,
  projects: readonly ResourceName<'projects'>[],
  { title, ...input }: FilteredArguments,
): Promise<readonly ConnectionPage<App>[]> {
  const { database, clock } = begin(call, listAppsOfProjects.rules);
  const { caller } = call;
  const source = {
    ...ofAccount(LISTS, caller.principal.accountId, { title }),
    parts: visibleIds(caller, projects),
    toItem: itemAt(clock()),
  };
  return readLists(database, source, input);
}

listApps.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the apps that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and optionally the start of a `title`; for the operator also `account`
 */
export async function listApps(
  call: Call | OperatorContext,
  { title, ...input }: FilteredArguments,
): Promise<ConnectionPage<App>> {
  const { database, clock } = begin(call, listApps.rules);
  const { caller } = call;
  const accountId = await accountOfInput(database, caller, input);
  const projectId = onlyProjectOf(caller);
  const source = {
    ...ofAccount(LISTS, accountId, { title }),
    parts: projectId && [projectId],
    toItem: itemAt(clock()),
  };
  return readList(database, source, input);
}
