import { resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Database, Queryable, Row } from '../port/database.ts';
import type { OnProgress } from '../port/progress.ts';
import { noRows, TABLES, type TableCounts } from '../sql/columns.ts';
import { insertRows, readRows, rowMeter } from './bulk-rows.ts';
import { batches, findOwners } from './import-rows.ts';

/** Thrown if the target has rows in the way, or the source has no whole account. The message is one line for the operator. */
export class CopyError extends Error {}

type CopiedTable = (typeof TABLES)[number];

const FIND_KEY = 'SELECT key FROM page_token_key WHERE id = 1';

const SET_KEY = `INSERT INTO page_token_key (id, key) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET key = excluded.key`;

/**
 * Copies all rows of a database into an empty database with the same schema version. The copy is one transaction on each
 * side: other processes can't write to the source during the copy, and a failed copy leaves the target empty. At most one
 * batch of rows is in memory at a time.
 *
 * @throws CopyError if the target has any row
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
        if (row) throw new CopyError(`The target is not empty: its table ${name} has rows.`);
      }
      const counts = await copyRows({ from, onCopied }, (table, rows) => insertRows(to, table, rows));
      const [key] = await from.read<{ key: string }>(FIND_KEY);
      if (key !== undefined) await to.write(SET_KEY, [key.key]);
      return counts;
    });
  });
}

/**
 * Copies all rows of an account into a database in which it does not exist, with the same schema version, in one
 * transaction. Audit events that were kept at the deletion of the account stay, also beside those of the source.
 *
 * @throws CopyError if the target has another row of the account, or its projects or wallets in another account
 */
export async function copyAccount(
  source: Pick<Queryable, 'read'>,
  target: Pick<Database, 'transaction'>,
  accountId: Ulid,
  onProgress?: OnProgress,
): Promise<TableCounts> {
  const onCopied = await rowMeter(source, { accountId, onProgress });
  return target.transaction((to) =>
    copyRows({ from: source, accountId, onCopied }, async (table, rows) => {
      await assertNoOwner(to, table, rows);
      // Each unique key has the account, so that only rows of this account are in the way.
      const suffix = `ON CONFLICT DO NOTHING RETURNING ${table.key[0]}`;
      for (const batch of batches(rows)) {
        const { length } = await insertRows(to, table, batch, suffix);
        if (length < batch.length && table.name !== 'audit_event') {
          throw new CopyError(
            `accounts/${accountId} exists: the table ${table.name} has a row of it. Nothing was changed.`,
          );
        }
      }
    }),
  );
}

/** Copies the rows of all accounts or of one, in batches that `insert` inserts. Returns their numbers. */
async function copyRows(
  {
    from,
    accountId,
    onCopied,
  }: { from: Pick<Queryable, 'read'>; accountId?: Ulid; onCopied: (rows: number) => void },
  insert: (table: CopiedTable, rows: readonly Row[]) => Promise<unknown>,
): Promise<TableCounts> {
  const counts = noRows();
  for (const table of TABLES) {
    for await (const rows of readRows(from, table, accountId)) {
      await insert(table, rows);
      counts[table.name] += rows.length;
      onCopied(rows.length);
    }
  }
  return counts;
}

/** Checks that no row has the name of one that exists: an import creates projects and wallets of another account again. */
async function assertNoOwner(to: Queryable, { name }: CopiedTable, rows: readonly Row[]): Promise<void> {
  if (name !== 'project' && name !== 'wallet') return;
  const names = rows.map(({ id }) => resourceName(`${name}s` as const, id as Ulid));
  for (const [resource, owner] of await findOwners(to, names)) {
    throw new CopyError(`${resource} exists in accounts/${owner}. Nothing was changed.`);
  }
}
