import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';

/** Makes the function that returns the account of a resource by its name. */
export function findAccountOf<C extends 'projects' | 'apps' | 'wallets'>(collection: C) {
  // The expression must be the same as in the index on the name.
  const sql = `SELECT account_id FROM ${collection.slice(0, -1)} WHERE '${collection}/' || id = $1`;
  return async (database: Queryable, name: ResourceName<C>): Promise<Ulid | undefined> => {
    const [row] = await database.read<{ account_id: Ulid }>(sql, [name]);
    return row?.account_id;
  };
}
