import { prefixedId } from './columns.ts';

/** A table, and the columns of its rows in a list. */
export type ListTable = { readonly name: string; readonly columns: string };

/** How the rows of a list are found. */
export type ListOptions = {
  /** Comparisons that all rows meet, such as `account_id =`. Their values belong to a selection. */
  readonly where: readonly string[];
  /** A column that divides a list into parts, such as `project_id`. */
  readonly part?: string;
  readonly newestFirst?: true;
  /** What precedes the id in the index of the list, if the index is not the primary key. */
  readonly prefix?: string;
  /** An SQL expression for the number of all rows. Without it, the rows are counted. */
  readonly count?: string;
  /**
   * A column of an index after the columns of the comparisons and of the part. The list has at most `MAX_COUNTED` rows,
   * the first by this column, so a search for what most rows have is bounded, too.
   */
  readonly matchedBy?: string;
};

/** The results of a statement: the rows of pages, or metadata of pages. */
export type ListKind = 'page' | 'count' | 'previous' | 'count and previous';

/** The maximum number of rows that a search by `matchedBy` finds, and that are counted, so a count has a maximum cost. */
const MAX_COUNTED = 1000;

/**
 * Returns a statement on a list, or on each of `partCount` parts of it. Its parameters are the values of the comparisons,
 * the parts, the key to start from, and the maximum number of rows (only for a page). A count has none of these, or the
 * bounds of its range.
 */
export function listStatement(
  { name, columns }: ListTable,
  { where, part, prefix, count = '', matchedBy }: ListOptions,
  kind: ListKind,
  {
    isAscending,
    partCount,
    isRange,
  }: { readonly isAscending: boolean; readonly partCount: number; readonly isRange: boolean },
): string {
  const key = prefix === undefined ? 'id' : prefixedId(prefix);
  const start = where.length + partCount + 1;
  const after = `${key} ${isAscending ? '>' : '<'} $${start} ORDER BY ${key}${isAscending ? '' : ' DESC'}`;
  const before = `${key} ${isAscending ? '<=' : '>='} $${start} ORDER BY ${key}${isAscending ? ' DESC' : ''}`;
  const conditions = where.map((comparison, index) => `${comparison} $${index + 1}`);
  const parts = Array.from({ length: partCount }, (_, index) => `$${where.length + 1 + index}`);
  const search = (ofPart: readonly string[], last: string) => {
    const found = [...conditions, ...ofPart];
    if (matchedBy === undefined) return `FROM ${name} WHERE ${[...found, last].join(' AND ')}`;
    const first = `ORDER BY ${matchedBy}, id LIMIT ${MAX_COUNTED}`;
    return `FROM (SELECT id FROM ${name} WHERE ${found.join(' AND ')} ${first}) AS matches WHERE ${last}`;
  };

  if (kind === 'page') {
    const rows = (ofPart: readonly string[]) => {
      const page = `${search(ofPart, after)} LIMIT $${start + 1}`;
      if (matchedBy === undefined) return `SELECT ${columns} ${page}`;
      // The matches are read from the index, and only the page from the table.
      const order = `ORDER BY id${isAscending ? '' : ' DESC'}`;
      return `SELECT ${columns} FROM ${name} WHERE ${conditions[0]} AND id IN (SELECT id ${page}) ${order}`;
    };
    if (partCount === 0) return rows([]);
    // A union, because PostgreSQL could read whole lists for a window function or a join.
    const pages = parts.map((id, index) => `SELECT * FROM (${rows([`${part} = ${id}`])}) AS part_${index}`);
    return pages.join('\nUNION ALL\n');
  }

  // Not a union, which PostgreSQL plans at each execution. Both engines give the columns of VALUES these names.
  const ofPart = partCount === 0 ? [] : [`${part} = parts.column2`];
  // With the order, a large list is counted by its index, up to the limit. Matches would be sorted for nothing.
  const order = matchedBy === undefined ? ` ORDER BY ${key}` : '';
  const within = isRange ? `${key} > $${start} AND ${key} < $${start + 1}` : `${key} > ''`;
  const counted = `SELECT 1 ${search(ofPart, within + order)} LIMIT ${MAX_COUNTED}`;
  const total = kind === 'count' ? `(SELECT COUNT(*) FROM (${counted}) AS counted)` : count;
  const previous = `(SELECT id ${search(ofPart, before)} LIMIT 1)`;
  const fields = {
    count: `${total} AS total_count`,
    previous: `${previous} AS previous_id`,
    'count and previous': `${total} AS total_count, ${previous} AS previous_id`,
  }[kind];
  if (partCount === 0) return `SELECT 0 AS part, ${fields}`;
  const values = parts.map((id, index) => `(${index}, ${id})`);
  return `SELECT parts.column1 AS part, ${fields} FROM (VALUES ${values.join(', ')}) AS parts`;
}
