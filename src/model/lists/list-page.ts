import { invalidFields } from '../errors.ts';
import { integer, nullable, parseFields } from '../fields/fields.ts';
import type { Ulid } from '../resource-name.ts';
import { pageToken } from './page-token.ts';

export const MAX_PAGE_SIZE = 100;

/** The number of items of a page if the request has no page size. */
export const DEFAULT_PAGE_SIZE = 10;

/** The direction of paging: `forward` with `first` and `after`, `backward` with `last` and `before`. */
export type Direction = 'forward' | 'backward';

/** One page of a list. The items are in the order of the list, in both directions. */
export type ListPage<T> = {
  readonly items: readonly T[];
  readonly direction: Direction;
  /** Whether the list has more items after the page, in the direction of paging. */
  readonly hasMore: boolean;
};

/** The metadata of a page that require another query. */
export type PageMetadata = {
  /** Whether the list has items before the page, in the direction of paging. */
  readonly hasPrevious: boolean;
  /** The number of items of the whole list. */
  readonly totalCount: number;
};

/**
 * The arguments of a list that can be filtered by the start of the title, or by the reference; null means omitted.
 * `account` is the operator's.
 */
export type FilteredArguments = ConnectionArguments & {
  readonly title?: unknown;
  readonly reference?: unknown;
  readonly account?: unknown;
};

export type ConnectionPage<T> = ListPage<T> & {
  cursorAt(index: number): string;
  /** Reads the number of items of the whole list. @throws UNAVAILABLE if the database is unavailable */
  readTotalCount(): Promise<number>;
  /** Reads whether the list has items before the page, in the direction of paging. */
  readHasPrevious(): Promise<boolean>;
};

/** Returns the token of the page after this one, or an empty string if it is the last. Source: AIP-158. */
export function nextPageToken({
  items,
  hasMore,
  cursorAt,
}: Pick<ConnectionPage<unknown>, 'items' | 'hasMore' | 'cursorAt'>): string {
  return hasMore ? cursorAt(items.length - 1) : '';
}

export type PageRequest = {
  readonly direction: Direction;
  readonly size: number;
  /** The id of the item that the page starts after (forward) or ends before (backward); undefined for an end of the list. */
  readonly position: Ulid | undefined;
};

/**
 * Returns a page from the rows that were read for it, in the order of reading: its items, and one more if the list has more.
 */
export function pageOf<T>(rows: readonly T[], { direction, size }: PageRequest): ListPage<T> {
  const items = rows.slice(0, size);
  return {
    items: direction === 'forward' ? items : items.toReversed(),
    direction,
    hasMore: rows.length > size,
  };
}

/** The arguments of a Relay connection as the client sent them, not validated. */
export type ConnectionArguments = {
  readonly first?: unknown;
  readonly after?: unknown;
  readonly last?: unknown;
  readonly before?: unknown;
};

/** The validator of a page size. Null means omitted. */
export const pageSize = nullable(integer(1, MAX_PAGE_SIZE));

/**
 * Validates the arguments of a connection: `first` and `after` for forward paging, `last` and
 * `before` for backward paging. Null means omitted. Source: Relay Cursor Connections.
 *
 * @param filter the filter of the list, which is in its tokens
 * @throws INVALID_ARGUMENT if a size is not 1 to 100, if a token is malformed or of another filter, or if the
 *   arguments of both directions are mixed
 */
export function parsePageRequest(input: ConnectionArguments, filter?: string): PageRequest {
  const { first, after, last, before } = parseFields(input, {
    first: pageSize,
    after: pageToken(filter),
    last: pageSize,
    before: pageToken(filter),
  });
  const isBackward = input.last != null || input.before != null;
  if (isBackward && (input.first != null || input.after != null)) {
    const fields = (['first', 'after', 'last', 'before'] as const).filter((field) => input[field] != null);
    const description = 'Use either first and after, or last and before.';
    throw invalidFields(fields.map((field) => ({ field, description })));
  }
  return isBackward
    ? { direction: 'backward', size: last ?? DEFAULT_PAGE_SIZE, position: before }
    : { direction: 'forward', size: first ?? DEFAULT_PAGE_SIZE, position: after };
}
