import type { Ulid } from '../model/resource-name.ts';
import type { Queryable, Row } from './database.ts';

// A list of ids is padded to one of these lengths. This needs three prepared statements instead of a hundred.
const LENGTHS = [1, 10, 100];

/**
 * Returns the rows of one account with the given ids, in no particular order.
 *
 * @param select the statement up to and without `IN (…)`; `$1` is the account
 * @param ids at most 100 ids
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function selectByIds<R extends Row>(
  database: Pick<Queryable, 'read'>,
  select: string,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly R[]> {
  if (ids.length === 0) return [];
  const padded = padIds(ids);
  return database.read<R>(`${select} IN (${placeholders(padded, 2).join(', ')})`, [accountId, ...padded]);
}

/** Pads a list of at most 100 ids with empty strings, which no row has as its id. */
export function padIds(ids: readonly Ulid[]): readonly (Ulid | '')[] {
  const length = LENGTHS.find((limit) => ids.length <= limit) ?? ids.length;
  return [...ids, ...new Array<''>(length - ids.length).fill('')];
}

/** Returns the placeholders of a list of parameters, the first of which is `$<first>`. */
export function placeholders(params: readonly unknown[], first: number): readonly string[] {
  return params.map((_, index) => `$${first + index}`);
}
