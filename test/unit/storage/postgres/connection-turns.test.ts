import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  ConnectionTurns,
  connectionRequest,
  LOCK_TIMEOUT_MS,
  SERVER_SLOW_MS,
  type UseResult,
} from '../../../../src/storage/postgres/connections/connection-turns.ts';

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

/**
 * Returns turns, and functions that begin and end the use of a connection and record what has begun or failed. A write is
 * its text, its account and its row, such as `update a 1`; `read a` is a batch of reads.
 */
function make(poolSize: number) {
  const turns = new ConnectionTurns(() => poolSize);
  const late = Promise.withResolvers<never>();
  late.promise.catch(() => {});
  const log: string[] = [];
  const running: (readonly [statement: string, end: (result: UseResult) => void])[] = [];
  const enter = async (...statements: readonly string[]) => {
    for (const statement of statements) {
      const [sql = '', ...params] = statement.split(' ');
      const batch = { accounts: params, statement: undefined, row: undefined, isWrite: false };
      turns
        .enter(sql === 'read' ? batch : connectionRequest({ sql, params }, true), { late: late.promise })
        .then(
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
  const end = async (statement: string, result: UseResult = 'done') => {
    const index = running.findIndex(([each]) => each === statement);
    const [[, endUse] = expect.unreachable()] = running.splice(index, 1);
    endUse(result);
    return events();
  };
  return { turns, enter, end, events, pass: () => late.reject(new Error('late')) };
}

const times = <T>(count: number, statement: (n: number) => T) =>
  Array.from({ length: count }, (_, n) => statement(n));

// `test/engines/postgres/isolation.test.ts` shows that locked rows and tables hold up no others.
test.each([
  // The pool, and the connections that one row, an account, and all writes get.
  [1, 1, 1, 1],
  [2, 1, 2, 1],
  [4, 1, 3, 3],
  [10, 2, 7, 8],
])(
  'of %i connections, one row gets %i, an account %i, and all writes %i',
  async (poolSize, ofRow, ofAccount, all) => {
    const { enter } = make(poolSize);
    expect(await enter(...times(20, () => 'update a 1'))).toHaveLength(ofRow);
    const account = make(poolSize);
    expect(await account.enter(...times(20, () => 'read a'))).toHaveLength(ofAccount);
    expect(account.turns.waitingCount).toBe(20 - ofAccount);
    const writes = make(poolSize);
    expect(await writes.enter(...times(20, (n) => `update ${n} 1`))).toHaveLength(all);
  },
);

test('an account that has as many connections as it gets leaves some for others', async () => {
  const { enter } = make(10);
  await enter(...times(20, () => 'read a'), ...times(20, (n) => `update a ${n}`));
  expect(await enter('read b', 'update c 1', 'read d')).toEqual(['read b', 'update c 1', 'read d']);
});

test('accounts that wait take turns', async () => {
  const { enter, end } = make(1);
  await enter('read z');
  await enter('update a 1', 'update a 1', 'update a 2', 'read a', 'update b 1', 'update b 2');
  const order: string[] = [];
  for (let [next] = await end('read z'); next !== undefined; [next] = await end(next)) order.push(next);
  expect(order).toEqual(['update a 1', 'update b 1', 'update a 1', 'update b 2', 'update a 2', 'read a']);
});

test('a batch counts for each of its accounts', async () => {
  const { enter } = make(4);
  expect(await enter(...times(4, () => 'read a b'))).toHaveLength(3);
  expect(await enter('read b')).toEqual([]);
  expect(await enter('read c')).toEqual(['read c']);
});

test('statements without parameters, which name no row, run beside each other', async () => {
  const { enter } = make(8);
  expect(await enter(...times(9, (n) => `create-${n}`))).toHaveLength(6);
});

test.each<UseResult>(['blocked', 'late'])(
  'the row and the statement of an account that was %s get a quarter until they succeed, while others are in time',
  async (result) => {
    const { enter, end } = make(10);
    await enter('update a 1');
    await end('update a 1', result);
    await enter('read b');
    await end('read b');
    const writes = ['update a 1', 'update a 1', 'update a 2', 'update a 3', 'insert a 4', 'update b 1'];
    expect(await enter(...writes)).toEqual(['update a 1', 'update a 2', 'insert a 4', 'update b 1']);
    expect(await end('update a 2')).toEqual(['update a 3']);
    expect(await end('update a 1')).toEqual(['update a 1']);
    expect(await enter('update a 1')).toEqual(['update a 1']);
  },
);

test('a read does not wait for a locked row, nor for a minute after the last lock', async () => {
  const { turns, enter, end } = make(10);
  await enter('update a 1');
  await end('update a 1', 'blocked');
  const isSlow = (sql: string, isWrite: boolean) =>
    turns.isSlow(connectionRequest({ sql, params: ['a', '1'] }, isWrite));
  expect([isSlow('select', false), isSlow('insert', true), turns.hasSlow]).toEqual([false, true, true]);
  vi.advanceTimersByTime(60_000);
  expect([isSlow('insert', true), turns.hasSlow]).toEqual([false, false]);
});

test('writes go on while the reads of many accounts wait', async () => {
  const { enter, end } = make(10);
  const reads = times(10, (n) => `read r${n}`);
  await enter(...reads, ...times(10, (n) => [`read q${n}`, `update w${n} 1`]).flat());
  const begun: string[] = [];
  for (const read of reads) begun.push(...(await end(read)));
  expect(begun.filter((each) => each.startsWith('update'))).toHaveLength(3);
  expect(begun).toHaveLength(10);
});

test('no statement is limited for a slow server', async () => {
  const { enter, end } = make(10);
  await enter('read b');
  await end('read b');
  vi.advanceTimersByTime(SERVER_SLOW_MS);
  await enter('update a 1');
  await end('update a 1', 'late');
  expect(await enter(...times(9, (n) => `update a ${n + 2}`))).toHaveLength(7);
});

test('the loss of a connection says nothing of locks', async () => {
  const { enter, end } = make(10);
  await enter('update a 1', 'read b');
  await end('update a 1', 'lost');
  await end('read b');
  expect(await enter(...times(9, (n) => `update a ${n}`))).toHaveLength(7);
});

test('what has waited for a row as long as a statement that could not lock it fails, and no other', async () => {
  const { enter, end, turns } = make(4);
  await enter('update a 1', 'update a 1', 'update a 2', 'update a 3');
  await vi.advanceTimersByTimeAsync(LOCK_TIMEOUT_MS);
  await enter('update a 1');
  expect(await end('update a 1', 'blocked')).toEqual(['update a 1 failed', 'update a 1']);
  expect(turns.waitingCount).toBe(0);
});

test('what waits at the deadline fails, and leaves no place taken', async () => {
  const { turns, enter, end, events, pass } = make(2);
  expect(await enter('update a 1', 'update a 1')).toEqual(['update a 1']);
  pass();
  expect(await events()).toEqual(['update a 1 failed']);
  await end('update a 1');
  expect(await enter('update b 1')).toEqual(['update b 1']);
  expect(turns.waitingCount).toBe(0);
});
