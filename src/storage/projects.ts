import type { ResourceName, Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { PROJECT, prefixedId, type RowOf } from './sql/columns.ts';
import { List } from './sql/keyset-list.ts';
import { findAccountOf, insertInto, selectByIds } from './sql/row-statements.ts';

/** The columns of a project that queries return: all except the account, which is a parameter of every query. */
export type ProjectItem = RowOf<typeof PROJECT>;

export type ProjectRow = ProjectItem & RowOf<'account_id'>;

const insert = insertInto('project', `account_id, ${PROJECT}` as const);

const COUNT = 'UPDATE account SET project_count = project_count + 1 WHERE id = $1';

const TABLE = { name: 'project', columns: PROJECT } as const;

export const PROJECTS = new List<ProjectItem>(TABLE, {
  where: ['account_id ='],
  part: 'id',
  count: '(SELECT project_count FROM account WHERE id = $1)',
});

const UPDATE = `UPDATE project SET title = COALESCE($2, title), description = COALESCE($3, description)
WHERE ${prefixedId('projects/')} = $1 RETURNING account_id, ${PROJECT}`;

const DELETE_EXPIRED_TOKENS =
  'DELETE FROM token WHERE account_id = $1 AND project_id = $2 AND expire_time_ms <= $3';

const DELETE = `DELETE FROM project WHERE account_id = $1 AND id = $2 RETURNING ${PROJECT}`;

const COUNT_DOWN = 'UPDATE account SET project_count = project_count - 1 WHERE id = $1';

export async function insertProject(transaction: Queryable, project: ProjectRow): Promise<void> {
  await insert(transaction, project);
  await transaction.write(COUNT, [project.account_id]);
}

export const findProjects = selectByIds(TABLE);

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

/**
 * Deletes a project and its expired tokens, and decrements the project count of its account. Returns its last row.
 *
 * @throws an error for `isForeignKeyViolation` if the project has apps, wallets or valid tokens
 */
export async function deleteProject(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
  now: number,
): Promise<ProjectItem | undefined> {
  await transaction.write(DELETE_EXPIRED_TOKENS, [accountId, id, now]);
  const [row] = await transaction.write<ProjectItem>(DELETE, [accountId, id]);
  if (row) await transaction.write(COUNT_DOWN, [accountId]);
  return row;
}
