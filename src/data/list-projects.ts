import { type ConnectionArguments, type Page, type PageRequest, parsePageRequest } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import {
  findProjectPage,
  findProjectPageSurroundings,
  findProjects,
  type ProjectItem,
} from '../storage/projects.ts';
import type { ProjectPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';

type ProjectRows = Page<ProjectItem> & Pick<ProjectPage, 'readSurroundings'>;

/** See `DataLayer.listProjects`. */
export async function listProjects(
  dependencies: Dependencies,
  principal: Principal,
  input: ConnectionArguments,
): Promise<ProjectPage> {
  const { pageTokens, publicUrl } = dependencies;
  const request = parsePageRequest(input, pageTokens);
  const page = await readPage(dependencies, principal, request);

  const url = publicUrl();
  return {
    ...page,
    items: page.items.map((row) => projectFromRow(row, url)),
    cursorAt: (index) => pageTokens.encode((page.items[index] as ProjectItem).id),
  };
}

async function readPage(
  { database }: Dependencies,
  principal: Principal,
  request: PageRequest,
): Promise<ProjectRows> {
  const { accountId } = principal;
  if (principal.level === 'project') {
    return pageOfOne(await findProjects(database, accountId, [principal.projectId]), request);
  }
  let surroundings: ReturnType<ProjectPage['readSurroundings']> | undefined;
  return {
    ...(await findProjectPage(database, accountId, request)),
    readSurroundings() {
      surroundings ??= findProjectPageSurroundings(database, accountId, request);
      return surroundings;
    },
  };
}

/** The page of a list of one project, or of none. */
function pageOfOne(all: readonly ProjectItem[], { direction, position }: PageRequest): ProjectRows {
  const isAhead = ({ id }: ProjectItem) =>
    position === undefined || (direction === 'forward' ? id > position : id < position);
  const items = all.filter(isAhead);
  const surroundings = { hasMoreBehind: items.length < all.length, totalCount: all.length };
  return { items, direction, hasMore: false, readSurroundings: async () => surroundings };
}
