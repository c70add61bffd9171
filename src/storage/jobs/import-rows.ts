import { collectionOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Queryable, Row } from '../interface/database.ts';
import { prefixedId } from '../sql/columns.ts';
import { TABLES } from '../tables/tables.ts';
import { placeholders } from '../work/change.ts';
import { insertRows } from './bulk-rows.ts';

type ImportedName = ResourceName<'projects' | 'wallets'>;

// SQLite searches each numbered parameter of a statement among those before it.
const BATCH_SIZE = 50;

export function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH_SIZE) yield items.slice(start, start + BATCH_SIZE);
}

/** Returns the accounts of those projects and wallets that exist, by their names. */
export async function findOwners(
  database: Pick<Queryable, 'read'>,
  names: readonly ImportedName[],
): Promise<ReadonlyMap<ImportedName, Ulid>> {
  const owners = new Map<ImportedName, Ulid>();
  for (const collection of ['projects', 'wallets'] as const) {
    const table = collection.slice(0, -1);
    const name = prefixedId(`${collection}/`);
    for (const batch of batches(names.filter((each) => collectionOf(each) === collection))) {
      const rows = await database.read<{ readonly account_id: Ulid; readonly name: ImportedName }>(
        `SELECT account_id, ${name} AS name FROM ${table} WHERE ${name} IN (${placeholders(batch, 1)})`,
        batch,
      );
      for (const row of rows) owners.set(row.name, row.account_id);
    }
  }
  return owners;
}

/** Inserts rows by statements of a size that SQLite executes fast. */
export async function insertBatches(
  transaction: Queryable,
  name: 'project' | 'wallet' | 'audit_event',
  rows: readonly Row[],
): Promise<void> {
  const table = TABLES.find((each) => each.name === name) ?? TABLES[0];
  for (const batch of batches(rows)) {
    await insertRows(transaction, table, batch);
  }
}
