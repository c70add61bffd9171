import type { Database } from '../port/database.ts';
import type { OnProgress } from '../port/progress.ts';
import { noRows, TABLES, type TableCounts } from '../sql/columns.ts';
import { insertRows, readRows, rowMeter } from './bulk-rows.ts';

/** Thrown if the target has any row. The message is one line for the operator. */
class TargetNotEmptyError extends Error {}

const FIND_KEY = 'SELECT key FROM page_token_key WHERE id = 1';

const SET_KEY = `INSERT INTO page_token_key (id, key) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET key = excluded.key`;

/**
 * Copies all rows of a database into an empty database with the same schema version. The copy is one transaction on each
 * side: other processes can't write to the source during the copy, and a failed copy leaves the target empty. At most one
 * batch of rows is in memory at a time.
 *
 * @throws TargetNotEmptyError if the target has any row
 */
export function copyDatabase(
  source: Database,
  target: Database,
  onProgress?: OnProgress,
): Promise<TableCounts> {
  return source.transaction(async (from) => {
    // Before the transaction of the target, which a pooler ends if it waits.
    const onCopied = await rowMeter(from, { onProgress });
    return target.transaction(async (to) => {
      for (const { name } of TABLES) {
        const [row] = await to.read(`SELECT 1 AS one FROM ${name} LIMIT 1`);
        if (row) throw new TargetNotEmptyError(`The target is not empty: its table ${name} has rows.`);
      }
      const result = noRows();
      for (const table of TABLES) {
        for await (const rows of readRows(from, table)) {
          await insertRows(to, table, rows);
          result[table.name] += rows.length;
          onCopied(rows.length);
        }
      }
      const [key] = await from.read<{ key: string }>(FIND_KEY);
      if (key !== undefined) await to.write(SET_KEY, [key.key]);
      return result;
    });
  });
}
