import {
  type ConnectionArguments,
  type ConnectionPage,
  parsePageRequest,
} from '../../model/lists/list-page.ts';
import { encodePageToken } from '../../model/lists/page-token.ts';
import type { Queryable } from '../../storage/interface/database.ts';
import type { KeysetList, ListRow, RowFilter } from '../../storage/sql/keyset-list.ts';

/** The rows of a list that a caller has access to, and their conversion to items. */
export type ListSource<R extends ListRow, T> = RowFilter<R> & {
  readonly list: KeysetList<R>;
  readonly toItem: (row: R) => T;
  /** The filter of the list, in its page tokens. */
  readonly filter?: string | undefined;
};

/**
 * Returns one page of a list, or of each of its selected parts, which one statement reads. Total counts and flags of
 * previous items can need more statements, which are executed when the first of them is read.
 *
 * @param input `first` and `after`, or `last` and `before`
 */
export async function readLists<R extends ListRow, T>(
  database: Queryable,
  { list, toItem, filter, ...selection }: ListSource<R, T>,
  input: ConnectionArguments,
): Promise<readonly ConnectionPage<T>[]> {
  const request = parsePageRequest(input, filter);
  const pages = await list.readPages(database, selection, request);
  const { readCounts, readPrevious } = list.metadata(database, selection, request);
  // Without more items, the first page has all that would be counted.
  const isFirst = request.position === undefined && !selection.isWanted;
  return pages.map((page, index) => ({
    ...page,
    items: page.items.map(toItem),
    cursorAt: (item) => encodePageToken((page.items[item] as R).id, filter),
    readTotalCount: async () =>
      isFirst && !page.hasMore ? page.items.length : ((await readCounts())[index]?.totalCount ?? 0),
    readHasPrevious: async () => (await readPrevious())[index]?.hasPrevious ?? false,
  }));
}

/** Returns one page of a list without parts, or of its only selected part. See `readLists`. */
export async function readList<R extends ListRow, T>(
  database: Queryable,
  source: ListSource<R, T>,
  input: ConnectionArguments,
): Promise<ConnectionPage<T>> {
  const [page] = await readLists(database, source, input);
  return page as ConnectionPage<T>;
}
