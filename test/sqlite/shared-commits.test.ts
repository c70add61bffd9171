import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { pathOf } from '../support/engine.ts';
import { testDatabase } from '../support/gateway.ts';

const WRITES = 50;

let database: Database;
let path: string;
/** The items, as another process sees them. */
let committed: () => readonly number[];

beforeEach(async () => {
  const { url } = await testDatabase();
  path = pathOf(url);
  database = await openDatabase(url);
  onTestFinished(() => database.close());
  await database.write('CREATE TABLE item (place INTEGER PRIMARY KEY AUTOINCREMENT, id INTEGER UNIQUE)');
  const other = new DatabaseSync(path, { readOnly: true });
  onTestFinished(() => other.close());
  committed = () =>
    other
      .prepare('SELECT id FROM item ORDER BY place')
      .all()
      .map(({ id }) => Number(id));
});

const add = (id: number) => database.write('INSERT INTO item (id) VALUES ($1)', [id]);
const numbers = Array.from({ length: WRITES }, (_, n) => n);

test('concurrent writes share a commit, in the order of their requests', async () => {
  const before = statSync(`${path}-wal`).size;
  await Promise.all(numbers.map(add));
  expect(committed()).toEqual(numbers);
  // Each separate commit would add at least one page of 4 KiB.
  expect(statSync(`${path}-wal`).size - before).toBeLessThan((WRITES / 2) * 4096);
});

test('a failed write has its own error, and only this write is undone', async () => {
  await add(7);
  const outcomes = await Promise.allSettled(numbers.map(add));
  expect(outcomes.map(({ status }) => status)).toEqual(
    numbers.map((id) => (id === 7 ? 'rejected' : 'fulfilled')),
  );
  expect(outcomes[7]).toMatchObject({ reason: { message: expect.stringContaining('UNIQUE') } });
  expect(committed()).toEqual([7, ...numbers.filter((id) => id !== 7)]);
});

test('the write that fills the disk fails with its own error, and the others fail as an outage', async () => {
  await database.write('CREATE TABLE large (payload TEXT)');
  const [{ count } = { count: 0 }] = await database.read<{ count: number }>(
    'SELECT page_count AS count FROM pragma_page_count',
  );
  await database.write(`PRAGMA max_page_count = ${count + 5}`);
  const outcomes = await Promise.allSettled([
    add(1),
    database.write('INSERT INTO large (payload) VALUES ($1)', ['x'.repeat(100_000)]),
    add(2),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ reason: { reason: 'UNAVAILABLE' } });
  expect(committed()).toEqual([]);
  await add(3);
  expect(committed()).toEqual([3]);
});
