import type { Ulid } from '../model/resource-name.ts';
import type { Queryable, Row } from './database.ts';

// A list is filled up to one of these lengths, so that three statements are prepared, not a hundred.
const LENGTHS = [1, 10, 100];

/**
 * Returns the rows of one account whose ids are among `ids`, in no order.
 *
 * @param select a statement that ends where `IN (…)` belongs, with `$1` for the account
 * @param ids at most 100
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
  const places = padded.map((_, index) => `$${index + 2}`);
  return database.query<R>(`${select} IN (${places.join(', ')})`, [accountId, ...padded]);
}
