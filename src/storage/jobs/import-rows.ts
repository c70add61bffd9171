import type { ResourceName, Ulid } from '../../model/resource-name.ts';
import type { Queryable, Row } from '../database.ts';
import { prefixedId, TABLES } from '../sql/columns.ts';
import { placeholders } from '../sql/row-statements.ts';
import { insertRows } from './bulk-rows.ts';

// SQLite searches each numbered parameter of a statement among those before it.
const BATCH_SIZE = 50;

export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}

/** Returns the accounts of the resources of one table that exist, by their ids. @param names a batch at most */
export async function findOwners(
  database: Queryable,
  table: 'project' | 'wallet',
  names: readonly ResourceName[],
): Promise<ReadonlyMap<Ulid, Ulid>> {
  const rows = await database.read<{ readonly account_id: Ulid; readonly id: Ulid }>(
    `SELECT account_id, id FROM ${table} WHERE ${prefixedId(`${table}s/`)} IN (${placeholders(names, 1)})`,
    names,
  );
  return new Map(rows.map(({ account_id: accountId, id }) => [id, accountId]));
}

/** Inserts rows in batches. @param onInserted is called after each batch with the number of the rows so far */
export async function insertBatches(
  transaction: Queryable,
  name: 'project' | 'wallet' | 'audit_event',
  rows: readonly Row[],
  onInserted: (count: number) => void = () => {},
): Promise<void> {
  const table = TABLES.find((each) => each.name === name) ?? TABLES[0];
  let count = 0;
  for (const batch of batches(rows)) {
    await insertRows(transaction, table, batch);
    count += batch.length;
    onInserted(count);
  }
}
