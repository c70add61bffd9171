import { type Caller, onlyProjectOf } from '../model/caller.ts';
import type { ConnectionPage } from '../model/lists/list-page.ts';
import type { Project } from '../model/project.ts';
import { PROJECTS, PROJECTS_BY_TITLE, type ProjectItem } from '../storage/projects.ts';
import { accountOfInput } from './access/account-of.ts';
import { type FilteredArguments, type ListDependencies, readList } from './lists/read-list.ts';
import { byTitle } from './lists/title-filter.ts';
import { operation } from './operation/operation.ts';
import { projectFromRow } from './rows/project.ts';

/**
 * Returns one page of the projects that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and optionally `title`; for the operator also `account`
 */
export const listProjects = operation(
  { caller: 'any', changes: false },
  async (
    dependencies: ListDependencies,
    caller: Caller | 'operator',
    { title, ...input }: FilteredArguments,
  ): Promise<ConnectionPage<Project>> => {
    const accountId = await accountOfInput(dependencies.database, caller, input);
    const projectId = onlyProjectOf(caller);
    const url = dependencies.publicUrl();
    const source = {
      ...(title == null
        ? { list: PROJECTS, values: [accountId] }
        : byTitle(PROJECTS_BY_TITLE, accountId, title)),
      parts: projectId && [projectId],
      toItem: (row: ProjectItem) => projectFromRow(row, url),
    };
    return readList(dependencies, source, input);
  },
);
