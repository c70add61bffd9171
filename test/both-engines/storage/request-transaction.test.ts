import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { RequestTransaction } from '../../../src/storage/request-transaction.ts';
import { testDatabase } from '../../support/gateway.ts';

const ADD = 'INSERT INTO item (id) VALUES ($1)';
const LIST = 'SELECT id FROM item ORDER BY id';

let database: Database;
let own: RequestTransaction;

beforeEach(async () => {
  const { url } = await testDatabase();
  database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY)');
  own = new RequestTransaction(database);
});

test('everything from the first write on is one transaction', async () => {
  expect(await own.database.read(LIST)).toEqual([]);
  // A read does not begin it: otherwise this write would wait.
  await database.write(ADD, [1]);
  expect(own.hasBegun).toBe(false);
  await own.database.write(ADD, [2]);
  expect(own.hasBegun).toBe(true);
  await own.database.transaction((transaction) => transaction.write(ADD, [3]));
  expect(await own.database.read(LIST)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(await database.read(LIST)).toEqual([{ id: 1 }]);
  const first = { sql: `${ADD} RETURNING id`, params: [4] };
  const second = { sql: 'INSERT INTO item (id) VALUES ($1)', params: [5] };
  expect(await own.database.writeAll([first, second])).toEqual([{ id: 4 }]);
  expect(await database.read(LIST)).toEqual([{ id: 1 }]);
  await own.commit();
  expect(await database.read(LIST)).toEqual([1, 2, 3, 4, 5].map((id) => ({ id })));
});

test.each([
  ['is rolled back', () => own.rollBack(), []],
  ['is committed', () => own.commit().then(() => own.rollBack()), [{ id: 1 }]],
])('a transaction that %s takes no further statement', async (_, end, rows) => {
  await own.database.write(ADD, [1]);
  await end();
  await expect(own.database.write(ADD, [2])).rejects.toThrow('The transaction has ended.');
  expect(await database.read(LIST)).toEqual(rows);
  await database.write(ADD, [5]);
});

test('a transaction that never began can be rolled back', async () => {
  await own.rollBack();
  await database.write(ADD, [1]);
});
