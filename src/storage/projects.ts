import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { List } from './list.ts';
import { findAccountOf, insertInto, selectByIds } from './row-statements.ts';
import { PROJECT, type RowOf } from './tables.ts';

/** The columns of a project that queries return: all except the account, which is a parameter of every query. */
export type ProjectItem = RowOf<typeof PROJECT>;

/** A row of the table `project`. */
export type ProjectRow = ProjectItem & RowOf<'account_id'>;

const insert = insertInto('project', `account_id, ${PROJECT}` as const);

const COUNT = 'UPDATE account SET project_count = project_count + 1 WHERE id = $1';

const TABLE = { name: 'project', columns: PROJECT } as const;

/** The projects of an account. A part is a single project. */
export const PROJECTS = new List<ProjectItem>(TABLE, {
  where: ['account_id ='],
  part: 'id',
  count: '(SELECT project_count FROM account WHERE id = $1)',
});

// The expression must be the same as in the index `project_by_name`.
const UPDATE = `UPDATE project SET title = COALESCE($2, title), description = COALESCE($3, description)
WHERE 'projects/' || id = $1 RETURNING account_id, ${PROJECT}`;

// An account token names its default project in its record.
const HAS_DEPENDENTS = `SELECT CASE WHEN
  EXISTS (SELECT 1 FROM account WHERE id = $1 AND default_project_id = $2)
  OR EXISTS (SELECT 1 FROM app WHERE account_id = $1 AND project_id = $2)
  OR EXISTS (SELECT 1 FROM wallet WHERE account_id = $1 AND project_id = $2)
  OR EXISTS (SELECT 1 FROM token WHERE account_id = $1 AND expire_time_ms > $4 AND value LIKE $3)
THEN 1 ELSE 0 END AS has_dependents`;

// An update without a change: a row lock that works on both engines, held until the end of the transaction.
const LOCK = 'UPDATE project SET title = title WHERE account_id = $1 AND id = $2 RETURNING id';

const DELETE = `DELETE FROM project WHERE account_id = $1 AND id = $2 RETURNING ${PROJECT}`;

const COUNT_DOWN = 'UPDATE account SET project_count = project_count - 1 WHERE id = $1';

/** Inserts a project and increments the project count of its account. */
export async function insertProject(transaction: Queryable, project: ProjectRow): Promise<void> {
  await insert(transaction, project);
  await transaction.write(COUNT, [project.account_id]);
}

/** Returns the projects of the account with the given ids. */
export const findProjects = selectByIds(TABLE);

/** Returns the id of the account of this project, or undefined if it does not exist. */
export const findAccountOfProject = findAccountOf('projects');

/** Updates a project of any account and returns its new row, or undefined if the project does not exist. */
export async function updateProject(
  database: Queryable,
  name: ResourceName<'projects'>,
  { title, description }: { readonly title: string | undefined; readonly description: string | undefined },
): Promise<ProjectRow | undefined> {
  const [row] = await database.write<ProjectRow>(UPDATE, [name, title ?? null, description ?? null]);
  return row;
}

/** Returns whether a project has apps or wallets, or is the default project of its account or of a token valid at `now`. */
export async function hasDependents(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  now: number,
): Promise<boolean> {
  const params = [accountId, id, `%"defaultProjectId":"${id}"%`, now];
  const [row] = await database.read<{ has_dependents: 0 | 1 }>(HAS_DEPENDENTS, params);
  return row?.has_dependents === 1;
}

/** Locks a project, so that it is not deleted before the end of the transaction. Returns whether it exists. */
export async function lockProject(transaction: Queryable, accountId: Ulid, id: Ulid): Promise<boolean> {
  return (await transaction.write(LOCK, [accountId, id])).length > 0;
}

/** Deletes a project, and decrements the project count of its account. Returns its last row. */
export async function deleteProject(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
): Promise<ProjectItem | undefined> {
  const [row] = await transaction.write<ProjectItem>(DELETE, [accountId, id]);
  if (row) await transaction.write(COUNT_DOWN, [accountId]);
  return row;
}
