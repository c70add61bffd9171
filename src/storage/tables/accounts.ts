import type { AccountState } from '../../model/account.ts';
import type { Ulid } from '../../model/resource-name.ts';
import type { Statement } from '../interface/database.ts';
import { KeysetList } from '../sql/keyset-list.ts';
import { insertInto, readRow, writeRow } from '../sql/row-statements.ts';

export type AccountRow = {
  readonly id: Ulid;
  readonly title: string;
  readonly default_project_id: Ulid;
  readonly project_count: number;
  readonly app_count: number;
  readonly state: AccountState;
  readonly create_time_ms: number;
};

const ACCOUNT_COLUMNS = 'id, title, default_project_id, project_count, app_count, state, create_time_ms';

export const ACCOUNT_TABLE = { name: 'account', columns: ACCOUNT_COLUMNS, key: ['id'] } as const;

export const ACCOUNT_LIST = new KeysetList<AccountRow>(ACCOUNT_TABLE, { where: [] });

const LOCK = 'SELECT id FROM account WHERE id = $1 FOR NO KEY UPDATE';

/** Inserts an account. The caller inserts its default project in the same transaction. */
export const insertAccount = insertInto<AccountRow>('account', ACCOUNT_COLUMNS);

export const findAccount = readRow<AccountRow, [id: Ulid]>(
  `SELECT ${ACCOUNT_COLUMNS} FROM account WHERE id = $1`,
);

export const findFirstAccount = readRow<AccountRow, []>(
  `SELECT ${ACCOUNT_COLUMNS} FROM account ORDER BY id LIMIT 1`,
);

/** Sets the state of an account and returns its row. The deletion of an account can't be undone, and its restoration
 * only be completed or undone. */
export const updateAccountState = writeRow<AccountRow, [id: Ulid, state: AccountState]>(
  `UPDATE account SET state = $2
WHERE id = $1 AND (state IN ('ACTIVE', 'SUSPENDED') OR $2 = 'DELETING') RETURNING ${ACCOUNT_COLUMNS}`,
);

/** Returns the statement that makes the transactions of an account that begin with it wait for each other. */
export function lockAccountStatement(id: Ulid): Statement {
  return { sql: LOCK, params: [id] };
}
