import { onlyProjectOf } from '../model/caller.ts';
import type { ConnectionPage, FilteredArguments } from '../model/lists/list-page.ts';
import type { Project } from '../model/project.ts';
import {
  PROJECT_LIST,
  PROJECT_LIST_BY_REFERENCE,
  PROJECT_LIST_BY_TITLE,
  type ProjectItem,
} from '../storage/tables/projects.ts';
import { accountOfInput } from './access/account-of.ts';
import { begin, type Call, type OperatorContext, type Rules } from './call/call.ts';
import { projectFromRow } from './conversions/project.ts';
import { ofAccount } from './lists/list-filters.ts';
import { readList } from './lists/read-list.ts';

const LISTS = { all: PROJECT_LIST, byTitle: PROJECT_LIST_BY_TITLE, byReference: PROJECT_LIST_BY_REFERENCE };

listProjects.rules = { caller: 'any', changes: false } as const satisfies Rules;

/**
 * Returns one page of the projects that are visible to the caller, in the order of their names.
 *
 * @param input the arguments of a connection, and optionally `title` or `reference`; for the operator also `account`
 */
export async function listProjects(
  call: Call | OperatorContext,
  { title, reference, ...input }: FilteredArguments,
): Promise<ConnectionPage<Project>> {
  const { database, publicUrl } = begin(call, listProjects.rules);
  const { caller } = call;
  const accountId = await accountOfInput(database, caller, input);
  const projectId = onlyProjectOf(caller);
  const url = publicUrl();
  const source = {
    ...ofAccount(LISTS, accountId, { title, reference }),
    parts: projectId && [projectId],
    toItem: (row: ProjectItem) => projectFromRow(row, url),
  };
  return readList(database, source, input);
}
