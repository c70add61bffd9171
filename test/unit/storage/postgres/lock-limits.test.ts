import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LOCK_TIMEOUT_MS, LockLimits, type UseResult } from '../../../../src/storage/postgres/lock-limits.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/** Returns limits, and functions that begin and end the use of a connection and record what has begun or failed. */
function make(poolSize: number) {
  const limits = new LockLimits(poolSize);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const log: string[] = [];
  const running: (readonly [sql: string, end: (result: UseResult) => void])[] = [];
  const enter = async (...statements: readonly string[]) => {
    for (const sql of statements) {
      limits.enter(sql, late.promise).then(
        (end) => {
          log.push(sql);
          running.push([sql, end]);
        },
        () => log.push(`${sql} failed`),
      );
    }
    return events();
  };
  /** Returns what has begun or failed since the last call. */
  const events = async () => {
    await vi.advanceTimersByTimeAsync(0);
    return log.splice(0);
  };
  const end = async (sql: string, result: UseResult) => {
    const index = running.findIndex(([each]) => each === sql);
    const [[, endUse] = expect.unreachable()] = running.splice(index, 1);
    endUse(result);
    return events();
  };
  return { limits, enter, end, events, pass: () => late.reject(new Error('late')) };
}

test.each([
  [1, 1],
  [2, 1],
  [4, 3],
  [10, 7],
])('of %i connections, statements that can wait for a lock use %i', async (poolSize, count) => {
  const { limits, enter } = make(poolSize);
  expect(await enter(...Array.from({ length: 20 }, () => 'A'))).toHaveLength(count);
  expect(limits.waitingCount).toBe(20 - count);
});

test('a blocked statement has a quarter of the connections until it succeeds', async () => {
  const { limits, enter, end } = make(4);
  await enter('A', 'A', 'A', 'A', 'A', 'B');
  expect(await end('A', 'blocked')).toEqual(['A']);
  expect(await end('A', 'lost')).toEqual(['B']);
  expect(limits.blocked.has('A')).toBe(true);
  expect(await end('B', 'done')).toEqual([]);
  expect(await end('A', 'done')).toEqual(['A']);
  expect(limits.blocked.has('A')).toBe(false);
});

test('what waits longer than the lock timeout for a blocked statement fails', async () => {
  const { limits, enter, end, events } = make(4);
  limits.blocked.add('A');
  expect(await enter('A', 'A', 'A', 'B')).toEqual(['A', 'B']);
  await vi.advanceTimersByTimeAsync(LOCK_TIMEOUT_MS);
  expect(await events()).toEqual(['A failed', 'A failed']);
  expect(await end('A', 'done')).toEqual([]);
  expect(limits.waitingCount).toBe(0);
});

test('what waits at the deadline fails, and leaves no place taken', async () => {
  const { limits, enter, end, events, pass } = make(2);
  expect(await enter('A', 'A')).toEqual(['A']);
  pass();
  expect(await events()).toEqual(['A failed']);
  await end('A', 'done');
  expect(await enter('B')).toEqual(['B']);
  expect(limits.waitingCount).toBe(0);
});
