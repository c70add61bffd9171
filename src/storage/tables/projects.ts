import type { Ulid } from '../../model/resource-name.ts';
import type { Queryable, Row } from '../interface/database.ts';
import { type ChangesOf, except, KEY } from '../sql/columns.ts';
import { KeysetList, listByReference, listByTitle } from '../sql/keyset-list.ts';
import {
  findAccountOf,
  insertInto,
  readRow,
  selectByIds,
  updateStatements,
  writeRow,
} from '../sql/row-statements.ts';

/** The columns of a project that queries return: all except the account, which is a parameter of every query. */
export type ProjectItem = {
  readonly id: Ulid;
  readonly title: string;
  readonly description: string;
  readonly image_cover_cid: string;
  readonly reference: string | null;
  readonly create_time_ms: number;
};

export type ProjectRow = ProjectItem & { readonly account_id: Ulid };

export type NewProjectRow = ProjectRow & { readonly title_key: string };

const PROJECT_COLUMNS = 'id, title, description, image_cover_cid, reference, create_time_ms';

export const PROJECT_TABLE = {
  name: 'project',
  columns: `account_id, ${PROJECT_COLUMNS}, title_key`,
  key: KEY,
} as const;

/** The columns that an update can change: all but these. */
const CHANGEABLE_COLUMNS = except(PROJECT_TABLE.columns, 'account_id, id, image_cover_cid, create_time_ms');

const insert = insertInto<NewProjectRow>('project', PROJECT_TABLE.columns);

const COUNT =
  'UPDATE account SET project_count = project_count + 1 WHERE id = $1 AND project_count < $2 RETURNING id';

const TABLE = { name: 'project', columns: PROJECT_COLUMNS } as const;

export const PROJECT_LIST = new KeysetList<ProjectItem>(TABLE, {
  where: ['account_id ='],
  part: 'id',
  count: '(SELECT project_count FROM account WHERE id = $1)',
});

export const PROJECT_LIST_BY_TITLE = listByTitle<ProjectItem>(TABLE, 'id');

export const PROJECT_LIST_BY_REFERENCE = listByReference<ProjectItem>(TABLE, 'id');

const projectUpdate = updateStatements(
  CHANGEABLE_COLUMNS,
  3,
  (assignments) =>
    `UPDATE project SET ${assignments} WHERE account_id = $1 AND id = $2 RETURNING ${PROJECT_COLUMNS}`,
);

// The tokens come last, because they have no index by project.
const FIND_USE = `SELECT 1 AS one FROM account WHERE id = $1 AND (default_project_id = $2
  OR EXISTS (SELECT 1 FROM app WHERE account_id = $1 AND project_id = $2)
  OR EXISTS (SELECT 1 FROM wallet WHERE account_id = $1 AND project_id = $2)
  OR EXISTS (SELECT 1 FROM token WHERE account_id = $1 AND project_id = $2 AND expire_time_ms > $3))`;

const DELETE_EXPIRED_TOKENS =
  'DELETE FROM token WHERE account_id = $1 AND project_id = $2 AND expire_time_ms <= $3';

const DELETE = 'DELETE FROM project WHERE account_id = $1 AND id = $2';

/** Adds a number of projects, which can be negative, to the count of an account. */
export const updateProjectCount = writeRow<Row, [accountId: Ulid, count: number]>(
  'UPDATE account SET project_count = project_count + $2 WHERE id = $1',
);

/** Inserts a project. Returns false if the account has `max` projects already. Creations of one account wait for each other. */
export async function insertProject(
  transaction: Queryable,
  project: NewProjectRow,
  max = Number.MAX_SAFE_INTEGER,
): Promise<boolean> {
  const counted = await transaction.write(COUNT, [project.account_id, max]);
  if (counted.length > 0) await insert(transaction, project);
  return counted.length > 0;
}

export const findProjects = selectByIds<ProjectItem>(TABLE);

export const findProjectByReference = readRow<ProjectItem, [accountId: Ulid, reference: string]>(
  `SELECT ${PROJECT_COLUMNS} FROM project WHERE account_id = $1 AND reference = $2`,
);

/** Returns a project of the account, which then can't be deleted before the transaction ends, or undefined. */
export const lockProject = readRow<Pick<ProjectItem, 'id'>, [accountId: Ulid, id: Ulid]>(
  'SELECT id FROM project WHERE account_id = $1 AND id = $2 FOR SHARE',
);

export const findAccountOfProject = findAccountOf('projects');

/** Returns a project of the account, which no one else then changes before the transaction ends, or undefined. */
export const findProjectToUpdate = readRow<ProjectItem, [accountId: Ulid, id: Ulid]>(
  `SELECT ${PROJECT_COLUMNS} FROM project WHERE account_id = $1 AND id = $2 FOR NO KEY UPDATE`,
);

/** Updates a project of the account and returns its new row, or undefined if the project does not exist. */
export async function updateProjectRow(
  database: Queryable,
  accountId: Ulid,
  id: Ulid,
  changes: ChangesOf<NewProjectRow, (typeof CHANGEABLE_COLUMNS)[number]>,
): Promise<ProjectItem | undefined> {
  const { sql, values } = projectUpdate(changes);
  const [row] = await database.write<ProjectItem>(sql, [accountId, id, ...values]);
  return row;
}

/** Returns a row if the project is the default one, or has apps, wallets, or tokens that are valid at `now`. */
export const findProjectUse = readRow<Row, [accountId: Ulid, id: Ulid, now: number]>(FIND_USE);

/**
 * Deletes a project that exists, and its expired tokens, and decrements the project count of its account.
 *
 * @throws an error for `isForeignKeyViolation` if the project has apps, wallets or valid tokens
 */
export async function deleteProjectRow(
  transaction: Queryable,
  accountId: Ulid,
  id: Ulid,
  now: number,
): Promise<void> {
  await transaction.write(DELETE_EXPIRED_TOKENS, [accountId, id, now]);
  await transaction.write(DELETE, [accountId, id]);
  await updateProjectCount(transaction, accountId, -1);
}
