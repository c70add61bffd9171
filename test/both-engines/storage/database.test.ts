import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database, Queryable } from '../../../src/storage/database.ts';
import { DatabaseError } from '../../../src/storage/errors.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { makeDatabase } from '../../support/gateway.ts';

const CREATE = `CREATE TABLE item (
  id TEXT PRIMARY KEY,
  note TEXT,
  at BIGINT
)`;

const ADD = 'INSERT INTO item (id, note, at) VALUES ($1, $2, $3)';

const LIST = 'SELECT id, note, at FROM item ORDER BY id';

let url: string;
let database: Database;

beforeEach(async () => {
  const made = await makeDatabase();
  url = made.url;
  database = await openDatabase(url);
  onTestFinished(made.remove);
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
  test('has numbered parameters: out of order, repeated, and more than nine', async () => {
    await add(database, 'a', 'b', 'c');
    const update = 'UPDATE item SET note = $2 WHERE id = $1 OR note = $2 OR id = $3';
    await database.write(update, ['b', 'marked', 'c']);
    expect(await database.read(LIST)).toEqual([
      { id: 'a', note: null, at: null },
      { id: 'b', note: 'marked', at: null },
      { id: 'c', note: 'marked', at: null },
    ]);
    const many =
      'SELECT id FROM item WHERE id IN ($11, $10, $9, $8, $7, $6, $5, $4, $3, $2, $1) AND id <> $10';
    expect(await database.read(many, ['a', ...'234567', '8', '9', 'b', 'c'])).toEqual([
      { id: 'a' },
      { id: 'c' },
    ]);
  });

  test('returns the written rows with RETURNING, and no rows without it', async () => {
    expect(await database.write(ADD, ['a', 'x', 1])).toEqual([]);
    const bump = 'UPDATE item SET at = at + 1 WHERE id = $1 RETURNING id, at';
    expect(await database.write(bump, ['a'])).toEqual([{ id: 'a', at: 2 }]);
    expect(await database.write(bump, ['b'])).toEqual([]);
    expect(await database.write('DELETE FROM item RETURNING note')).toEqual([{ note: 'x' }]);
    expect(await ids()).toEqual([]);
  });

  test.each([
    ['null', null, null],
    ['nothing and zero', '', 0],
    ['a time in milliseconds', 'now', 1_767_225_600_123],
    ['one over 32 bits', 'larger', 4_294_967_296],
    ['the largest safe integer', 'largest', Number.MAX_SAFE_INTEGER],
    ['the smallest safe integer', 'smallest', Number.MIN_SAFE_INTEGER],
    ['text beyond ASCII', 'Grüße, 日本, 🧭👩‍👩‍👧', 1],
    ['text that looks like SQL', `'; DROP TABLE item; -- $1 ?1 "`, 1],
    ['much text', '🧭'.repeat(2000), 1],
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

describe('statements that are executed together', () => {
  const bump = (...params: string[]) => ({
    sql: 'UPDATE item SET at = at + 1, note = $2 WHERE id = $1 RETURNING id, at',
    params,
  });

  const insertion = (id: string) => ({
    sql: `INSERT INTO item (id, note, at) VALUES ($1, $2, $3)
      ON CONFLICT (id) DO UPDATE SET at = item.at + excluded.at`,
    params: [id, null, 7],
  });

  const deletion = (id: string) => ({ sql: 'DELETE FROM item WHERE id = $1', params: [id] });

  test('return the rows of the first, and all others are executed if there are any', async () => {
    await database.write(ADD, ['a', null, 1]);
    await add(database, 'old');
    expect(await database.writeAll([bump('b', 'x'), insertion('none'), deletion('old')])).toEqual([]);
    expect(await ids()).toEqual(['a', 'old']);
    expect(await database.writeAll([bump('a', 'x'), insertion('new')])).toEqual([{ id: 'a', at: 2 }]);
    expect(await database.writeAll([bump('a', 'y'), deletion('old'), insertion('new')])).toEqual([
      { id: 'a', at: 3 },
    ]);
    expect(await database.read(LIST)).toEqual([
      { id: 'a', note: 'y', at: 3 },
      { id: 'new', note: null, at: 14 },
    ]);
  });

  test('are executed once each, whatever the number of rows of the first', async () => {
    await add(database, 'a', 'b');
    const all = { sql: "UPDATE item SET note = 'x' RETURNING id", params: [] };
    expect(await database.writeAll([all, insertion('new')])).toHaveLength(2);
    expect(await ids()).toEqual(['a', 'b', 'new']);
    expect(await database.read('SELECT at FROM item WHERE id = $1', ['new'])).toEqual([{ at: 7 }]);
  });

  test('change nothing if one of them fails, and leave concurrent writes', async () => {
    await database.write(ADD, ['a', null, 1]);
    const invalid = {
      sql: 'INSERT INTO item (id, missing) VALUES ($1, $2)',
      params: ['b', null],
    };
    const outcomes = await Promise.allSettled([
      add(database, 'c'),
      database.writeAll([bump('a', 'x'), invalid]),
      database.writeAll([bump('a', 'x'), insertion('d')]),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(await ids()).toEqual(['a', 'c', 'd']);
    expect(await database.read('SELECT at FROM item WHERE id = $1', ['a'])).toEqual([{ at: 2 }]);
  });
});

describe('a transaction', () => {
  test('returns the result of its work, and is committed', async () => {
    const result = await database.transaction(async (transaction) => {
      await add(transaction, 'a', 'b');
      return ids(transaction);
    });
    expect(result).toEqual(['a', 'b']);
    expect(await ids()).toEqual(['a', 'b']);
  });

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

  database = await openDatabase(url);
  expect(await ids()).toEqual(['a', 'b', 'c']);
});
