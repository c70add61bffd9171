import type { Ulid } from '../model/resource-name.ts';
import type { Database } from './database.ts';

/** The tables with rows of an account, and the other columns of their keys. A table comes before those it refers to. */
const TABLES = {
  token: ['id'],
  idempotency_key: ['principal_id', 'key_hash'],
  audit_event: ['id'],
  wallet: ['id'],
  app: ['id'],
  project: ['id'],
} as const;

type TableName = keyof typeof TABLES;

/** The number of deleted rows of each table. */
export type DeletedRows = Readonly<Record<TableName, number>>;

// Limits how long one statement locks out other writes.
const BATCH_SIZE = 1000;

// Requests that were running when their account was suspended may have added rows to these.
const LATE_TABLES: readonly TableName[] = ['token', 'idempotency_key', 'audit_event'];

const DELETE_ACCOUNT = 'DELETE FROM account WHERE id = $1';

/**
 * Deletes all rows of an account, in batches, and then the account itself. After an interruption, a second call deletes
 * the rest.
 *
 * @param kept a table whose rows are kept
 * @throws UNAVAILABLE if the database is unavailable
 */
export async function deleteAccountRows(
  database: Pick<Database, 'read' | 'write' | 'transaction'>,
  accountId: Ulid,
  kept?: 'audit_event',
): Promise<DeletedRows> {
  const deleted = {
    token: 0,
    idempotency_key: 0,
    audit_event: 0,
    wallet: 0,
    app: 0,
    project: 0,
  };
  for (const table of Object.keys(TABLES) as TableName[]) {
    if (table === kept) continue;
    for (let length = BATCH_SIZE; length === BATCH_SIZE; ) {
      ({ length } = await database.write(deleteBatch(table, TABLES[table]), [accountId, BATCH_SIZE]));
      deleted[table] += length;
    }
  }
  await database.transaction(async (transaction) => {
    for (const table of LATE_TABLES) {
      if (table !== kept) await transaction.write(`DELETE FROM ${table} WHERE account_id = $1`, [accountId]);
    }
    await transaction.write(DELETE_ACCOUNT, [accountId]);
  });
  return deleted;
}

function deleteBatch(table: string, columns: readonly string[]): string {
  const key = columns.join(', ');
  return `DELETE FROM ${table} WHERE account_id = $1 AND (${key}) IN
  (SELECT ${key} FROM ${table} WHERE account_id = $1 LIMIT $2) RETURNING account_id`;
}
