import { setImmediate } from 'node:timers/promises';
import { afterEach, expect, test, vi } from 'vitest';
import type { Row } from '../../../../src/storage/interface/database.ts';
import {
  ConnectionTurns,
  connectionRequest,
  LOCK_TIMEOUT_MS,
} from '../../../../src/storage/postgres/connections/connection-turns.ts';
import type { ConnectionPool } from '../../../../src/storage/postgres/connections/pool.ts';
import type { Session } from '../../../../src/storage/postgres/connections/session.ts';
import { ReadPipeline } from '../../../../src/storage/postgres/reads.ts';

const never = new Promise<never>(() => {});

const echo = async (sql: string): Promise<readonly Row[]> => [{ sql }];

afterEach(() => {
  vi.useRealTimers();
});

/** Returns a pool, and the texts that each use of it reads. @param query executes a statement of a use */
function makePool(size: number, query = echo) {
  const turns = new ConnectionTurns(() => size);
  const uses: string[][] = [];
  const use: ConnectionPool['use'] = async ({ request, leave }, work) => {
    const end = request ? await turns.enter(request) : leave;
    const texts: string[] = [];
    uses.push(texts);
    const session = {
      query(sql: string) {
        texts.push(sql);
        return query(sql);
      },
    };
    try {
      return await work(session as unknown as Session);
    } finally {
      end?.('done');
    }
  };
  const pool = { turns, use, onWaited: () => {} } as unknown as ConnectionPool;
  const batches = new ReadPipeline(pool);
  const read = (sql: string, account: string, deadline = performance.now() + 60_000) =>
    batches.read({ sql, params: [account], deadline });
  return { turns, uses, read };
}

test('reads of accounts that wait for a connection share it, and those of an account with many come last', async () => {
  const { turns, uses, read } = makePool(1);
  const leave = await turns.enter(connectionRequest({ sql: 'update', params: ['x', '1'] }, true));
  const many = Array.from({ length: 20 }, (_, n) => read(`many ${n}`, 'a'));
  const few = ['b', 'c'].map((account) => read(`few ${account}`, account));
  await setImmediate();
  expect(uses).toEqual([]);
  leave('done');
  const rows = await Promise.all([...few, ...many]);
  expect(uses).toHaveLength(1);
  expect(uses[0]?.slice(0, 2)).toEqual(['few b', 'few c']);
  expect(rows.flat()).toHaveLength(22);
});

test('each read of a statement that does not get its lock fails, and the others are sent again', async () => {
  const error = Object.assign(new Error('canceled'), { severity: 'ERROR', code: '55P03' });
  const { uses, read } = makePool(10, async (sql) => {
    if (sql === 'locked') throw error;
    return echo(sql);
  });
  const results = await Promise.allSettled([
    read('locked', 'a'),
    read('locked', 'b'),
    read('free', 'c'),
    read('locked', 'a'),
  ]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled', 'rejected']);
  // From now on it runs alone.
  await expect(read('locked', 'a')).rejects.toBe(error);
  expect(uses.at(-1)).toEqual(['locked']);
});

test('the reads of other accounts behind one that does not end are sent again, and their accounts leave its connection', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  let hasHung = false;
  const { turns, uses, read } = makePool(4, (sql) => {
    if (hasHung) return echo(sql);
    hasHung = sql === 'other';
    return never;
  });
  void read('stuck', 'a');
  const other = read('other', 'b');
  await setImmediate();
  expect([uses, turns.isRunning('b')]).toEqual([[['stuck', 'other']], true]);
  vi.advanceTimersByTime(2 * LOCK_TIMEOUT_MS);
  expect(await other).toEqual([{ sql: 'other' }]);
  await setImmediate();
  expect([turns.isRunning('a'), turns.isRunning('b')]).toEqual([true, false]);
});
