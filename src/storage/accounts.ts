import type { AccountState } from '../model/account.ts';
import type { Ulid } from '../model/resource-name.ts';
import type { Queryable } from './database.ts';
import { List } from './list.ts';
import { insertInto } from './row-statements.ts';
import { ACCOUNT, type RowOf } from './tables.ts';

/** A row of the table `account`. */
export type AccountRow = RowOf<typeof ACCOUNT>;

/** The list of all accounts. */
export const ACCOUNTS = new List<AccountRow>({ name: 'account', columns: ACCOUNT }, { where: [] });

const FIND = `SELECT ${ACCOUNT} FROM account WHERE id = $1`;

const FIND_FIRST = `SELECT ${ACCOUNT} FROM account ORDER BY id LIMIT 1`;

// The deletion of an account can't be undone.
const SET_STATE = `UPDATE account SET state = $2
WHERE id = $1 AND (state <> 'DELETING' OR $2 = 'DELETING') RETURNING ${ACCOUNT}`;

/** Inserts an account. The caller inserts its default project in the same transaction. */
export const insertAccount = insertInto('account', ACCOUNT);

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
