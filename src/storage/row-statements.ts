import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { namesOf, type RowOf, valuesOf } from './tables.ts';

// A list of ids is padded to one of these lengths. This needs three prepared statements instead of a hundred.
const LENGTHS = [1, 10, 100];

/** Returns a function that inserts a row with these columns into a table. */
export function insertInto<C extends string>(table: string, columns: C) {
  const names = namesOf(columns);
  const sql = `INSERT INTO ${table} (${columns}) VALUES (${placeholders(names, 1)})`;
  return async (transaction: Queryable, row: RowOf<C>): Promise<void> => {
    await transaction.write(sql, valuesOf(row, names));
  };
}

/** Makes the function that returns the account of a resource by its name, or undefined if it does not exist. */
export function findAccountOf<C extends 'projects' | 'apps' | 'wallets'>(collection: C) {
  // The expression must be the same as in the index on the name.
  const sql = `SELECT account_id FROM ${collection.slice(0, -1)} WHERE '${collection}/' || id = $1`;
  return async (database: Queryable, name: ResourceName<C>): Promise<Ulid | undefined> => {
    const [row] = await database.read<{ account_id: Ulid }>(sql, [name]);
    return row?.account_id;
  };
}

/**
 * Returns a function that returns the rows of an account with the given ids, at most 100, in no particular order. Missing
 * rows are omitted.
 */
export function selectByIds<C extends string>({ name, columns }: { name: string; columns: C }) {
  const select = `SELECT ${columns} FROM ${name} WHERE account_id = $1 AND id IN`;
  return async (
    database: Pick<Queryable, 'read'>,
    accountId: Ulid,
    ids: readonly Ulid[],
  ): Promise<readonly RowOf<C>[]> => {
    if (ids.length === 0) return [];
    const padded = padIds(ids);
    return database.read<RowOf<C>>(`${select} (${placeholders(padded, 2)})`, [accountId, ...padded]);
  };
}

/** Pads a list of at most 100 ids with empty strings, which no row has as its id. */
export function padIds(ids: readonly (Ulid | '')[]): readonly (Ulid | '')[] {
  const length = LENGTHS.find((limit) => ids.length <= limit) ?? ids.length;
  return [...ids, ...new Array<''>(length - ids.length).fill('')];
}

/** Returns the placeholders of a list of parameters, the first of which is `$<first>`. */
export function placeholders(params: readonly unknown[], first: number): readonly string[] {
  return params.map((_, index) => `$${first + index}`);
}
