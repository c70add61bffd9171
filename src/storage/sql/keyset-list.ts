import { type ListPage, type PageMetadata, type PageRequest, pageOf } from '../../model/lists/list-page.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Queryable, Row, Value } from '../interface/database.ts';
import { remembered } from '../work/remembered.ts';
import { type ListKind, type ListOptions, type ListTable, listStatement } from './keyset-sql.ts';
import { batches, padIds } from './row-statements.ts';

/** A row of a list. */
export type ListRow = Row & { readonly id: Ulid };

/** The rows of a list that are read. */
export type RowFilter<R extends ListRow> = {
  /** The values of the comparisons of the list. */
  readonly values: readonly Value[];
  /** The parts that are read, at most 100, each as a separate list. The part of an empty string is empty. */
  readonly parts?: readonly (Ulid | '')[] | undefined;
  /** The bounds of the ids, which are not in the range themselves. */
  readonly range?: readonly [after: string, before: string] | undefined;
  /** Returns whether a row is wanted. Only without parts. The metadata of a page include the other rows. */
  readonly isWanted?: ((row: R) => boolean) | undefined;
};

/** Where reading starts, and its direction. */
type Start = Pick<PageRequest, 'direction' | 'position'>;

type MetadataRow = {
  readonly part: number;
  readonly total_count?: number | null;
  readonly previous_id?: Ulid | null;
};

const BATCH_SIZE = 500;

// A part can take 1,000 matches: up to 1 ms of SQLite, which blocks the event loop for a statement.
const MAX_COUNTED_PARTS = 10;

// Less and greater than every ULID.
const ALL = ['', 'Z'] as const;

/**
 * A list: rows of a table in the order of their ids. It is read by keyset pagination, so the last page costs the same
 * as the first. One statement reads the same page of several parts.
 */
export class KeysetList<R extends ListRow> {
  readonly #table: ListTable;
  readonly #options: ListOptions;
  readonly #statements = new Map<string, string>();

  constructor(table: ListTable, options: ListOptions) {
    this.#table = table;
    this.#options = options;
  }

  /** Returns one page of the list, or of each selected part, in the order of the parts. */
  async readPages(
    database: Queryable,
    selection: RowFilter<R>,
    request: PageRequest,
  ): Promise<readonly ListPage<R>[]> {
    const { parts, isWanted } = selection;
    if (isWanted !== undefined) return [await this.#search(database, selection, request)];
    const rows = await this.#readRows(database, selection, request, request.size + 1);
    if (parts === undefined) return [pageOf(rows, request)];
    const byPart = Map.groupBy(rows, (row) => row[this.#options.part ?? '']);
    const sign = this.#isAscending(request) ? 1 : -1;
    return parts.map((part) => {
      // A union has no order.
      const ordered = (byPart.get(part) ?? []).toSorted((a, b) => (a.id < b.id ? -sign : sign));
      return pageOf(ordered, request);
    });
  }

  /** Reads all wanted rows in batches, so no statement searches the whole list for a rare one. */
  async *readAll(
    database: Queryable,
    selection: RowFilter<R>,
    { direction, position }: Start = { direction: 'forward', position: undefined },
  ): AsyncGenerator<R> {
    for (let last = position; ; ) {
      const start = { direction, position: last };
      const rows: readonly R[] = await this.#readRows(database, selection, start, BATCH_SIZE);
      yield* selection.isWanted === undefined ? rows : rows.filter(selection.isWanted);
      if (rows.length < BATCH_SIZE) return;
      last = rows.at(-1)?.id;
    }
  }

  /**
   * Returns functions that read the metadata of the pages of a selection. Each executes one statement at most, and both the
   * same if the total count is not counted.
   */
  metadata(database: Queryable, selection: RowFilter<R>, request: PageRequest) {
    const read = (kind: ListKind) => remembered(() => this.#readMetadata(database, selection, request, kind));
    const isCounted = this.#options.count === undefined || selection.parts !== undefined;
    const both = isCounted ? undefined : read('count and previous');
    return { readCounts: both ?? read('count'), readPrevious: both ?? read('previous') };
  }

  async #search(database: Queryable, selection: RowFilter<R>, request: PageRequest): Promise<ListPage<R>> {
    const rows: R[] = [];
    for await (const row of this.readAll(database, selection, request)) {
      rows.push(row);
      if (rows.length > request.size) break;
    }
    return pageOf(rows, request);
  }

  async #readRows(
    database: Queryable,
    selection: RowFilter<R>,
    start: Start,
    limit: number,
  ): Promise<readonly R[]> {
    const { values, parts, range } = selection;
    if (this.#options.matchedBy !== undefined && isLarge(parts)) {
      return inChunks(parts, (chunk) =>
        this.#readRows(database, { ...selection, parts: chunk }, start, limit),
      );
    }
    const ids = parts === undefined ? [] : padIds(parts);
    const params = [...values, ...ids, this.#startOf(selection, start), limit];
    const rows = await database.read<R>(this.#statement('page', start, ids.length), params);
    return range === undefined ? rows : rows.filter(({ id }) => id > range[0] && id < range[1]);
  }

  async #readMetadata(
    database: Queryable,
    selection: RowFilter<R>,
    request: PageRequest,
    kind: ListKind,
  ): Promise<readonly PageMetadata[]> {
    const { values, parts, range } = selection;
    const [after, before] = range ?? ALL;
    if (isLarge(parts)) {
      return inChunks(parts, (chunk) =>
        this.#readMetadata(database, { ...selection, parts: chunk }, request, kind),
      );
    }
    const ids = parts === undefined ? [] : padIds(parts);
    const { prefix = '' } = this.#options;
    const bounds = (range ?? []).map((id) => prefix + id);
    const params = [...values, ...ids, ...(kind === 'count' ? bounds : [this.#startOf(selection, request)])];
    // Without a position, nothing is before the page.
    const isKnown = kind === 'previous' && request.position === undefined;
    const statement = this.#statement(kind, request, ids.length, range !== undefined);
    const rows = isKnown ? [] : await database.read<MetadataRow>(statement, params);
    const byPart = new Map(rows.map((row) => [row.part, row]));
    return (parts ?? ['']).map((_, index) => {
      const { total_count: count, previous_id: previous } = byPart.get(index) ?? {};
      const hasPrevious = previous != null && previous > after && previous < before;
      return { totalCount: count ?? 0, hasPrevious };
    });
  }

  #isAscending({ direction }: Start): boolean {
    return (direction === 'forward') !== (this.#options.newestFirst ?? false);
  }

  /** Returns the key that reading starts after, in its direction. */
  #startOf({ range: [after, before] = ALL }: RowFilter<R>, start: Start): string {
    const { prefix = '' } = this.#options;
    const isAscending = this.#isAscending(start);
    const { position = isAscending ? after : before } = start;
    const isOutside = isAscending ? position < after : position > before;
    return prefix + (isOutside ? (isAscending ? after : before) : position);
  }

  #statement(kind: ListKind, start: Start, partCount: number, isRange = false): string {
    const isAscending = this.#isAscending(start);
    const name = `${kind} ${isAscending} ${partCount} ${isRange}`;
    let sql = this.#statements.get(name);
    if (sql === undefined) {
      sql = listStatement(this.#table, this.#options, kind, { isAscending, partCount, isRange });
      this.#statements.set(name, sql);
    }
    return sql;
  }
}

/**
 * Returns the list of the rows of an account whose titles start with a text: between two keys.
 *
 * @param others the comparisons of the columns of the index between the account and the title
 */
export function listByTitle<R extends ListRow>(
  table: ListTable,
  part: string,
  others: readonly string[] = [],
): KeysetList<R> {
  const where = ['account_id =', ...others, 'title_key >=', 'title_key <'];
  return new KeysetList<R>(table, { where, part, matchedBy: 'title_key' });
}

/** Makes the list of the row of an account with a reference: one row, or none. */
export function listByReference<R extends ListRow>(table: ListTable, part: string): KeysetList<R> {
  return new KeysetList<R>(table, { where: ['account_id =', 'reference ='], part });
}

function isLarge<P>(parts: readonly P[] | undefined): parts is readonly P[] {
  return parts !== undefined && parts.length > MAX_COUNTED_PARTS;
}

/** Reads parts in several statements, so others can be executed in between. */
async function inChunks<P, T>(
  parts: readonly P[],
  read: (chunk: readonly P[]) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return (await Promise.all(batches(parts, MAX_COUNTED_PARTS).map(read))).flat();
}
