import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { LazyTransaction } from '../../../src/storage/work/lazy-transaction.ts';
import { testDatabase } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';

const ADD = 'INSERT INTO item (id) VALUES ($1)';
const LIST = 'SELECT id FROM item ORDER BY id';

let database: Engine;
let own: LazyTransaction;

beforeEach(async () => {
  const { url } = await testDatabase();
  database = await openDatabase(url, LONG_TIMEOUT);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (id INTEGER PRIMARY KEY)');
  own = new LazyTransaction(database);
});

// `test/api/idempotency.test.ts` shows that the changes of a request are committed or undone together.
test('from the first write on, and not before, reads see what the request has written, and others do not', async () => {
  expect(await own.database.read(LIST)).toEqual([]);
  // A read does not begin the transaction: otherwise this write would wait.
  await database.write(ADD, [1]);
  await own.database.write(ADD, [2]);
  await own.database.transaction((transaction) => transaction.write(ADD, [3]));
  expect(await own.database.read(LIST)).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
  expect(await database.read(LIST)).toEqual([{ id: 1 }]);
  await own.rollBack();
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
