import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { onDatabase, pathOf } from '../../support/engine.ts';
import { migrateDatabase, testDatabase } from '../../support/gateway.ts';

const ADD = 'INSERT INTO item (id) VALUES ($1)';

let path: string;
let database: Engine;

beforeEach(async () => {
  const { url } = await testDatabase();
  path = pathOf(url);
  database = await openDatabase(url);
  onTestFinished(database.close);
  await database.write('CREATE TABLE item (id TEXT PRIMARY KEY, at BIGINT)');
});

test('the files of a database are readable only by their owner', () => {
  for (const suffix of ['', '-wal', '-shm']) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
});

test('a lock that another process holds stops neither the opening, nor reads, nor the closing', async () => {
  const { url } = await testDatabase();
  await migrateDatabase(url);
  const other = new DatabaseSync(pathOf(url));
  onTestFinished(() => other.close());
  other.exec('PRAGMA journal_mode = WAL; BEGIN IMMEDIATE');
  expect(await onDatabase(url, (reader) => reader.read('SELECT * FROM account'))).toEqual([]);
});

test.each(['sqlite:', 'sqlite://'])('%s<path> names a file, whose folder is created', async (scheme) => {
  const newPath = path.replace('paw.db', 'new/folder/paw.db');
  await onDatabase(scheme + newPath, async (first) => {
    await first.write('CREATE TABLE item (id TEXT)');
    await first.write(ADD, ['kept']);
  });
  const read = (second: Engine) => second.read('SELECT id FROM item');
  const rows = await onDatabase(`sqlite:${newPath}`, read, { isReadOnly: true });
  expect(rows).toEqual([{ id: 'kept' }]);
});
