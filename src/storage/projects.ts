import type { Page, PageRequest, PageSurroundings } from '../model/page.ts';
import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { selectByIds } from './select-by-ids.ts';

/** A row of the table `project`. */
export type ProjectRow = {
  readonly account_id: Ulid;
  readonly id: Ulid;
  readonly title: string;
  readonly description: string;
  readonly image_cover_cid: string;
  readonly create_time_ms: number;
};

/** What a project is read for: its row without the account, which the reader knows. */
export type ProjectItem = Omit<ProjectRow, 'account_id'>;

const INSERT = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
VALUES ($1, $2, $3, $4, $5, $6)`;

const COUNT = 'UPDATE account SET project_count = project_count + 1 WHERE id = $1';

// By an index on this very expression, so that it does not tempt the planner of PostgreSQL where an account's
// projects are read by id.
const FIND_ACCOUNT = "SELECT account_id FROM project WHERE 'projects/' || id = $1";

const SELECT =
  'SELECT id, title, description, image_cover_cid, create_time_ms FROM project WHERE account_id = $1';

// The place in the list is found by the primary key, so that the last page costs what the first does.
const PAGE_FORWARD = `${SELECT} AND id > $2 ORDER BY id LIMIT $3`;

const PAGE_BACKWARD = `${SELECT} AND id < $2 ORDER BY id DESC LIMIT $3`;

const SURROUNDINGS_FORWARD = surroundings('id <= $2 ORDER BY id');

const SURROUNDINGS_BACKWARD = surroundings('id >= $2 ORDER BY id DESC');

// Before and after every ULID.
const START = '';
const END = 'Z';

/** Adds a project to its account and counts it. */
export async function insertProject(transaction: Queryable, project: ProjectRow): Promise<void> {
  await transaction.query(INSERT, [
    project.account_id,
    project.id,
    project.title,
    project.description,
    project.image_cover_cid,
    project.create_time_ms,
  ]);
  await transaction.query(COUNT, [project.account_id]);
}

/** Returns those of the account's projects `ids` that exist, in no order. */
export function findProjects(
  database: Queryable,
  accountId: Ulid,
  ids: readonly Ulid[],
): Promise<readonly ProjectItem[]> {
  return selectByIds(database, `${SELECT} AND id`, accountId, ids);
}

/** Returns the account of a project, or undefined if there is no such project. */
export async function findAccountOfProject(
  database: Queryable,
  project: ResourceName<'projects'>,
): Promise<Ulid | undefined> {
  const [row] = await database.query<{ account_id: Ulid }>(FIND_ACCOUNT, [project]);
  return row?.account_id;
}

/** Returns one page of an account's projects, by id. */
export async function findProjectPage(
  database: Queryable,
  accountId: Ulid,
  { direction, size, position }: PageRequest,
): Promise<Page<ProjectItem>> {
  const isForward = direction === 'forward';
  const rows = await database.query<ProjectItem>(isForward ? PAGE_FORWARD : PAGE_BACKWARD, [
    accountId,
    position ?? (isForward ? START : END),
    size + 1,
  ]);
  const hasMore = rows.length > size;
  const items = hasMore ? rows.slice(0, size) : rows;
  return { items: isForward ? items : items.toReversed(), direction, hasMore };
}

/** Returns what lies around a page of an account's projects. */
export async function findProjectPageSurroundings(
  database: Queryable,
  accountId: Ulid,
  { direction, position }: PageRequest,
): Promise<PageSurroundings> {
  const isForward = direction === 'forward';
  const [row] = await database.query<{ project_count: number | null; has_more_behind: 0 | 1 }>(
    isForward ? SURROUNDINGS_FORWARD : SURROUNDINGS_BACKWARD,
    [accountId, position ?? (isForward ? START : END)],
  );
  return { hasMoreBehind: row?.has_more_behind === 1, totalCount: row?.project_count ?? 0 };
}

function surroundings(behind: string): string {
  return `SELECT (SELECT project_count FROM account WHERE id = $1) AS project_count,
  CASE WHEN (SELECT id FROM project WHERE account_id = $1 AND ${behind} LIMIT 1) IS NULL THEN 0 ELSE 1 END
    AS has_more_behind`;
}
