import type { Database, Queryable, Row, Value } from './database.ts';
import { placeholders } from './select-by-ids.ts';
import { namesOf, noRows, TABLES, type Table, type TableCounts, valuesOf } from './tables.ts';

/** Thrown if the target has any row. The message is one line for the operator. */
export class TargetNotEmptyError extends Error {}

const BATCH_SIZE = 500;

const FIND_KEY = 'SELECT key FROM page_token_key WHERE id = 1';

const SET_KEY = `INSERT INTO page_token_key (id, key) VALUES (1, $1)
ON CONFLICT (id) DO UPDATE SET key = excluded.key`;

/**
 * Copies all rows of a database, except expired ones, into an empty database with the same schema version. The copy is
 * one transaction on each side: other processes can't write to the source during the copy, and a failed copy leaves the
 * target empty. At most one batch of rows is in memory at a time.
 *
 * @param now the current time, in Unix milliseconds
 * @returns the number of copied rows of each table
 * @throws TargetNotEmptyError if the target has any row
 */
export function copyDatabase(source: Database, target: Database, now: number): Promise<TableCounts> {
  return source.transaction((from) =>
    target.transaction(async (to) => {
      for (const table of TABLES) await assertEmpty(to, table);
      const result = noRows();
      for (const table of TABLES) {
        for await (const rows of batches(from, table, now)) {
          await insert(to, table, rows);
          result[table.name] += rows.length;
        }
      }
      const [key] = await from.read<{ key: string }>(FIND_KEY);
      if (key !== undefined) await to.write(SET_KEY, [key.key]);
      return result;
    }),
  );
}

async function assertEmpty(target: Queryable, { name }: Table): Promise<void> {
  const rows = await target.read(`SELECT 1 AS one FROM ${name} LIMIT 1`);
  if (rows.length > 0) throw new TargetNotEmptyError(`The target is not empty: its table ${name} has rows.`);
}

/** Reads the rows of a table in batches, by keyset pagination on its primary key. */
async function* batches(source: Queryable, { name, columns, key }: Table, now: number) {
  const expires = namesOf(columns).includes('expire_time_ms');
  const isLive = expires ? '(expire_time_ms IS NULL OR expire_time_ms > $1)' : 'CAST($1 AS BIGINT) > 0';
  const select = `SELECT ${columns} FROM ${name}
WHERE ${isLive} AND (${key.join(', ')}) > (${placeholders(key, 2)}) ORDER BY ${key.join(', ')} LIMIT ${BATCH_SIZE}`;
  let lastKey: readonly Value[] = key.map(() => '');
  for (;;) {
    const rows = await source.read(select, [now, ...lastKey]);
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    yield rows;
    lastKey = valuesOf(lastRow, key);
  }
}

async function insert(target: Queryable, { name, columns }: Table, rows: readonly Row[]): Promise<void> {
  const names = namesOf(columns);
  const tuples = rows.map((_, row) => `(${placeholders(names, row * names.length + 1)})`);
  await target.write(
    `INSERT INTO ${name} (${columns}) VALUES ${tuples.join(', ')}`,
    rows.flatMap((row) => valuesOf(row, names)),
  );
}
