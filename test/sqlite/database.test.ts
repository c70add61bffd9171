import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { onDatabase, pathOf } from '../support/engine.ts';
import { makeDatabase } from '../support/gateway.ts';

const ADD = 'INSERT INTO item (id) VALUES ($1)';

let path: string;
let database: Database;

beforeEach(async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  path = pathOf(url);
  database = await openDatabase(url);
  onTestFinished(database.close);
  await database.write('CREATE TABLE item (id TEXT PRIMARY KEY, at BIGINT)');
});

async function ids(): Promise<string[]> {
  return (await database.read<{ id: string }>('SELECT id FROM item ORDER BY id')).map(({ id }) => id);
}

describe('a transaction', () => {
  test('runs after the transactions that began before it', async () => {
    const steps: string[] = [];
    const slowly = (name: string, turns: number) =>
      database.transaction(async (transaction) => {
        for (const step of [1, 2, 3]) {
          steps.push(`${name}${step}`);
          await transaction.write(ADD, [`${name}${step}`]);
          for (let n = 0; n < turns; n += 1) await turn();
        }
      });
    await Promise.all([slowly('a', 5), slowly('b', 0), slowly('c', 1)]);
    const expected = ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'c1', 'c2', 'c3'];
    expect(steps).toEqual(expected);
    expect(await ids()).toEqual(expected);
  });

  test('that reads before it writes sees the result of the transaction before it', async () => {
    await database.write('INSERT INTO item (id, at) VALUES ($1, $2)', ['counter', 0]);
    const count = () =>
      database.transaction(async (transaction) => {
        const [row] = await transaction.read<{ at: number }>('SELECT at FROM item');
        await turn();
        await transaction.write('UPDATE item SET at = $1', [(row?.at ?? Number.NaN) + 1]);
      });
    await Promise.all(Array.from({ length: 20 }, count));
    expect(await database.read('SELECT at FROM item')).toEqual([{ at: 20 }]);
  });
});

test('writes use a write-ahead log, which SQLite itself syncs only at checkpoints', async () => {
  await database.write(ADD, ['a']);
  expect(existsSync(`${path}-wal`)).toBe(true);
  const other = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => other.close());
  expect(other.prepare('PRAGMA journal_mode').get()).toEqual({ journal_mode: 'wal' });
  expect(other.prepare('SELECT id FROM item').all()).toEqual([{ id: 'a' }]);
  // 1 is NORMAL. It is a setting of the connection, not of the file.
  expect(await database.write('PRAGMA synchronous')).toEqual([{ synchronous: 1 }]);
  expect(await database.write('PRAGMA wal_autocheckpoint')).toEqual([{ wal_autocheckpoint: 0 }]);
});

test.each(['sqlite:', 'sqlite://'])('%s<path> names a file, whose folder is created', async (scheme) => {
  const newPath = path.replace('paw.db', 'new/folder/paw.db');
  await onDatabase(scheme + newPath, async (first) => {
    await first.write('CREATE TABLE item (id TEXT)');
    await first.write(ADD, ['kept']);
  });
  const rows = await onDatabase(`sqlite:${newPath}`, (second) => second.read('SELECT id FROM item'));
  expect(rows).toEqual([{ id: 'kept' }]);
});
