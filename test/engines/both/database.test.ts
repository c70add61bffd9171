import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type {
  Change,
  ColumnOfFirst,
  ConditionalSql,
  Queryable,
  Value,
} from '../../../src/storage/interface/database.ts';
import { DatabaseError } from '../../../src/storage/interface/database-error.ts';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { insertedRow, withCondition } from '../../../src/storage/work/change.ts';
import { testDatabase } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';

const CREATE = 'CREATE TABLE item (id TEXT PRIMARY KEY, note TEXT, at BIGINT)';

const ADD = 'INSERT INTO item (id, note, at) VALUES ($1, $2, $3)';

const LIST = 'SELECT id, note, at FROM item ORDER BY id';

let url: string;
let database: Engine;

beforeEach(async () => {
  ({ url } = await testDatabase());
  database = await openDatabase(url, LONG_TIMEOUT);
  await database.write(CREATE);
});

afterEach(async () => {
  await database.close().catch(() => {});
});

async function add(queryable: Queryable, ...ids: string[]): Promise<void> {
  for (const id of ids) await queryable.write(ADD, [id, null, null]);
}

async function ids(queryable: Queryable = database): Promise<string[]> {
  return (await queryable.read<{ id: string }>(LIST)).map(({ id }) => id);
}

describe('a statement', () => {
  test.each([
    ['null', null, null],
    ['nothing and zero', '', 0],
    ['the largest safe integer', 'largest', Number.MAX_SAFE_INTEGER],
    ['the smallest safe integer', 'smallest', Number.MIN_SAFE_INTEGER],
    ['text beyond ASCII', 'Grüße, 日本, 🧭👩‍👩‍👧', 1],
    ['text that looks like SQL', `'; DROP TABLE item; -- $1 ?1 "`, 1],
  ])('returns %s unchanged', async (_, note, at) => {
    await database.write(ADD, ['a', note, at]);
    expect(await database.read(LIST)).toEqual([{ id: 'a', note, at }]);
    const find = 'SELECT id FROM item WHERE note = $1 AND at = $2';
    expect(await database.read(find, [note, at])).toEqual(note === null ? [] : [{ id: 'a' }]);
  });

  test('that violates a constraint fails, is not an outage, and has no further effect', async () => {
    await add(database, 'a');
    await expect(add(database, 'a')).rejects.not.toBeInstanceOf(DatabaseError);
    await database.write('CREATE TABLE part (item_id TEXT NOT NULL REFERENCES item (id))');
    const insertPart = 'INSERT INTO part (item_id) VALUES ($1)';
    await expect(database.write(insertPart, ['b'])).rejects.not.toBeInstanceOf(DatabaseError);
    await add(database, 'b');
    await database.write(insertPart, ['b']);
    expect(await ids()).toEqual(['a', 'b']);
  });
});

// `test/api/audit.test.ts` shows that nothing is changed if one of them fails.
describe('statements that are executed together', () => {
  const BUMP: ConditionalSql = ([id, note], condition) =>
    `UPDATE item SET at = at + 1, note = ${note} WHERE id = ${id} AND ${condition} RETURNING id, at`;
  const INSERT: ConditionalSql = (
    values,
    condition,
  ) => `INSERT INTO item (id, note, at) ${insertedRow(values, condition)}
    ON CONFLICT (id) DO UPDATE SET at = item.at + excluded.at`;
  const DELETE: ConditionalSql = ([id, other], condition) =>
    `DELETE FROM item WHERE (id = ${id} OR id = ${other}) AND ${condition}`;
  const FIND: ConditionalSql = ([id, at], condition) =>
    `SELECT 1 AS one FROM item WHERE id = ${id} AND at = ${at} AND ${condition}`;

  // The rows of this table have no account.
  const change = (sql: ConditionalSql, ...params: (Value | ColumnOfFirst)[]): Change => ({
    sql,
    params: params as unknown as Change['params'],
  });
  const bump = (id: string, note: string) => change(BUMP, id, note);
  const insertion = (id: string) => change(INSERT, id, null, 7);
  const deletion = (...ids: [string, string]) => change(DELETE, ...ids);

  test('return the rows of the first, and all others are executed if there are any', async () => {
    await database.write(ADD, ['a', null, 1]);
    await add(database, 'old');
    expect(await database.writeIfFirst([bump('b', 'x'), insertion('none'), deletion('old', 'a')])).toEqual(
      [],
    );
    expect(await ids()).toEqual(['a', 'old']);
    expect(await database.writeIfFirst([bump('a', 'x'), insertion('new')])).toEqual([{ id: 'a', at: 2 }]);
    expect(await database.writeIfFirst([bump('a', 'y'), deletion('old', 'none'), insertion('new')])).toEqual([
      { id: 'a', at: 3 },
    ]);
    expect(await database.read(LIST)).toEqual([
      { id: 'a', note: 'y', at: 3 },
      { id: 'new', note: null, at: 14 },
    ]);
  });

  test('are executed once each, whatever the number of rows of the first', async () => {
    await add(database, 'a', 'b');
    const all: ConditionalSql = (_, condition) =>
      `UPDATE item SET note = 'x' WHERE ${condition} RETURNING id`;
    expect(await database.writeIfFirst([change(all), insertion('new')])).toHaveLength(2);
    expect(await ids()).toEqual(['a', 'b', 'new']);
    expect(await database.read('SELECT at FROM item WHERE id = $1', ['new'])).toEqual([{ at: 7 }]);
  });

  test('are undone alone if a later one fails, beside others at the same time', async () => {
    for (const id of ['a', 'b']) await database.write(ADD, [id, null, 5]);
    const takenId: ConditionalSql = (values, condition) =>
      `INSERT INTO item (id, note, at) ${insertedRow(values, condition)}`;
    const results = await Promise.allSettled([
      database.writeIfFirst([bump('a', 'x'), insertion('one')]),
      database.writeIfFirst([bump('b', 'y'), insertion('none'), change(takenId, 'a', null, 1)]),
      add(database, 'c'),
      database.writeIfFirst([bump('a', 'z'), insertion('two')]),
    ]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(await ids()).toEqual(['a', 'b', 'c', 'one', 'two']);
    const changed = 'SELECT id, note, at FROM item WHERE id = $1 OR id = $2 ORDER BY id';
    const [a, b] = await database.read<{ id: string; note: string | null; at: number }>(changed, ['a', 'b']);
    expect(a?.at).toBe(7);
    expect(b).toEqual({ id: 'b', note: null, at: 5 });
  });

  test('can use a column of the row of the first', async () => {
    await database.write(ADD, ['a', null, 1]);
    const copy: ConditionalSql = (values, condition) => INSERT(values, condition);
    const named = change(copy, 'new', { column: 'id' }, { column: 'at' });
    expect(await database.writeIfFirst([bump('b', 'x'), named])).toEqual([]);
    expect(await ids()).toEqual(['a']);
    expect(await database.writeIfFirst([bump('a', 'x'), insertion('other'), named])).toHaveLength(1);
    expect(await database.read(LIST)).toContainEqual({ id: 'new', note: 'a', at: 2 });
  });

  test('are executed only if a SELECT returns a row, each time that they have one', async () => {
    await database.write(ADD, ['a', null, 1]);
    const whileAt = (at: number) =>
      database.writeIfFirst([
        withCondition(bump('a', 'x'), change(FIND, 'a', at)),
        deletion('old', 'none'),
        insertion('new'),
      ]);
    expect(await whileAt(2)).toEqual([]);
    expect(await ids()).toEqual(['a']);
    expect(await whileAt(1)).toEqual([{ id: 'a', at: 2 }]);
    expect(await whileAt(2)).toEqual([{ id: 'a', at: 3 }]);
    expect(await ids()).toEqual(['a', 'new']);
    expect(await database.writeIfFirst([bump('a', 'z')])).toEqual([{ id: 'a', at: 4 }]);
  });

  test('are refused if one has no place for a condition', async () => {
    const all: ConditionalSql = () => 'DELETE FROM item';
    await add(database, 'a');
    const changes = [bump('a', 'x'), change(all)] as const;
    await expect(database.writeIfFirst(changes)).rejects.toThrow('no place for a condition');
    expect(await database.read(LIST)).toEqual([{ id: 'a', note: null, at: null }]);
  });
});

describe('a transaction', () => {
  test.each<[string, (transaction: Queryable) => Promise<void>]>([
    ['throws', async () => Promise.reject(new Error('Changed my mind.'))],
    ['sends a statement that fails', (transaction) => add(transaction, 'kept')],
  ])('whose work %s is rolled back, and the next one is committed', async (_, fail) => {
    await add(database, 'kept');
    const failing = database.transaction(async (transaction) => {
      await add(transaction, 'a');
      await turn();
      await fail(transaction);
    });
    const next = database.transaction((transaction) => add(transaction, 'b'));
    await expect(failing).rejects.toThrow(/Changed my mind|unique/i);
    await next;
    expect(await ids()).toEqual(['b', 'kept']);
  });

  test('is invisible to others before it ends, and does not block reads', async () => {
    await add(database, 'a');
    await database.transaction(async (transaction) => {
      await add(transaction, 'b');
      await transaction.write('UPDATE item SET note = $1', ['changed']);
      expect(await ids(transaction)).toEqual(['a', 'b']);
      // A read that waits for the transaction would never return.
      expect(await database.read(LIST)).toEqual([{ id: 'a', note: null, at: null }]);
    });
    expect(await ids()).toEqual(['a', 'b']);
  });

  test('does not include other writes, which are committed even if the transaction fails', async () => {
    const begun = Promise.withResolvers<void>();
    const outside = begun.promise.then(() => add(database, 'outside'));
    const failing = database.transaction(async (transaction) => {
      await add(transaction, 'inside');
      begun.resolve();
      for (let n = 0; n < 5; n += 1) await turn();
      throw new Error('Changed my mind.');
    });
    await expect(failing).rejects.toThrow('Changed my mind.');
    await outside;
    expect(await ids()).toEqual(['outside']);
  });

  test('that writes a row locks it: each transaction sees the result of the one before', async () => {
    await database.write(ADD, ['counter', null, 0]);
    const count = () =>
      database.transaction(async (transaction) => {
        const lock = 'UPDATE item SET at = at RETURNING at';
        const [row] = await transaction.write<{ at: number }>(lock);
        await turn();
        await transaction.write('UPDATE item SET at = $1', [(row?.at ?? Number.NaN) + 1]);
      });
    await Promise.all(Array.from({ length: 20 }, count));
    expect(await database.read('SELECT at FROM item')).toEqual([{ at: 20 }]);
  });
});

test('closing waits for running and waiting statements', async () => {
  const running = database.transaction(async (transaction) => {
    await add(transaction, 'a');
    for (let n = 0; n < 5; n += 1) await turn();
    await add(transaction, 'b');
  });
  const waiting = add(database, 'c');
  await Promise.all([database.close(), running, waiting]);

  database = await openDatabase(url, { ...LONG_TIMEOUT, isReadOnly: true });
  expect(await ids()).toEqual(['a', 'b', 'c']);
});
