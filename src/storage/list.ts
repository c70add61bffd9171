import type { Ulid } from '../model/resource-name.ts';
import type { Queryable, Row, Value } from './database.ts';

/** A table, and the columns of its rows in a list. */
export type ListTable = { readonly name: string; readonly columns: string };

/** Reads at most `limit` rows whose id is greater than `after`, in the order of their ids. */
export type ReadAfter<R> = (after: Ulid | '', limit: number) => Promise<readonly R[]>;

/**
 * Returns a function that reads a list by keyset pagination on the primary key.
 *
 * @param scope the values that all rows of the list have, by column
 */
export function listOf<R extends Row>(
  database: Queryable,
  { name, columns }: ListTable,
  scope: Readonly<Record<string, Value>> = {},
): ReadAfter<R> {
  const values = Object.values(scope);
  const conditions = Object.keys(scope).map((column, index) => `${column} = $${index + 1}`);
  const where = [...conditions, `id > $${values.length + 1}`].join(' AND ');
  const sql = `SELECT ${columns} FROM ${name} WHERE ${where} ORDER BY id LIMIT $${values.length + 2}`;
  return (after, limit) => database.read<R>(sql, [...values, after, limit]);
}
