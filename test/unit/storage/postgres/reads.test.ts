import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { ConnectionTurns, claimOf } from '../../../../src/storage/postgres/connections/connection-turns.ts';
import type { ConnectionPool } from '../../../../src/storage/postgres/connections/pool.ts';
import type { Session } from '../../../../src/storage/postgres/connections/session.ts';
import { ReadBatches } from '../../../../src/storage/postgres/reads.ts';

const never = new Promise<never>(() => {});

/** Returns a pool of one connection, and what is read by each use of it. */
function onePool() {
  const turns = new ConnectionTurns(() => 1);
  const uses: string[][] = [];
  const use: ConnectionPool['use'] = async ({ enter }, work) => {
    const leave = await enter?.(never);
    const texts: string[] = [];
    uses.push(texts);
    const query = async (sql: string) => {
      texts.push(sql);
      return [{ sql }];
    };
    try {
      return await work({ query } as unknown as Session);
    } finally {
      leave?.('done');
    }
  };
  const pool = { turns, use, onWaited: () => {} } as unknown as ConnectionPool;
  return { turns, uses, reads: new ReadBatches(pool) };
}

test('reads of accounts that wait for a connection share it, and those of an account with many come last', async () => {
  const { turns, uses, reads } = onePool();
  const leave = await turns.enter(claimOf({ sql: 'update', params: ['x', '1'] }, true));
  const read = (sql: string, account: string) =>
    reads.read({ sql, params: [account], deadline: performance.now() + 60_000 });
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

test('a read that waits for a connection fails at its deadline, and no other', async () => {
  const { turns, uses, reads } = onePool();
  const leave = await turns.enter(claimOf({ sql: 'update', params: ['x', '1'] }, true));
  const late = reads.read({ sql: 'late', params: ['a'], deadline: performance.now() });
  const other = reads.read({ sql: 'other', params: ['a'], deadline: performance.now() + 60_000 });
  await expect(late).rejects.toMatchObject({ outage: 'overload' });
  leave('done');
  expect(await other).toEqual([{ sql: 'other' }]);
  expect(uses).toEqual([['other']]);
});
