import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { cachedReads } from '../../src/storage/sqlite/reads.ts';
import { pathOf } from '../support/engine.ts';
import { makeDatabase } from '../support/gateway.ts';

// Single rows are cached. The cache must not change any result.

let database: Database;
let other: DatabaseSync;

beforeEach(async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  database = await openDatabase(url);
  onTestFinished(database.close);
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY, word TEXT)');
  await database.write("INSERT INTO item (id, word) VALUES (1, 'first'), (2, 'second')");
  other = new DatabaseSync(pathOf(url));
  onTestFinished(() => other.close());
});

const wordOf = async (id: number) => {
  const [row] = await database.read<{ word: string }>('SELECT word FROM item WHERE id = $1', [id]);
  return row?.word;
};

test('a read sees the last write of this process', async () => {
  for (let n = 0; n < 5; n += 1) {
    await database.write('UPDATE item SET word = $1 WHERE id = 1', [`word ${n}`]);
    expect(await wordOf(1)).toBe(`word ${n}`);
    await database.transaction((transaction) =>
      transaction.write('UPDATE item SET word = $1 WHERE id = 2', [`word ${n}`]),
    );
    expect([await wordOf(1), await wordOf(2)]).toEqual([`word ${n}`, `word ${n}`]);
  }
});

test('a read sees what another process has committed, and nothing else', async () => {
  expect(await wordOf(1)).toBe('first');
  for (let n = 0; n < 5; n += 1) {
    const before = await wordOf(1);
    other.exec(`BEGIN IMMEDIATE; UPDATE item SET word = 'word ${n}' WHERE id = 1`);
    expect(await wordOf(1)).toBe(before);
    other.exec('COMMIT');
    // A client that knows of the commit sends its read in a later turn of the event loop.
    await nextTurn();
    expect(await wordOf(1)).toBe(`word ${n}`);
    other.exec("BEGIN IMMEDIATE; UPDATE item SET word = 'never' WHERE id = 1; ROLLBACK");
    expect(await wordOf(1)).toBe(`word ${n}`);
  }
});

test('concurrent reads see every commit that was made before the first of them', async () => {
  for (let n = 0; n < 5; n += 1) {
    const early = wordOf(1);
    other.exec(`UPDATE item SET word = 'word ${n}'`);
    const late = [wordOf(1), wordOf(2)];
    expect(await Promise.all(late)).toEqual([`word ${n}`, `word ${n}`]);
    expect([`word ${n - 1}`, `word ${n}`, 'first']).toContain(await early);
    await nextTurn();
  }
});

test('reads of the same statement with other parameters have their own results', async () => {
  const words = [await wordOf(1), await wordOf(2), await wordOf(3), await wordOf(1)];
  expect(words).toEqual(['first', 'second', undefined, 'first']);
});

test('more rows than the cache holds can be read', async () => {
  const padding = 'x'.repeat(300);
  await database.write(
    `INSERT INTO item (id, word) WITH RECURSIVE n (i) AS (SELECT 3 UNION ALL SELECT i + 1 FROM n WHERE i < $1)
     SELECT i, 'word ' || i || $2 FROM n`,
    [30_000, padding],
  );
  for (let n = 0; n < 2; n += 1) {
    expect(await database.read('SELECT id FROM item')).toHaveLength(30_000);
    const ids = Array.from({ length: 25_000 }, (_, place) => place + 3);
    expect(await Promise.all(ids.map(wordOf))).toEqual(ids.map((id) => `word ${id}${padding}`));
    expect(await wordOf(29_999)).toBe(`word 29999${padding}`);
  }
});

test('reads of rows that do not exist displace no row from the cache', async () => {
  const reader = new DatabaseSync(other.location() ?? '', { readOnly: true });
  onTestFinished(() => reader.close());
  const prepare = reader.prepare.bind(reader);
  const executions: { readonly mock: { readonly calls: readonly unknown[] } }[] = [];
  reader.prepare = (sql) => {
    const statement = prepare(sql);
    executions.push(vi.spyOn(statement, 'all'));
    return statement;
  };
  const reads = () => executions.reduce((sum, { mock }) => sum + mock.calls.length, 0);
  const { query } = cachedReads(reader);
  const read = (id: number) => query('SELECT word FROM item WHERE id = $1', [id]);
  await read(1);
  await Promise.all(Array.from({ length: 30_000 }, (_, n) => read(n + 1000)));
  expect(reads()).toBe(30_001);
  expect(await read(1)).toEqual([{ word: 'first' }]);
  expect(reads()).toBe(30_001);
});
