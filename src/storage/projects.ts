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

type PageRow = ProjectRow & AroundPage;

/** What lies around a page. */
type AroundPage = { readonly project_count: number; readonly more_behind: 0 | 1 };

const COLUMNS = 'p.account_id, p.id, p.title, p.description, p.image_cover_cid, p.create_time_ms';

const INSERT = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
VALUES ($1, $2, $3, $4, $5, $6)`;

const COUNT = 'UPDATE account SET project_count = project_count + 1 WHERE id = $1';

const FIND_ACCOUNT = 'SELECT account_id FROM project WHERE id = $1';

// What lies behind a page, and how many projects there are in all.
const AROUND_FORWARD = `(SELECT project_count FROM account WHERE id = $1) AS project_count, CASE WHEN (
  SELECT 1 FROM project WHERE (account_id, id) > ($1, '') AND (account_id, id) <= ($1, $2)
  ORDER BY account_id, id LIMIT 1
) IS NOT NULL THEN 1 ELSE 0 END AS more_behind`;

const AROUND_BACKWARD = `(SELECT project_count FROM account WHERE id = $1) AS project_count, CASE WHEN (
  SELECT 1 FROM project WHERE (account_id, id) >= ($1, $2) AND (account_id, id) < ($1, 'Z')
  ORDER BY account_id, id LIMIT 1
) IS NOT NULL THEN 1 ELSE 0 END AS more_behind`;

// One statement gives the page and what lies around it: the place in the list is found
// by its key, so that the last page costs what the first does. The bounds are those of
// the whole primary key, since an engine that plans without knowing the parameters could
// take another index, and walk through other accounts.
const PAGE_FORWARD = `SELECT ${COLUMNS}, ${AROUND_FORWARD} FROM project p
WHERE (p.account_id, p.id) > ($1, $2) AND (p.account_id, p.id) < ($1, 'Z')
ORDER BY p.account_id, p.id LIMIT $3`;

const PAGE_BACKWARD = `SELECT ${COLUMNS}, ${AROUND_BACKWARD} FROM project p
WHERE (p.account_id, p.id) > ($1, '') AND (p.account_id, p.id) < ($1, $2)
ORDER BY p.account_id DESC, p.id DESC LIMIT $3`;

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
  const place = position ?? (forward ? START : END);
  const rows = await database.query<PageRow>(forward ? PAGE_FORWARD : PAGE_BACKWARD, [
    accountId,
    place,
    size + 1,
  ]);
  // An empty page has no row to tell what lies around it.
  const [around] =
    rows.length > 0
      ? rows
      : await database.query<AroundPage>(`SELECT ${forward ? AROUND_FORWARD : AROUND_BACKWARD}`, [
          accountId,
          place,
        ]);
  const moreAhead = rows.length > size;
  const moreBehind = around?.more_behind === 1;
  const items = moreAhead ? rows.slice(0, size) : rows;
  return {
    items: forward ? items : items.toReversed(),
    hasPreviousPage: forward ? moreBehind : moreAhead,
    hasNextPage: forward ? moreAhead : moreBehind,
    totalCount: around?.project_count ?? 0,
  };
}
