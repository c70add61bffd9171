import type { Ulid } from '../model/resource-name.ts';
import type { Database } from './database.ts';
import { noRows, TABLES, type Table, type TableCounts } from './tables.ts';

// Limits how long one statement locks out other writes.
const BATCH_SIZE = 1000;

/**
 * Deletes all rows of an account, in batches, and then the account itself. After an interruption, a second call deletes
 * the rest.
 *
 * @param kept a table whose rows are kept
 * @returns the number of deleted rows of each table, without the account itself
 */
export async function deleteAccountRows(
  database: Pick<Database, 'write' | 'transaction'>,
  accountId: Ulid,
  kept?: 'audit_event',
): Promise<TableCounts> {
  const deleted = noRows();
  const tables = TABLES.filter(({ name }) => name !== kept).toReversed();
  for (const table of tables.slice(0, -1)) {
    for (let length = BATCH_SIZE; length === BATCH_SIZE; ) {
      ({ length } = await database.write(deleteBatch(table), [accountId, BATCH_SIZE]));
      deleted[table.name] += length;
    }
  }
  await database.transaction(async (transaction) => {
    // Requests that were running when their account was suspended may have added rows.
    for (const { name, key } of tables) {
      await transaction.write(`DELETE FROM ${name} WHERE ${key[0]} = $1`, [accountId]);
    }
  });
  return deleted;
}

function deleteBatch({ name, key }: Table): string {
  const columns = key.join(', ');
  return `DELETE FROM ${name} WHERE ${key[0]} = $1 AND (${columns}) IN
  (SELECT ${columns} FROM ${name} WHERE ${key[0]} = $1 LIMIT $2) RETURNING ${key[0]}`;
}
