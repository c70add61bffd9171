import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { type Database, IF_FIRST } from '../../src/storage/database.ts';
import { lazyTransaction } from '../../src/storage/lazy-transaction.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { makeDatabase } from '../support/gateway.ts';

const ADD = 'INSERT INTO item (id) VALUES ($1)';
const LIST = 'SELECT id FROM item ORDER BY id';

let database: Database;

beforeEach(async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY)');
});

test('everything from the first write on is one transaction', async () => {
  const lazy = lazyTransaction(database);
  expect(await lazy.database.read(LIST)).toEqual([]);
  // A read does not begin it: otherwise this write would wait.
  await database.write(ADD, [1]);
  await lazy.database.write(ADD, [2]);
  await lazy.database.transaction((transaction) => transaction.write(ADD, [3]));
  expect(await lazy.database.read(LIST)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(await database.read(LIST)).toEqual([{ id: 1 }]);
  const first = { sql: `${ADD} RETURNING id`, params: [4] };
  const second = { sql: `INSERT INTO item (id) SELECT $1 WHERE ${IF_FIRST}`, params: [5] };
  expect(await lazy.database.writeAll([first, second])).toEqual([{ id: 4 }]);
  expect(await database.read(LIST)).toEqual([{ id: 1 }]);
  await lazy.commit(async (last) => void (await last.write(ADD, [6])));
  expect(await database.read(LIST)).toEqual([1, 2, 3, 4, 5, 6].map((id) => ({ id })));
});

test('a failure of the last part undoes everything', async () => {
  const lazy = lazyTransaction(database);
  await lazy.database.write(ADD, [1]);
  await expect(
    lazy.commit(async () => {
      throw new Error('The last part failed.');
    }),
  ).rejects.toThrow('The last part failed.');
  expect(await database.read(LIST)).toEqual([]);
});

test.each([
  ['is rolled back', async ({ rollBack }: ReturnType<typeof lazyTransaction>) => rollBack(), []],
  [
    'is committed',
    async ({ commit, rollBack }: ReturnType<typeof lazyTransaction>) => {
      await commit(async () => {});
      await rollBack();
    },
    [{ id: 1 }],
  ],
])('a transaction that %s takes no further statement', async (_, end, rows) => {
  const lazy = lazyTransaction(database);
  await lazy.database.write(ADD, [1]);
  await end(lazy);
  await expect(lazy.database.write(ADD, [2])).rejects.toThrow('The transaction has ended.');
  expect(await database.read(LIST)).toEqual(rows);
  await database.write(ADD, [5]);
});

test('a transaction that never began can be rolled back', async () => {
  await lazyTransaction(database).rollBack();
  await database.write(ADD, [1]);
});
