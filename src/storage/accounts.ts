import type { AccountState } from '../model/account.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';

/** A row of the table `account`. */
export type AccountRow = {
  readonly id: Ulid;
  readonly title: string;
  readonly default_project_id: Ulid;
  readonly project_count: number;
  readonly state: AccountState;
  readonly create_time_ms: number;
};

const INSERT = `INSERT INTO account (id, title, default_project_id, project_count, create_time_ms)
VALUES ($1, $2, $3, 0, $4)`;

const COLUMNS = 'id, title, default_project_id, project_count, state, create_time_ms';

/** The table of the list of accounts. Its rows are `AccountRow`s. */
export const ACCOUNT_LIST = { name: 'account', columns: COLUMNS } as const;

const FIND = `SELECT ${COLUMNS} FROM account WHERE id = $1`;

const FIND_FIRST = `SELECT ${COLUMNS} FROM account ORDER BY id LIMIT 1`;

// The deletion of an account can't be undone.
const SET_STATE = `UPDATE account SET state = $2
WHERE id = $1 AND (state <> 'DELETING' OR $2 = 'DELETING') RETURNING ${COLUMNS}`;

/** Inserts an active account without projects. The caller inserts its default project in the same transaction. */
export async function insertAccount(
  transaction: Queryable,
  account: Omit<AccountRow, 'project_count' | 'state'>,
): Promise<void> {
  await transaction.write(INSERT, [
    account.id,
    account.title,
    account.default_project_id,
    account.create_time_ms,
  ]);
}

/** Returns the account with this id, or undefined if it does not exist. */
export async function findAccount(database: Queryable, id: Ulid): Promise<AccountRow | undefined> {
  const [row] = await database.read<AccountRow>(FIND, [id]);
  return row;
}

/** Sets the state of an account and returns its row, or undefined if it does not exist or is being deleted. */
export async function updateAccountState(
  database: Queryable,
  id: Ulid,
  state: AccountState,
): Promise<AccountRow | undefined> {
  const [row] = await database.write<AccountRow>(SET_STATE, [id, state]);
  return row;
}

/** Returns the oldest account, or undefined if the database has no accounts. */
export async function findFirstAccount(database: Queryable): Promise<AccountRow | undefined> {
  const [row] = await database.read<AccountRow>(FIND_FIRST);
  return row;
}
