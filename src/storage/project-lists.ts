import { type Page, type PageRequest, pageOf, startOf } from '../model/page.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable, Row } from './database.ts';
import type { ListTable } from './list.ts';
import { padIds, placeholders } from './select-by-ids.ts';

/** A row of a list of a project. */
type ListRow = Row & { readonly id: Ulid; readonly project_id: Ulid };

/** The maximum total count of a list, so that a count has a maximum cost. A longer list has this count. */
export const MAX_TOTAL_COUNT = 10_000;

/**
 * Returns one page of the list of each project, in the order of their ids, with one statement. It reads at most one row
 * more than each page.
 *
 * @param projectIds at most 100 ids; a project that the account does not have has an empty list
 * @returns the pages, in the order of the projects
 */
export async function findListPages<R extends ListRow>(
  database: Queryable,
  { name, columns }: ListTable,
  accountId: Ulid,
  projectIds: readonly Ulid[],
  request: PageRequest,
): Promise<readonly Page<R>[]> {
  const isForward = request.direction === 'forward';
  const ids = padIds(projectIds);
  const [comparison, order] = isForward ? ['>', 'id'] : ['<', 'id DESC'];
  // A union and not a window function or a join, with which PostgreSQL could read whole lists.
  const branches = placeholders(ids, 4).map(
    (id, index) => `SELECT * FROM (SELECT ${columns} FROM ${name}
WHERE account_id = $1 AND project_id = ${id} AND id ${comparison} $2 ORDER BY ${order} LIMIT $3) AS list_${index}`,
  );
  const params = [accountId, startOf(request), request.size + 1, ...ids];
  const rows = projectIds.length === 0 ? [] : await database.read<R>(branches.join('\nUNION ALL\n'), params);
  const lists = Map.groupBy(rows, ({ project_id }) => project_id);
  return projectIds.map((id) => {
    // A union has no order.
    const list = (lists.get(id) ?? []).toSorted((a, b) => (a.id < b.id === isForward ? -1 : 1));
    return pageOf(list, request);
  });
}

/**
 * Returns the total counts of the lists of projects, with one statement. A list that is longer than `MAX_TOTAL_COUNT`
 * has this count.
 *
 * @param projectIds at most 100 ids; a project that the account does not have has an empty list
 * @returns the counts by project; an empty list may be missing
 */
export async function countLists(
  database: Queryable,
  { name }: ListTable,
  accountId: Ulid,
  projectIds: readonly Ulid[],
): Promise<ReadonlyMap<Ulid, number>> {
  const ids = padIds(projectIds);
  const sql = `SELECT p.id AS id, (SELECT COUNT(*) FROM
  (SELECT x.id FROM ${name} x WHERE x.account_id = $1 AND x.project_id = p.id LIMIT ${MAX_TOTAL_COUNT}) AS counted
) AS count FROM project p WHERE p.account_id = $1 AND p.id IN (${placeholders(ids, 2).join(', ')})`;
  const rows = await database.read<{ id: Ulid; count: number }>(sql, [accountId, ...ids]);
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/**
 * Returns those projects whose list has rows before a page, in the direction of paging, with one statement.
 *
 * @param projectIds at most 100 ids
 */
export async function findListsWithPrevious(
  database: Queryable,
  { name }: ListTable,
  accountId: Ulid,
  projectIds: readonly Ulid[],
  { direction, position }: PageRequest,
): Promise<ReadonlySet<Ulid>> {
  if (position === undefined) return new Set();
  const ids = padIds(projectIds);
  const previous = direction === 'forward' ? 'x.id <= $2 ORDER BY x.id' : 'x.id >= $2 ORDER BY x.id DESC';
  // Not EXISTS, which PostgreSQL could execute as a join with whole lists.
  const sql = `SELECT p.id AS id FROM project p
WHERE p.account_id = $1 AND p.id IN (${placeholders(ids, 3).join(', ')}) AND
  (SELECT x.id FROM ${name} x WHERE x.account_id = $1 AND x.project_id = p.id AND ${previous} LIMIT 1) IS NOT NULL`;
  const rows = await database.read<{ id: Ulid }>(sql, [accountId, position, ...ids]);
  return new Set(rows.map(({ id }) => id));
}
