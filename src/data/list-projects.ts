import {
  type ConnectionArguments,
  type Page,
  type PageMetadata,
  type PageRequest,
  parsePageRequest,
} from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import {
  findProjectPage,
  findProjectPageMetadata,
  findProjects,
  type ProjectItem,
} from '../storage/projects.ts';
import type { ProjectPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';
import { projectFromRow } from './from-row.ts';

type ProjectRows = Page<ProjectItem> & {
  /** Reads the metadata of the page. */
  readMetadata(): Promise<PageMetadata>;
};

/** See `DataLayer.listProjects`. */
export async function listProjects(
  dependencies: Dependencies,
  principal: Principal,
  input: ConnectionArguments,
): Promise<ProjectPage> {
  const { pageTokens, publicUrl } = dependencies;
  const request = parsePageRequest(input, pageTokens);
  const { readMetadata, ...page } = await readPage(dependencies, principal, request);

  const url = publicUrl();
  return {
    ...page,
    items: page.items.map((row) => projectFromRow(row, url)),
    cursorAt: (index) => pageTokens.encode((page.items[index] as ProjectItem).id),
    readTotalCount: async () => (await readMetadata()).totalCount,
    readHasPrevious: async () => (await readMetadata()).hasPrevious,
  };
}

async function readPage(
  { database }: Dependencies,
  principal: Principal,
  request: PageRequest,
): Promise<ProjectRows> {
  const { accountId } = principal;
  if (principal.level === 'project') {
    return singleProjectPage(await findProjects(database, accountId, [principal.projectId]), request);
  }
  let metadata: Promise<PageMetadata> | undefined;
  return {
    ...(await findProjectPage(database, accountId, request)),
    readMetadata() {
      metadata ??= findProjectPageMetadata(database, accountId, request);
      return metadata;
    },
  };
}

/** Returns a page of a list that has at most one project. */
function singleProjectPage(all: readonly ProjectItem[], { direction, position }: PageRequest): ProjectRows {
  const isAfterPosition = ({ id }: ProjectItem) =>
    position === undefined || (direction === 'forward' ? id > position : id < position);
  const items = all.filter(isAfterPosition);
  const metadata = { hasPrevious: items.length < all.length, totalCount: all.length };
  return { items, direction, hasMore: false, readMetadata: async () => metadata };
}
