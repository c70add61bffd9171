import type { ConnectionArguments } from '../model/list-page.ts';
import { PROJECTS, type ProjectItem } from '../storage/projects.ts';
import { accountOfList } from './account-of.ts';
import { projectOf, type Reader } from './actor.ts';
import type { ProjectPage } from './data-layer.ts';
import { projectFromRow } from './from-row.ts';
import { type ListDependencies, readList } from './read-list.ts';

/** See `Reads.listProjects`. The operator lists the projects of the `account` in the input. */
export async function listProjects(
  dependencies: ListDependencies,
  reader: Reader,
  input: ConnectionArguments,
): Promise<ProjectPage> {
  const accountId = await accountOfList(dependencies.database, reader, input);
  const projectId = projectOf(reader);
  const url = dependencies.publicUrl();
  const source = {
    list: PROJECTS,
    values: [accountId],
    parts: projectId && [projectId],
    toItem: (row: ProjectItem) => projectFromRow(row, url),
  };
  return readList(dependencies, source, input);
}
