import { setTimeout as delay } from 'node:timers/promises';
import { collectionOf, type ResourceName, type Ulid } from '../../model/resource-name.ts';
import type { Database, Queryable, Row, Value } from '../interface/database.ts';
import { DatabaseError } from '../interface/database-error.ts';
import { columnNames, prefixedId, type Table, valuesOf } from '../sql/columns.ts';
import { batches } from '../sql/row-statements.ts';
import { noRows, TABLES, type TableCounts } from '../tables/tables.ts';
import { placeholders } from '../work/change.ts';
import { meterOf, type OnProgress } from '../work/progress.ts';

const READ_BATCH_SIZE = 500;

// Limits how long one statement locks out other writes.
const DELETE_BATCH_SIZE = 1000;

// SQLite writes them, each with its event, in about 10 ms.
const WRITE_BATCH_SIZE = 500;

// SQLite searches each numbered parameter of a statement among those before it.
const STATEMENT_SIZE = 50;

type ImportedName = ResourceName<'projects' | 'wallets'>;

/** Returns the number of rows of each table, of all accounts or of one. */
export async function countRows(database: Pick<Queryable, 'read'>, accountId?: Ulid): Promise<TableCounts> {
  const counts = TABLES.map(({ name, key }) => {
    const where = accountId === undefined ? '' : `WHERE ${key[0]} = $1`;
    return `(SELECT COUNT(*) FROM ${name} ${where}) AS ${name}`;
  });
  const values = accountId === undefined ? [] : [accountId];
  const [row] = await database.read<TableCounts>(`SELECT ${counts.join(', ')}`, values);
  return row ?? noRows();
}

/** Returns the number of rows of a table; undefined if the database does not count them within the time of a statement. */
export async function countTable(
  database: Pick<Queryable, 'read'>,
  name: string,
): Promise<number | undefined> {
  const sql = `SELECT COUNT(*) AS count FROM ${name}`;
  const [row] = await database.read<{ count: number }>(sql).catch((error: unknown) => {
    if (error instanceof DatabaseError && error.outage === 'overload') return [];
    throw error;
  });
  return row?.count;
}

/**
 * Runs a transaction for each batch of items, one after the other. Others can write for as long as each took, because SQLite
 * lets one process write at a time.
 */
export async function forEachBatch<T>(
  database: Pick<Database, 'transaction'>,
  items: readonly T[],
  work: (transaction: Queryable, batch: readonly T[]) => Promise<void>,
): Promise<void> {
  for (const batch of batches(items, WRITE_BATCH_SIZE)) {
    const startMs = performance.now();
    await database.transaction((transaction) => work(transaction, batch));
    if (batch.length === WRITE_BATCH_SIZE) await delay(performance.now() - startMs);
  }
}

type Counted = {
  readonly accountId?: Ulid;
  /** The tables whose rows do not count. */
  readonly without?: readonly (keyof TableCounts)[];
  readonly onProgress: OnProgress | undefined;
};

/**
 * Counts the rows of a long work, and returns a function that adds to the completed ones. It does nothing if no one wants
 * to know, or if the database does not count them within the time of a statement.
 */
export async function rowMeter(
  database: Pick<Queryable, 'read'>,
  { accountId, without = [], onProgress }: Counted,
): Promise<(rows: number) => void> {
  const counts = onProgress && (await countRows(database, accountId).catch(() => undefined));
  if (!counts) return () => {};
  const whole = TABLES.reduce((sum, { name }) => sum + (without.includes(name) ? 0 : counts[name]), 0);
  return meterOf(onProgress, whole);
}

/**
 * Reads the rows of a table, of all accounts or of one, in batches. A row comes after those it refers to, in the order of the
 * primary key.
 */
export async function* readRows(
  database: Pick<Queryable, 'read'>,
  table: Table,
  accountId?: Ulid,
): AsyncGenerator<readonly Row[]> {
  const parts = table.first === undefined ? [[]] : [[table.first], [`NOT (${table.first})`]];
  for (const part of parts) yield* readPart(database, table, accountId, part);
}

/** Reads rows by keyset pagination on the primary key. */
async function* readPart(
  database: Pick<Queryable, 'read'>,
  { name, columns, key }: Table,
  accountId: Ulid | undefined,
  part: readonly string[],
): AsyncGenerator<readonly Row[]> {
  const account = accountId === undefined ? [] : [accountId];
  // An account itself has no other column.
  const rest = key.slice(account.length);
  const select = (isFirst: boolean) => {
    const conditions = [
      ...part,
      ...account.map(() => `${key[0]} = $1`),
      ...(isFirst || rest.length === 0
        ? []
        : [`(${rest.join(', ')}) > (${placeholders(rest, account.length + 1)})`]),
    ];
    const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : '';
    return `SELECT ${columns} FROM ${name} ${where} ORDER BY ${key.join(', ')} LIMIT ${READ_BATCH_SIZE}`;
  };
  let [sql, lastKey]: [string, readonly Value[]] = [select(true), []];
  for (let isFull = true; isFull; ) {
    const rows = await database.read(sql, [...account, ...lastKey]);
    const lastRow = rows.at(-1);
    if (lastRow === undefined) return;
    yield rows;
    isFull = rows.length === READ_BATCH_SIZE;
    [sql, lastKey] = [select(false), valuesOf(lastRow, rest)];
  }
}

/** Splits a list of rows or values into parts for a statement each, of a size that SQLite executes fast. */
export function forStatements<T>(items: Iterable<T>): readonly (readonly T[])[] {
  return batches([...items], STATEMENT_SIZE);
}

const COLUMNS = new Map(TABLES.map(({ name, columns }) => [name, columns]));

/** Inserts rows of a table in a transaction. @param suffix the end of each statement, which can return rows */
export async function insertRows<R extends Row>(
  transaction: Queryable,
  table: keyof TableCounts,
  rows: readonly Row[],
  suffix = '',
): Promise<readonly R[]> {
  const columns = COLUMNS.get(table) ?? '';
  const names = columnNames(columns);
  const insertionOf = (length: number) => {
    const tuples = Array.from({ length }, (_, row) => `(${placeholders(names, row * names.length + 1)})`);
    return `INSERT INTO ${table} (${columns}) VALUES ${tuples.join(', ')} ${suffix}`;
  };
  const inserted: R[] = [];
  const insertion = insertionOf(STATEMENT_SIZE);
  // One after the other, so none is executed after one that failed.
  for (const part of forStatements(rows)) {
    const sql = part.length === STATEMENT_SIZE ? insertion : insertionOf(part.length);
    const values = part.flatMap((row) => valuesOf(row, names));
    inserted.push(...(await transaction.write<R>(sql, values)));
  }
  return inserted;
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
    for (const batch of forStatements(names.filter((each) => collectionOf(each) === collection))) {
      const rows = await database.read<{ readonly account_id: Ulid; readonly name: ImportedName }>(
        `SELECT account_id, ${name} AS name FROM ${table} WHERE ${name} IN (${placeholders(batch, 1)})`,
        batch,
      );
      for (const row of rows) owners.set(row.name, row.account_id);
    }
  }
  return owners;
}

/** Returns which of some references the projects, or the wallets, of an account have. */
export async function findReferences(
  database: Pick<Queryable, 'read'>,
  table: 'project' | 'wallet',
  accountId: Ulid,
  references: readonly string[],
): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const batch of forStatements(references)) {
    const rows = await database.read<{ readonly reference: string }>(
      `SELECT reference FROM ${table} WHERE account_id = $1 AND reference IN (${placeholders(batch, 2)})`,
      [accountId, ...batch],
    );
    for (const { reference } of rows) found.add(reference);
  }
  return found;
}

/**
 * Deletes all rows of an account, in batches, and then the account itself. After an interruption, a second call deletes
 * the rest.
 *
 * @returns the number of deleted rows of each table, without the account itself
 */
export async function deleteAccountRows(
  database: Pick<Database, 'read' | 'transaction'>,
  accountId: Ulid,
  {
    kept,
    onProgress,
  }: { readonly kept?: 'audit_event' | undefined; readonly onProgress?: OnProgress | undefined } = {},
): Promise<TableCounts> {
  const without = ['account' as const, ...(kept ? [kept] : [])];
  const onDeleted = await rowMeter(database, { accountId, without, onProgress });
  const deleted = noRows();
  const tables = TABLES.filter(({ name }) => name !== kept).toReversed();
  for (const table of tables.slice(0, -1)) {
    for (let count = DELETE_BATCH_SIZE; count === DELETE_BATCH_SIZE; ) {
      count = await database.transaction((transaction) => deleteBatch(transaction, table, accountId));
      deleted[table.name] += count;
      onDeleted(count);
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

/**
 * Deletes the newest rows of an account, which take no older ones with them, and returns their number. They are read
 * before, because SQLite does not return the rows that a row takes with it.
 */
async function deleteBatch(transaction: Queryable, { name, key }: Table, accountId: Ulid): Promise<number> {
  const columns = key.join(', ');
  const newest = `SELECT ${columns} FROM ${name} WHERE ${key[0]} = $1
ORDER BY ${key.map((column) => `${column} DESC`).join(', ')} LIMIT ${DELETE_BATCH_SIZE}`;
  const { length } = await transaction.read(newest, [accountId]);
  await transaction.write(`DELETE FROM ${name} WHERE ${key[0]} = $1 AND (${columns}) IN (${newest})`, [
    accountId,
  ]);
  return length;
}
