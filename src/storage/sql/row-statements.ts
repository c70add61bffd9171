import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import { titleKey } from '../../model/title-key.ts';
import type { Change, ColumnOfFirst, ConditionalSql, Queryable, Row, Value } from '../interface/database.ts';
import { insertedRow, placeholders } from '../work/change.ts';
import { columnNames, prefixedId, valuesOf } from './columns.ts';

// A list of ids is padded to one of these lengths. This needs three prepared statements instead of a hundred.
const LENGTHS = [1, 10, 100];

/** The primary key of a row of an account. */
export type RowId = { readonly accountId: Ulid; readonly id: Ulid };

/** Makes the function that inserts a row with some of the columns of a table. */
export function insertInto<R extends Row>(table: string, columns: string) {
  const names = columnNames(columns);
  const sql = `INSERT INTO ${table} (${columns}) VALUES (${placeholders(names, 1)})`;
  return async (transaction: Queryable, row: R): Promise<void> => {
    await transaction.write(sql, valuesOf(row, names));
  };
}

type InsertedRow = Readonly<Record<string, Value | ColumnOfFirst>> & { readonly account_id: Ulid };

/**
 * Returns a function that returns the change that inserts a row. The first two columns are the ones in `Change.params`.
 */
export function insertChange<R extends InsertedRow>(
  table: string,
  columns: `account_id, ${string}`,
  onConflict = '',
) {
  const [, key = '', ...others] = columnNames(columns);
  const sql: ConditionalSql = (values, condition) =>
    `INSERT INTO ${table} (${columns}) ${insertedRow(values, condition)} ${onConflict}`;
  return (row: R): Change => ({ sql, params: [row.account_id, row[key] ?? null, ...valuesOf(row, others)] });
}

/** Returns a function that executes a SELECT, and returns its first row, or undefined if there is none. */
export function readRow<R extends Row, Params extends readonly Value[]>(sql: string) {
  return async (database: Pick<Queryable, 'read'>, ...params: Params): Promise<R | undefined> =>
    (await database.read<R>(sql, params))[0];
}

/** Like `readRow`, for any other statement with RETURNING. */
export function writeRow<R extends Row, Params extends readonly Value[]>(sql: string) {
  return async (database: Pick<Queryable, 'write'>, ...params: Params): Promise<R | undefined> =>
    (await database.write<R>(sql, params))[0];
}

type Changes = Readonly<Record<string, Value | undefined>> & { readonly title: string | undefined };

/**
 * Makes the function that returns the statement of an update and its values from `$<first>` on. A statement names the columns
 * with new values alone: two concurrent updates of different fields do not overwrite each other, and SQLite writes no index of
 * the other columns. Each set of fields has a statement, which is kept: with its 6 fields, a wallet has at most 63. An empty
 * reference removes the one there is.
 *
 * @param columns those that can have a new value, in their order
 * @param make makes a statement from its assignments
 */
export function updateStatements<S>(
  columns: readonly string[],
  first: number,
  make: (assignments: string) => S,
) {
  const statements = new Map<string, S>();
  return (changes: Changes): { readonly sql: S; readonly values: readonly Value[] } => {
    const { title } = changes;
    const row: Changes = { ...changes, title_key: title && titleKey(title) };
    const names = columns.filter((column) => row[column] !== undefined);
    const key = names.join();
    let sql = statements.get(key);
    if (sql === undefined) {
      const assignments = names.map((name, index) => {
        const value = `$${first + index}`;
        return `${name} = ${name === 'reference' ? `NULLIF(${value}, '')` : value}`;
      });
      sql = make(assignments.join(', '));
      statements.set(key, sql);
    }
    return { sql, values: valuesOf(row, names) };
  };
}

/** Makes the function that returns the account of a resource by its name, or undefined if it does not exist. */
export function findAccountOf<C extends 'projects' | 'apps' | 'wallets'>(collection: C) {
  const sql = `SELECT account_id FROM ${collection.slice(0, -1)} WHERE ${prefixedId(`${collection}/`)} = $1`;
  return async (database: Queryable, name: ResourceName<C>): Promise<Ulid | undefined> => {
    const [row] = await database.read<{ account_id: Ulid }>(sql, [name]);
    return row?.account_id;
  };
}

/**
 * Returns a function that returns the rows of an account with the given ids, at most 100, in no particular order. Missing
 * rows are omitted.
 */
export function selectByIds<R extends Row>({ name, columns }: { name: string; columns: string }) {
  const select = `SELECT ${columns} FROM ${name} WHERE account_id = $1 AND id IN`;
  return async (
    database: Pick<Queryable, 'read'>,
    accountId: Ulid,
    ids: readonly Ulid[],
  ): Promise<readonly R[]> => {
    if (ids.length === 0) return [];
    const padded = padIds(ids);
    return database.read<R>(`${select} (${placeholders(padded, 2)})`, [accountId, ...padded]);
  };
}

/** The condition that a row has one of the revisions in a parameter, which `revisionList` makes. */
export function ifRevision(parameter: number): string {
  return `(CAST($${parameter} AS TEXT) IS NULL OR $${parameter} LIKE '%,' || revision || ',%')`;
}

/** The condition that a row has none of the revisions in such a parameter. `*` stands for all. */
export function unlessRevision(parameter: number): string {
  return `(CAST($${parameter} AS TEXT) IS NULL OR $${parameter} <> '*' AND $${parameter} NOT LIKE '%,' || revision || ',%')`;
}

/** Returns the parameter for `ifRevision` and `unlessRevision`. Undefined allows any revision. */
export function revisionList(revisions: readonly Ulid[] | '*' | undefined): string | null {
  if (revisions === undefined || revisions === '*') return revisions ?? null;
  return `,${revisions.join()},`;
}

/** Splits a list into parts of at most `size` items. */
export function batches<T>(items: readonly T[], size: number): readonly (readonly T[])[] {
  const count = Math.ceil(items.length / size);
  return Array.from({ length: count }, (_, n) => items.slice(n * size, (n + 1) * size));
}

/** Pads a list of at most 100 ids with empty strings, which no row has as its id. */
export function padIds(ids: readonly (Ulid | '')[]): readonly (Ulid | '')[] {
  const length = LENGTHS.find((limit) => ids.length <= limit) ?? ids.length;
  return [...ids, ...new Array<''>(length - ids.length).fill('')];
}
