import { DatabaseSync } from 'node:sqlite';
import { afterEach, expect, onTestFinished, test, vi } from 'vitest';
import { ReadTurns } from '../../../src/storage/sqlite/reads.ts';

// Longer than the reads of an account in one turn.
const LONG = `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
SELECT COUNT(*) AS count FROM n WHERE $1 <> ''`;

const SHORT = 'SELECT $1 AS account';

const reader = new DatabaseSync(':memory:');

afterEach(() => void done.splice(0));

/** The accounts of the reads that have ended, in their order. */
const done: string[] = [];

function read(turns: ReadTurns, sql: string, account: string): Promise<void> {
  return turns.read(sql, [account]).then(() => void done.push(account));
}

test('a read of another account waits for one long read of an account at most, however many it has', async () => {
  const turns = new ReadTurns(reader);
  const long = Array.from({ length: 20 }, () => read(turns, LONG, 'long'));
  await long[2];
  const before = done.length;
  await read(turns, SHORT, 'other');
  expect(done.slice(before)).toEqual(['long', 'other']);
  await Promise.all(long);
});

test('accounts with long reads take turns', async () => {
  const turns = new ReadTurns(reader);
  const accounts = ['one', 'two', 'three'].flatMap((account) => Array<string>(5).fill(account));
  await Promise.all(accounts.map((account) => read(turns, LONG, account)));
  const counts = accounts.map((_, n) => Map.groupBy(done.slice(0, n + 1), (account) => account));
  // The accounts join one by one.
  const differences = counts.slice(5).map((ofAccounts) => {
    const lengths = [...ofAccounts.values()].map(({ length }) => length);
    return Math.max(...lengths) - Math.min(...lengths);
  });
  expect(Math.max(...differences)).toBeLessThanOrEqual(3);
  expect(done).toHaveLength(15);
});

test('short reads of all accounts that arrive together are executed in one turn, in their order', async () => {
  // So that no time passes on a busy machine.
  vi.useFakeTimers({ toFake: ['performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const turns = new ReadTurns(reader);
  const accounts = Array.from({ length: 50 }, (_, n) => `account ${n % 10}`);
  let turnCount = 0;
  const count = () => {
    turnCount += 1;
    setImmediate(count).unref();
  };
  setImmediate(count);
  await Promise.all(accounts.map((account) => read(turns, SHORT, account)));
  expect(turnCount).toBeLessThanOrEqual(2);
  expect(done).toEqual(accounts.toSorted());
});
