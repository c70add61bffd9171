import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  ACCOUNT_LIMIT_MS,
  LockLimits,
  type UseResult,
} from '../../../../src/storage/postgres/connections/lock-limits.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Returns limits, and functions that begin and end the use of a connection and record what has begun or failed. A
 * statement is its text, its account and its row, such as `update a 1`.
 */
function make(poolSize: number) {
  const limits = new LockLimits(poolSize);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const log: string[] = [];
  const running: (readonly [statement: string, end: (result: UseResult) => void])[] = [];
  const enter = async (...statements: readonly string[]) => {
    for (const statement of statements) {
      const [sql = '', ...params] = statement.split(' ');
      limits.enter({ sql, params }, late.promise).then(
        (end) => {
          log.push(statement);
          running.push([statement, end]);
        },
        () => log.push(`${statement} failed`),
      );
    }
    return events();
  };
  /** Returns what has begun or failed since the last call. */
  const events = async () => {
    await vi.advanceTimersByTimeAsync(0);
    return log.splice(0);
  };
  const end = async (statement: string, result: UseResult) => {
    const index = running.findIndex(([each]) => each === statement);
    const [[, endUse] = expect.unreachable()] = running.splice(index, 1);
    endUse(result);
    return events();
  };
  return { limits, enter, end, events, pass: () => late.reject(new Error('late')) };
}

const times = (count: number, statement: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => statement(n));

// `test/engines/postgres/isolation.test.ts` shows that locked rows and tables have a quarter of the connections.
test.each([
  [1, 1, 1],
  [2, 1, 1],
  [4, 3, 1],
  [10, 7, 2],
])('of %i connections, writes use %i, and those of one row %i', async (poolSize, all, ofRow) => {
  const { limits, enter } = make(poolSize);
  expect(await enter(...times(20, () => 'update a 1'))).toHaveLength(ofRow);
  expect(await enter(...times(20, (n) => `update a ${n + 2}`))).toHaveLength(all - ofRow);
  expect(limits.waitingCount).toBe(40 - all);
});

test.each<UseResult>(['done', 'blocked'])(
  'statements without parameters, which name no row, run beside each other after one was %s',
  async (result) => {
    const { enter, end } = make(8);
    await enter('vacuum');
    await end('vacuum', result);
    expect(await enter(...times(9, (n) => `create-${n}`))).toHaveLength(6);
  },
);

test('the other rows of an account with a locked row have a quarter of the connections for a time', async () => {
  const { enter, end } = make(8);
  await enter('update a 1');
  await end('update a 1', 'blocked');
  expect(await enter(...times(9, (n) => `update a ${n}`), 'update b 1')).toEqual([
    'update a 0',
    'update a 1',
    'update a 2',
    'update b 1',
  ]);
  expect(await end('update a 0', 'done')).toEqual(['update a 3']);
  vi.advanceTimersByTime(ACCOUNT_LIMIT_MS);
  expect(await end('update a 2', 'done')).toEqual(['update a 4', 'update a 5', 'update a 6']);
});

test('a deadline, which a slow server can exceed as well, limits the row alone', async () => {
  const { enter, end } = make(4);
  await enter('update a 1');
  await end('update a 1', 'late');
  await enter('update b 1');
  await end('update b 1', 'late');
  expect(await enter('update a 1', 'update b 1', 'update a 2', 'update a 3')).toEqual([
    'update a 1',
    'update a 2',
    'update a 3',
  ]);
});

test('what waits longer than the lock timeout for a blocked row fails', async () => {
  const { enter, end, events, limits } = make(4);
  await enter('update a 1', 'update b 1', 'update a 1', 'update c 1');
  expect(await end('update a 1', 'blocked')).toEqual(['update a 1']);
  await enter('update a 1');
  await vi.advanceTimersByTimeAsync(1100);
  expect(await events()).toEqual(['update a 1 failed']);
  expect(limits.waitingCount).toBe(0);
});

test('what waits at the deadline fails, and leaves no place taken', async () => {
  const { limits, enter, end, events, pass } = make(2);
  expect(await enter('update a 1', 'update a 1')).toEqual(['update a 1']);
  pass();
  expect(await events()).toEqual(['update a 1 failed']);
  await end('update a 1', 'done');
  expect(await enter('update b 1')).toEqual(['update b 1']);
  expect(limits.waitingCount).toBe(0);
});
