import type { Ulid } from '../model/resource-name.ts';
import type { Database } from './database.ts';

/** The tables with rows of an account, and the other columns of their keys. A table comes before those it refers to. */
const TABLES = {
  token: ['namespace', 'key'],
  sign_in_failure: ['app_id', 'credential_id', 'address'],
  idempotency_key: ['principal_id', 'key_hash'],
  wallet: ['id'],
  app: ['id'],
  project: ['id'],
} as const;

/** The number of deleted rows of each table. */
export type DeletedRows = Readonly<Record<keyof typeof TABLES, number>>;

// Limits how long one statement locks out other writes.
const BATCH_SIZE = 1000;

// Requests that were running when their account was suspended may have added rows to these.
const DELETE_LATE_ROWS = ['token', 'sign_in_failure', 'idempotency_key'].map(
  (table) => `DELETE FROM ${table} WHERE account_id = $1`,
);

const DELETE_ACCOUNT = 'DELETE FROM account WHERE id = $1';

/**
 * Deletes all rows of an account, in batches, and then the account itself. After an interruption, a second call deletes
 * the rest.
 *
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function deleteAccountRows(
  database: Pick<Database, 'query' | 'transaction'>,
  accountId: Ulid,
): Promise<DeletedRows> {
  const deleted = { token: 0, sign_in_failure: 0, idempotency_key: 0, wallet: 0, app: 0, project: 0 };
  for (const table of Object.keys(TABLES) as (keyof typeof TABLES)[]) {
    for (let length = BATCH_SIZE; length === BATCH_SIZE; ) {
      ({ length } = await database.query(deleteBatch(table, TABLES[table]), [accountId, BATCH_SIZE]));
      deleted[table] += length;
    }
  }
  await database.transaction(async (transaction) => {
    for (const sql of DELETE_LATE_ROWS) await transaction.query(sql, [accountId]);
    await transaction.query(DELETE_ACCOUNT, [accountId]);
  });
  return deleted;
}

function deleteBatch(table: string, columns: readonly string[]): string {
  const key = columns.join(', ');
  return `DELETE FROM ${table} WHERE account_id = $1 AND (${key}) IN
  (SELECT ${key} FROM ${table} WHERE account_id = $1 LIMIT $2) RETURNING account_id`;
}
