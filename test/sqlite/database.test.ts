import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
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

test('a transaction runs after the transactions that began before it', async () => {
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

test('the files of a database are readable only by their owner', () => {
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
});

test('a lock that another process holds stops neither the opening, nor reads, nor the closing', async () => {
  await database.write(ADD, ['a']);
  const other = new DatabaseSync(path);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const rows = await onDatabase(`sqlite:${path}`, (reader) => reader.read('SELECT id FROM item'));
  expect(rows).toEqual([{ id: 'a' }]);
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
