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
  database: Queryable,
  select: string,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly R[]> {
  const [first] = ids;
  if (first === undefined) return [];
  const length = LENGTHS.find((limit) => ids.length <= limit) ?? ids.length;
  const padded = [...ids, ...new Array<Ulid>(length - ids.length).fill(first)];
  const placeholders = padded.map((_, index) => `$${index + 2}`);
  return database.query<R>(`${select} IN (${placeholders.join(', ')})`, [accountId, ...padded]);
}
