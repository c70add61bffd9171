import { randomInt } from 'node:crypto';
import { resourceName, type Ulid } from '../../model/resource-name.ts';
import type { Database, Queryable, Row } from '../interface/database.ts';
import { type AccountRow, findAccount } from '../tables/accounts.ts';
import { noRows, TABLES, type TableCounts } from '../tables/tables.ts';
import type { OnProgress } from '../work/progress.ts';
import { deleteAccountRows, findOwners, forEachBatch, insertRows, readRows, rowMeter } from './bulk-rows.ts';
import { assertValid } from './row-values.ts';

type CopiedTable = (typeof TABLES)[number];

// While an account is `RESTORING`, its `app_count` is the mark of the run that restores it.
const LOCK_RESTORATION = `SELECT id FROM account WHERE id = $1 AND state = 'RESTORING'
  AND app_count = $2 FOR NO KEY UPDATE`;

const END_RESTORATION = `UPDATE account SET state = $3, app_count = $4
WHERE id = $1 AND state = 'RESTORING' AND app_count = $2 RETURNING id`;

const MAX_MARK = 2 ** 40;

/**
 * Copies all rows of a database into an empty database with the same schema version. The copy is one transaction on each
 * side: other processes can't write to the source during the copy, and a failed copy leaves the target empty. At most one
 * batch of rows is in memory at a time.
 *
 * @throws Error if the target has any row, or the source has values that the gateway can't have written
 */
export async function copyDatabase(
  source: Database,
  target: Database,
  onProgress?: OnProgress,
): Promise<TableCounts> {
  await assertValid(source, 'The source');
  return source.transaction(async (from) => {
    // Before the transaction of the target, which a pooler ends if it waits.
    const onCopied = await rowMeter(from, { onProgress });
    return target.transaction(async (to) => {
      for (const { name } of TABLES) {
        const [row] = await to.read(`SELECT 1 AS one FROM ${name} LIMIT 1`);
        if (row) throw new Error(`The target is not empty: its table ${name} has rows.`);
      }
      return copyRows({ from, onCopied }, (table, rows) => insertRows(to, table.name, rows));
    });
  });
}

export type RestoreOptions = {
  /** Whether wallets can get the addresses that were left. Since the backup, one may have got them. */
  readonly withAddresses: boolean;
  readonly onProgress?: OnProgress | undefined;
};

/**
 * Copies all rows of an account into a database without it that has the same schema version, in batches.
 * Until the last one, the account is `RESTORING`; a second call begins anew. Audit events that were kept at the deletion
 * of the account stay, in addition to the rows of the source.
 *
 * @param account its row in the source
 * @throws Error if the target has a different row of the account, or its projects or wallets in other accounts; nothing
 *   is changed
 */
export async function copyAccount(
  source: Pick<Queryable, 'read'>,
  target: Pick<Database, 'read' | 'transaction'>,
  { id: accountId, state, app_count }: AccountRow,
  { withAddresses, onProgress }: RestoreOptions,
): Promise<TableCounts> {
  const found = await findAccount(target, accountId);
  if (found === undefined || found.state === 'RESTORING') {
    await assertNothingInTheWay(source, target, accountId, found === undefined);
  } else throw accountExists(accountId, 'account');
  if (found !== undefined) await deleteAccountRows(target, accountId, { kept: 'audit_event' });

  const without = withAddresses ? [] : ['address' as const];
  const onCopied = await rowMeter(source, { accountId, without, onProgress });
  const mark = randomInt(MAX_MARK);
  const changes: Readonly<Partial<Record<CopiedTable['name'], Row>>> = {
    account: { state: 'RESTORING', app_count: mark },
    ...(!withAddresses && { address_pool: { address_count: 0, last_id: '' } }),
  };
  const counts = await copyRows({ from: source, accountId, without, onCopied }, (table, rows) => {
    // The account is the argument, not the one in the source.
    const own = rows.map((row) => ({ ...row, ...changes[table.name], [table.key[0]]: accountId }));
    return forEachBatch(target, own, async (to, batch) => {
      const isOther =
        table.name !== 'account' && (await to.read(LOCK_RESTORATION, [accountId, mark])).length === 0;
      if (isOther) throw otherRestoration(accountId);
      await insertMissing(to, table, batch, accountId);
    });
  });
  const params = [accountId, mark, state, app_count];
  const ended = await target.transaction((to) => to.write(END_RESTORATION, params));
  if (ended.length === 0) throw otherRestoration(accountId);
  return counts;
}

/** Inserts rows of an account, and fails if one exists that is not an event. */
async function insertMissing(
  to: Queryable,
  table: CopiedTable,
  rows: readonly Row[],
  accountId: Ulid,
): Promise<void> {
  await assertNoOwner(to, table, rows);
  // Each unique key has the account, so only rows of this account are in the way.
  const suffix = `ON CONFLICT DO NOTHING RETURNING ${table.key[0]}`;
  const { length } = await insertRows(to, table.name, rows, suffix);
  if (length < rows.length && table.name !== 'audit_event') throw accountExists(accountId, table.name);
}

/** @throws Error if the target has rows of an account, or its projects or wallets in other accounts */
async function assertNothingInTheWay(
  source: Pick<Queryable, 'read'>,
  target: Pick<Queryable, 'read'>,
  accountId: Ulid,
  isNew: boolean,
): Promise<void> {
  for (const table of TABLES) {
    if (isNew && table.name !== 'audit_event') {
      const sql = `SELECT 1 AS one FROM ${table.name} WHERE ${table.key[0]} = $1 LIMIT 1`;
      if ((await target.read(sql, [accountId])).length > 0) throw accountExists(accountId, table.name);
    }
    if (!hasNames(table)) continue;
    for await (const rows of readRows(source, table, accountId))
      await assertNoOwner(target, table, rows, accountId);
  }
}

function otherRestoration(accountId: Ulid): Error {
  return new Error(
    `Another command restores or deletes accounts/${accountId}. Run this command again after that.`,
  );
}

function accountExists(accountId: Ulid, table: string): Error {
  return new Error(`accounts/${accountId} exists: the table ${table} has a row of it. Nothing was changed.`);
}

/** Copies the rows of all accounts or of one, in batches that `insert` inserts. Returns their numbers. */
async function copyRows(
  {
    from,
    accountId,
    without = [],
    onCopied,
  }: {
    from: Pick<Queryable, 'read'>;
    accountId?: Ulid;
    without?: readonly CopiedTable['name'][];
    onCopied: (rows: number) => void;
  },
  insert: (table: CopiedTable, rows: readonly Row[]) => Promise<unknown>,
): Promise<TableCounts> {
  const counts = noRows();
  for (const table of TABLES.filter(({ name }) => !without.includes(name))) {
    for await (const rows of readRows(from, table, accountId)) {
      await insert(table, rows);
      counts[table.name] += rows.length;
      onCopied(rows.length);
    }
  }
  return counts;
}

function hasNames({ name }: CopiedTable): boolean {
  return name === 'project' || name === 'wallet';
}

/** Checks that no row has the name of one that exists: an import recreates projects and wallets of other accounts. */
async function assertNoOwner(
  to: Pick<Queryable, 'read'>,
  table: CopiedTable,
  rows: readonly Row[],
  own?: Ulid,
): Promise<void> {
  if (!hasNames(table)) return;
  const collection = `${table.name}s` as 'projects' | 'wallets';
  const names = rows.map(({ id }) => resourceName(collection, id as Ulid));
  for (const [resource, owner] of await findOwners(to, names)) {
    if (owner !== own) throw new Error(`${resource} exists in accounts/${owner}. Nothing was changed.`);
  }
}
