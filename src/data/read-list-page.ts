import { integer, optional, parseFields } from '../model/fields.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../model/page.ts';
import { pageTokens } from '../model/page-token.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from '../storage/database.ts';
import type { ReadAfter } from '../storage/list.ts';
import { loadPageTokenKey } from '../storage/page-token-key.ts';
import type { UntrustedInput } from './data-layer.ts';

/** A page of a list for the operator. */
export type ListPage<T> = {
  readonly items: readonly T[];
  /** The token of the next page, or an empty string on the last page. */
  readonly nextPageToken: string;
};

const BATCH_SIZE = 500;

/**
 * Reads one page of a list, by keyset pagination. Source: AIP-158.
 *
 * @param input `page-size`, 1 to 100, the default is 10, and `page-token`
 * @throws INVALID_ARGUMENT with a violation for every invalid field
 */
export async function readListPage<Row extends { readonly id: Ulid }, Item>(
  database: Queryable,
  input: UntrustedInput,
  read: ReadAfter<Row>,
  toItem: (row: Row) => Item,
): Promise<ListPage<Item>> {
  const tokens = pageTokens(await loadPageTokenKey(database));
  const { 'page-size': size = DEFAULT_PAGE_SIZE, 'page-token': after } = parseFields(input, {
    'page-size': optional(integer(1, MAX_PAGE_SIZE)),
    'page-token': tokens.position,
  });
  const rows = await read(after ?? '', size + 1);
  const page = rows.slice(0, size);
  const last = rows.length > size ? page.at(-1) : undefined;
  return { items: page.map(toItem), nextPageToken: last ? tokens.encode(last.id) : '' };
}

/** Reads a whole list in batches, or its part after `start`. */
export async function* readWholeList<Row extends { readonly id: Ulid }>(
  read: ReadAfter<Row>,
  start: Ulid | '' = '',
): AsyncGenerator<Row> {
  for (let after = start; ; ) {
    const rows: readonly Row[] = await read(after, BATCH_SIZE);
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH_SIZE) return;
    after = last.id;
  }
}
