import { type FieldViolation, invalidFields } from './api-error.ts';
import { integer, nullable, parseFields } from './fields.ts';
import type { PageTokens } from './page-token.ts';
import type { Ulid } from './resource-name.ts';

/** The most items that a page may hold. */
export const MAX_PAGE_SIZE = 100;

/** The size of a page that names none. */
export const DEFAULT_PAGE_SIZE = 10;

/** Which way a page is read from its position. */
export type Direction = 'forward' | 'backward';

/** A stretch of a list, in the order of the list. */
export type Page<T> = {
  readonly items: readonly T[];
  readonly direction: Direction;
  /** Whether the list goes on beyond the page, in its direction. */
  readonly hasMore: boolean;
};

/** What lies around a page, which takes another look at the list. */
export type PageSurroundings = {
  /** Whether the list has items before the page, seen in its direction. */
  readonly hasMoreBehind: boolean;
  /** How many items the whole list has. */
  readonly totalCount: number;
};

/** Which stretch of a list is wanted. */
export type PageRequest = {
  readonly direction: Direction;
  /** The most items that the page may hold. */
  readonly size: number;
  /** The place that the page starts after (forward) or ends before (backward). */
  readonly position: Ulid | undefined;
};

/** The arguments of a Relay connection, as the client sent them. */
export type ConnectionArguments = {
  readonly first?: unknown;
  readonly after?: unknown;
  readonly last?: unknown;
  readonly before?: unknown;
};

/** The size of a page. */
export const pageSize = nullable(integer(1, MAX_PAGE_SIZE));

/**
 * Reads the arguments of a page: `first` and `after` for a page forward, `last`
 * and `before` for one backward, null being the same as leaving one out.
 *
 * @throws INVALID_ARGUMENT if a size is not 1 to 100, a token is malformed or
 *   forged, or both directions are asked for. Source: Relay Cursor Connections.
 */
export function parsePageRequest(sent: ConnectionArguments, tokens: PageTokens): PageRequest {
  const { first, after, last, before } = parseFields(sent, {
    first: pageSize,
    after: tokens.position,
    last: pageSize,
    before: tokens.position,
  });
  const backward = sent.last != null || sent.before != null;
  if (backward && (sent.first != null || sent.after != null)) {
    const given = (['first', 'after', 'last', 'before'] as const).filter((field) => sent[field] != null);
    throw invalidFields(
      given.map(
        (field): FieldViolation => ({
          field,
          description: 'Page either forward, with first and after, or backward, with last and before.',
        }),
      ),
    );
  }
  return backward
    ? { direction: 'backward', size: last ?? DEFAULT_PAGE_SIZE, position: before }
    : { direction: 'forward', size: first ?? DEFAULT_PAGE_SIZE, position: after };
}
