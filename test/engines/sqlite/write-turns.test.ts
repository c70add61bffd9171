import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextIteration } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Change } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { insertedRow } from '../../../src/storage/work/change.ts';
import { pathOf } from '../../support/engine.ts';
import { testDatabase } from '../../support/gateway.ts';

// Takes longer than a slice. Adds how many rows there were before.
const LONG = `INSERT INTO written SELECT $1, (SELECT COUNT(*) FROM written)
FROM (WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT MAX(i) FROM n)`;

test('writes of an account that has waited alternate with the long ones of another account', async () => {
  const database = await openDatabase((await testDatabase()).url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE written (account TEXT, place INTEGER)');
  const add = (account: string, count: number) =>
    Array.from({ length: count }, () => database.transaction(({ write }) => write(LONG, [account]), account));
  await Promise.all([...add('many', 20), ...add('few', 3)]);
  const rows = await database.read<{ place: number }>('SELECT place FROM written WHERE account = $1', [
    'few',
  ]);
  expect(Math.max(...rows.map(({ place }) => place))).toBeLessThan(8);
});

test('a short write waits for one long write of another account', async () => {
  const database = await openDatabase((await testDatabase()).url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE written (account TEXT, place INTEGER)');
  const long = Array.from({ length: 20 }, () => database.write(LONG, ['many']));
  const [row] = await database.write('INSERT INTO written SELECT $1, COUNT(*) FROM written RETURNING place', [
    'few',
  ]);
  await Promise.all(long);
  expect(row?.['place']).toBeLessThanOrEqual(2);
});

test('a transaction is executed once, beside statements of which one fails', async () => {
  const database = await openDatabase((await testDatabase()).url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE written (account TEXT PRIMARY KEY, place INTEGER)');
  const insert = (values: readonly string[], condition: string) =>
    `INSERT INTO written ${insertedRow(values, condition)} RETURNING account`;
  const change = (account: string, place: number) =>
    ({ sql: insert, params: [account, place] }) as unknown as Change;
  const statements = (account: string, second: string) =>
    database.writeIfFirst([change(account, 1), change(second, 2)]);
  await database.write("INSERT INTO written VALUES ('taken', 0)");
  let runs = 0;
  const transaction = (account: string) =>
    database.transaction(async ({ write }) => {
      runs += 1;
      await write('INSERT INTO written VALUES ($1, 3)', [account]);
    });
  const results = await Promise.allSettled([
    statements('a', 'b'),
    statements('c', 'taken'),
    transaction('d'),
    statements('e', 'taken'),
    transaction('f'),
    statements('g', 'h'),
  ]);
  expect(results.map(({ status }) => status === 'fulfilled')).toEqual([true, false, true, false, true, true]);
  expect(runs).toBe(2);
  const rows = await database.read('SELECT account FROM written ORDER BY account');
  expect(rows.map((row) => row['account'])).toEqual(['a', 'b', 'd', 'f', 'g', 'h', 'taken']);
});

// Larger than the log may become.
const LARGE = 'INSERT INTO written VALUES (zeroblob(9000000))';

test.each([
  [
    'after a wait for the lock of another process, writes of two iterations of the event loop share a commit',
    1,
  ],
  ['a wait for the lock during a checkpoint of this process leaves the writes of two iterations apart', 2],
])('%s', async (_, expected) => {
  const { url } = await testDatabase();
  let commits = 0;
  const onSync = (sync: { readonly commits: number }) => {
    commits += sync.commits;
  };
  const database = await openDatabase(url, { onSync });
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE written (place INTEGER)');
  const other = new DatabaseSync(pathOf(url), { timeout: 5000 });
  onTestFinished(() => other.close());
  const add = (place: number) => database.write('INSERT INTO written VALUES ($1)', [place]);
  const countOfTwo = async () => {
    const before = commits;
    const first = add(1);
    await nextIteration();
    await Promise.all([first, add(2)]);
    return commits - before;
  };
  expect(await countOfTwo()).toBe(2);
  const checkpointed = new Promise((resolve) => {
    process.once('worker', (thread) => thread.once('message', resolve));
  });
  if (expected === 2) await database.write(LARGE);
  other.exec('BEGIN IMMEDIATE');
  const waiting = add(0);
  await nextIteration();
  other.exec('ROLLBACK');
  await waiting;
  if (expected === 2) await checkpointed;
  expect(await countOfTwo()).toBe(expected);
});
