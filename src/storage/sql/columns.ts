import type { ColumnOfFirst, Value } from '../interface/database.ts';

type Names<C extends string> = C extends `${infer First}, ${infer Others}` ? First | Names<Others> : C;

/** A row with the columns of a list, as in a SELECT. `T` has the types of all columns of the table. */
export type RowOf<T, C extends string> = Pick<T, Names<C> & keyof T>;

/** New values for columns, without `title_key`, which `updateStatements` adds. Those with undefined are not changed. */
export type ChangesOf<T, C extends keyof T> = {
  readonly [Name in Exclude<C, 'title_key'>]: NonNullable<T[Name]> | undefined;
};

export type Table = {
  readonly name: string;
  /** All columns. The rows expire if the table has the column `expire_time_ms`. */
  readonly columns: string;
  /** The columns of the primary key. The first names the account. */
  readonly key: readonly string[];
  /** The condition of the rows that other rows of the table refer to, which are copied first. */
  readonly first?: string;
};

/** The primary key of most tables. */
export const KEY = ['account_id', 'id'] as const;

/** A column of any of some tables. */
export type ColumnOf<T extends Table> = Names<T['columns']>;

/** Returns the names in a list of columns that another list does not have. */
export function except<C extends string, E extends string>(columns: C, others: E) {
  const excluded = columnNames(others);
  type Name = Exclude<Names<C>, Names<E>>;
  return columnNames(columns).filter((name): name is Name => !excluded.includes(name));
}

export function columnNames(columns: string): readonly string[] {
  return columns.split(', ');
}

/** Returns the values of a row in the order of columns, and null for those that it does not have. */
export function valuesOf<V extends Value | ColumnOfFirst>(
  row: Readonly<Record<string, V | undefined>>,
  columns: readonly string[],
): readonly (V | null)[] {
  return columns.map((column) => row[column] ?? null);
}

/**
 * Returns the expression of an index on ids with a prefix in the migrations, such as `'apps/' || id`. An engine uses the
 * index only for the same expression.
 */
export function prefixedId(prefix: string): string {
  return `'${prefix}' || id`;
}
