import { type ConnectionArguments, type Page, type PageRequest, parsePageRequest } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import { idOf } from '../model/resource-name.ts';
import { findProjectPage, findProjects, type ProjectRow } from '../storage/projects.ts';
import type { ProjectPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';

/** See `DataLayer.listProjects`. */
export async function listProjects(
  { database, pageTokens, publicUrl }: Dependencies,
  principal: Principal,
  sent: ConnectionArguments,
): Promise<ProjectPage> {
  const request = parsePageRequest(sent, pageTokens);
  const page =
    principal.level === 'account'
      ? await findProjectPage(database, principal.accountId, request)
      : pageOfOne(await findProjects(database, principal.accountId, [principal.projectId]), request);

  const url = publicUrl();
  return {
    ...page,
    items: page.items.map((row) => projectFromRow(row, url)),
    cursorOf: (project) => pageTokens.encode(idOf(project.name)),
  };
}

/** The page of a list of one project, or of none. */
function pageOfOne(all: readonly ProjectRow[], { direction, position }: PageRequest): Page<ProjectRow> {
  const isBefore = ({ id }: ProjectRow) => position !== undefined && id < position;
  const isAfter = ({ id }: ProjectRow) => position !== undefined && id > position;
  const forward = direction === 'forward';
  const items = position === undefined ? all : all.filter(forward ? isAfter : isBefore);
  const left = items.length < all.length;
  return {
    items,
    hasPreviousPage: forward && left,
    hasNextPage: !forward && left,
    totalCount: all.length,
  };
}
