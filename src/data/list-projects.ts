import { type Caller, onlyProjectOf } from '../model/caller.ts';
import type { ConnectionPage, FilteredArguments } from '../model/lists/list-page.ts';
import type { Project } from '../model/project.ts';
import { PROJECT_LIST, PROJECT_LIST_BY_TITLE, type ProjectItem } from '../storage/tables/projects.ts';
import { accountOfInput } from './access/account-of.ts';
import { begin, type Call } from './call/call.ts';
import type { Rules } from './call/rules.ts';
import { projectFromRow } from './conversions/project.ts';
import { type ListDependencies, readList } from './lists/read-list.ts';
import { byTitle } from './lists/title-filter.ts';

listProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the projects that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and optionally `title`; for the operator also `account`
 */
export async function listProjects(
  call: Call<ListDependencies, Caller | 'operator'>,
  { title, ...input }: FilteredArguments,
): Promise<ConnectionPage<Project>> {
  const dependencies = begin(call, listProjects.rules);
  const { caller } = call;
  const accountId = await accountOfInput(dependencies.database, caller, input);
  const projectId = onlyProjectOf(caller);
  const url = dependencies.publicUrl();
  const source = {
    ...(title == null
      ? { list: PROJECT_LIST, values: [accountId] }
      : byTitle(PROJECT_LIST_BY_TITLE, accountId, title)),
    parts: projectId && [projectId],
    toItem: (row: ProjectItem) => projectFromRow(row, url),
  };
  return readList(dependencies, source, input);
}
