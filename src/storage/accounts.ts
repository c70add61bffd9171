import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';

/** A row of the table `account`. */
export type AccountRow = {
  readonly id: Ulid;
  readonly title: string;
  readonly default_project_id: Ulid;
  readonly project_count: number;
  readonly create_time_ms: number;
};

const INSERT = `INSERT INTO account (id, title, default_project_id, project_count, create_time_ms)
VALUES ($1, $2, $3, 0, $4)`;

const COLUMNS = 'id, title, default_project_id, project_count, create_time_ms';

const FIND = `SELECT ${COLUMNS} FROM account WHERE id = $1`;

const FIND_FIRST = `SELECT ${COLUMNS} FROM account ORDER BY id LIMIT 1`;

/** Inserts an account without projects. The caller inserts its default project in the same transaction. */
export async function insertAccount(
  transaction: Queryable,
  account: Omit<AccountRow, 'project_count'>,
): Promise<void> {
  await transaction.query(INSERT, [
    account.id,
    account.title,
    account.default_project_id,
    account.create_time_ms,
  ]);
}

/** Returns the account with this id, or undefined if it does not exist. */
export async function findAccount(database: Queryable, id: Ulid): Promise<AccountRow | undefined> {
  const [row] = await database.query<AccountRow>(FIND, [id]);
  return row;
}

/** Returns the oldest account, or undefined if the database has no accounts. */
export async function findFirstAccount(database: Queryable): Promise<AccountRow | undefined> {
  const [row] = await database.query<AccountRow>(FIND_FIRST);
  return row;
}
