import { type ConnectionArguments, parsePageRequest } from '../model/page.ts';
import type { Principal } from '../model/principal.ts';
import { idOf, type ResourceName, type Ulid } from '../model/resource-name.ts';
import type { Row } from '../storage/database.ts';
import type { ListTable } from '../storage/list.ts';
import { countLists, findListPages, findListsWithPrevious } from '../storage/project-lists.ts';
import { remembered } from '../storage/remembered.ts';
import type { ConnectionPage } from './data-layer.ts';
import type { Dependencies } from './dependencies.ts';

/**
 * Reads the same page of the lists of several projects, with one statement. The total counts need a second one, and the
 * flags of previous items a third one, which are executed for all projects when the first of them is read.
 *
 * @param projects at most 100 names; a project that is not visible to the principal has an empty list
 * @returns the pages, in the order of the projects
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function readProjectLists<R extends Row & { readonly id: Ulid; readonly project_id: Ulid }, T>(
  { database, pageTokens }: Pick<Dependencies, 'database' | 'pageTokens'>,
  principal: Principal,
  projects: readonly ResourceName<'projects'>[],
  input: ConnectionArguments,
  table: ListTable,
  toItem: (row: R) => T,
): Promise<readonly ConnectionPage<T>[]> {
  const request = parsePageRequest(input, pageTokens);
  const { accountId } = principal;
  const isVisible = (id: Ulid) => principal.level === 'account' || principal.projectId === id;
  const ids = projects.map(idOf);
  const visible = ids.filter(isVisible);

  const pages = await findListPages<R>(database, table, accountId, visible, request);
  const pageOf = new Map(pages.map((page, index) => [visible[index], page]));
  const readCounts = remembered(() => countLists(database, table, accountId, visible));
  const readPrevious = remembered(() => findListsWithPrevious(database, table, accountId, visible, request));

  return ids.map((id) => {
    const page = pageOf.get(id) ?? { items: [], direction: request.direction, hasMore: false };
    return {
      ...page,
      items: page.items.map(toItem),
      cursorAt: (index) => pageTokens.encode((page.items[index] as R).id),
      readTotalCount: async () => (await readCounts()).get(id) ?? 0,
      readHasPrevious: async () => (await readPrevious()).has(id),
    };
  });
}
