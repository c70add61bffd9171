import { expect, test } from 'vitest';
import { LOCK_TIMEOUT_MS, turnsOf } from '../../../../src/storage/postgres/turns.ts';

let now = 0;

/** Returns turns, and a function that takes one and records when it begins or fails. */
function make(poolSize: number) {
  const turns = turnsOf(poolSize, () => now);
  const log: string[] = [];
  const take = (text: string) => {
    const pending = turns.take(text);
    if (pending === undefined) log.push(text);
    else
      pending.ready.then(
        () => log.push(text),
        () => log.push(`${text} failed`),
      );
    return pending;
  };
  const takeAll = (...texts: readonly string[]) => {
    for (const text of texts) take(text);
  };
  /** Returns what has begun or failed since the last call. */
  const events = async () => {
    await new Promise(setImmediate);
    return log.splice(0);
  };
  return { turns, take, takeAll, events };
}

test.each([
  [1, 1],
  [2, 1],
  [4, 3],
  [10, 7],
])('of %i connections, statements that can wait for a lock use %i', async (poolSize, count) => {
  const { turns, takeAll, events } = make(poolSize);
  takeAll(...Array.from({ length: 20 }, () => 'A'));
  expect(await events()).toHaveLength(count);
  expect(turns.waitingCount()).toBe(20 - count);
});

test('statements with different texts take turns', async () => {
  const { turns, takeAll, events } = make(1);
  takeAll('A', 'A', 'A', 'B', 'B');
  for (const expected of ['A', 'A', 'B', 'A', 'B']) {
    expect(await events()).toEqual([expected]);
    turns.end(expected, 'done');
  }
  expect(turns.waitingCount()).toBe(0);
});

test('a blocked statement has a quarter of the connections until it succeeds', async () => {
  const { turns, takeAll, events } = make(4);
  takeAll('A', 'A', 'A', 'A', 'A', 'B');
  await events();
  turns.end('A', 'blocked');
  expect(turns.isBlocked('A')).toBe(true);
  turns.end('A', 'blocked');
  turns.end('A', 'lost');
  expect(turns.isBlocked('A')).toBe(true);
  expect(await events()).toEqual(['B', 'A']);
  turns.end('A', 'done');
  expect(turns.isBlocked('A')).toBe(false);
  expect(await events()).toEqual(['A']);
});

test('what waits longer than the lock timeout for a blocked statement fails', async () => {
  const { turns, takeAll, events } = make(1);
  takeAll('A', 'A');
  now += LOCK_TIMEOUT_MS / 2;
  takeAll('A', 'B');
  now += LOCK_TIMEOUT_MS / 2;
  turns.end('A', 'blocked');
  expect(await events()).toEqual(['A', 'A failed', 'A']);
  turns.end('A', 'done');
  expect(await events()).toEqual(['B']);
});

test('a cancelled turn is left out, or given back', async () => {
  const { turns, take, takeAll, events } = make(1);
  takeAll('A');
  const second = take('B');
  const third = take('B');
  takeAll('C');
  second?.cancel();
  turns.end('A', 'done');
  third?.cancel();
  expect(await events()).toEqual(['A', 'B', 'C']);
  expect(turns.waitingCount()).toBe(0);
});

test('all pending turns can be failed', async () => {
  const { turns, takeAll, events } = make(1);
  takeAll('A', 'A', 'B');
  turns.failAll(new Error('outage'));
  expect(await events()).toEqual(['A', 'A failed', 'B failed']);
  expect(turns.waitingCount()).toBe(0);
});

test('a statement without a turn can be marked as blocked', () => {
  const { turns } = make(4);
  turns.block('A');
  expect([turns.isBlocked('A'), turns.isBlocked('B')]).toEqual([true, false]);
  expect(turns.take('A')).toBeUndefined();
  expect(turns.take('A')).toBeDefined();
});
