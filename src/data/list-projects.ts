import { PROJECTS, PROJECTS_BY_TITLE, type ProjectItem } from '../storage/projects.ts';
import { accountOfInput } from './access/account-of.ts';
import { projectOf, type Reader } from './access/actor.ts';
import type { FilteredArguments, ProjectPage } from './data-layer.ts';
import { type ListDependencies, readList } from './lists/read-list.ts';
import { titleFilter } from './lists/title-filter.ts';
import { projectFromRow } from './rows/from-row.ts';

/** See `Reads.listProjects`. The operator lists the projects of the `account` in the input. */
export async function listProjects(
  dependencies: ListDependencies,
  reader: Reader,
  { title, ...input }: FilteredArguments,
): Promise<ProjectPage> {
  const accountId = await accountOfInput(dependencies.database, reader, input);
  const byTitle = titleFilter(title);
  const projectId = projectOf(reader);
  const url = dependencies.publicUrl();
  const source = {
    list: byTitle === undefined ? PROJECTS : PROJECTS_BY_TITLE,
    values: [accountId, ...(byTitle?.keys ?? [])],
    filter: byTitle?.filter,
    parts: projectId && [projectId],
    toItem: (row: ProjectItem) => projectFromRow(row, url),
  };
  return readList(dependencies, source, input);
}
