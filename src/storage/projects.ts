import type { Page, PageRequest } from '../model/page.ts';
import type { Ulid } from '../model/resource-name.ts';
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

type PageRow = ProjectRow & { readonly project_count: number; readonly more_behind: 0 | 1 };

// No row of `project` is joined to an empty page, which still has a total and a place.
type EmptyPageRow = { readonly [C in keyof ProjectRow]: null } & Omit<PageRow, keyof ProjectRow>;

const COLUMNS = 'p.account_id, p.id, p.title, p.description, p.image_cover_cid, p.create_time_ms';

const INSERT = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
VALUES ($1, $2, $3, $4, $5, $6)`;

const COUNT = 'UPDATE account SET project_count = project_count + 1 WHERE id = $1';

const FIND_ACCOUNT = 'SELECT account_id FROM project WHERE id = $1';

// One statement gives the page, what lies behind it, and the total: the place in
// the list is found by its key, so that the last page costs what the first does.
// The bounds are those of the whole primary key, since an engine that plans without
// knowing the parameters could take another index, and walk through other accounts.
const PAGE_FORWARD = `SELECT a.project_count, ${COLUMNS}, CASE WHEN (
  SELECT 1 FROM project WHERE (account_id, id) > ($1, '') AND (account_id, id) <= ($1, $2)
  ORDER BY account_id, id LIMIT 1
) IS NOT NULL THEN 1 ELSE 0 END AS more_behind
FROM account a LEFT JOIN (
  SELECT * FROM project WHERE (account_id, id) > ($1, $2) AND (account_id, id) < ($1, 'Z')
  ORDER BY account_id, id LIMIT $3
) p ON p.account_id = a.id
WHERE a.id = $1 ORDER BY p.id`;

const PAGE_BACKWARD = `SELECT a.project_count, ${COLUMNS}, CASE WHEN (
  SELECT 1 FROM project WHERE (account_id, id) >= ($1, $2) AND (account_id, id) < ($1, 'Z')
  ORDER BY account_id, id LIMIT 1
) IS NOT NULL THEN 1 ELSE 0 END AS more_behind
FROM account a LEFT JOIN (
  SELECT * FROM project WHERE (account_id, id) > ($1, '') AND (account_id, id) < ($1, $2)
  ORDER BY account_id DESC, id DESC LIMIT $3
) p ON p.account_id = a.id
WHERE a.id = $1 ORDER BY p.id DESC`;

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
): Promise<readonly ProjectRow[]> {
  return selectByIds(
    database,
    `SELECT ${COLUMNS} FROM project p WHERE p.account_id = $1 AND p.id`,
    accountId,
    ids,
  );
}

/** Returns the account of a project, or undefined if there is no such project. */
export async function findAccountOfProject(database: Queryable, id: Ulid): Promise<Ulid | undefined> {
  const [row] = await database.query<{ account_id: Ulid }>(FIND_ACCOUNT, [id]);
  return row?.account_id;
}

/** Returns one page of an account's projects, by id. */
export async function findProjectPage(
  database: Queryable,
  accountId: Ulid,
  { direction, size, position }: PageRequest,
): Promise<Page<ProjectRow>> {
  const forward = direction === 'forward';
  const rows = await database.query<PageRow | EmptyPageRow>(forward ? PAGE_FORWARD : PAGE_BACKWARD, [
    accountId,
    position ?? (forward ? START : END),
    size + 1,
  ]);
  const moreAhead = rows.length > size;
  const moreBehind = rows[0]?.more_behind === 1;
  const items = rows.slice(0, size).filter((row) => row.id !== null);
  return {
    items: forward ? items : items.reverse(),
    hasPreviousPage: forward ? moreBehind : moreAhead,
    hasNextPage: forward ? moreAhead : moreBehind,
    totalCount: rows[0]?.project_count ?? 0,
  };
}
