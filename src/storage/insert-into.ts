import type { Queryable } from './database.ts';
import { placeholders } from './select-by-ids.ts';
import { namesOf, type RowOf, valuesOf } from './tables.ts';

/** Returns a function that inserts a row with these columns into a table. */
export function insertInto<C extends string>(table: string, columns: C) {
  const names = namesOf(columns);
  const sql = `INSERT INTO ${table} (${columns}) VALUES (${placeholders(names, 1)})`;
  return async (transaction: Queryable, row: RowOf<C>): Promise<void> => {
    await transaction.write(sql, valuesOf(row, names));
  };
}
