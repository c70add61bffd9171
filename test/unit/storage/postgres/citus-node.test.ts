import type { QueryResultRow } from 'pg';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  distributionFinder,
  OutdatedNodeError,
} from '../../../../src/storage/postgres/connections/citus-node.ts';

beforeEach(() => void vi.useFakeTimers());

afterEach(() => void vi.useRealTimers());

/** Returns a function that finds out for a new connection, and what the server and the other nodes answer. */
function make() {
  const answers = { state: 'first start' as string | undefined, successor: [] as string[], askedCount: 0 };
  const find = async <R extends QueryResultRow>(sql: string) => {
    const rows: { state?: string | undefined; address?: string }[] = sql.includes('run_command_on_all_nodes')
      ? answers.successor.map((address) => ({ address }))
      : [answers.state].flatMap((state) => (state === undefined ? [] : [{ state }]));
    if (sql.includes('run_command_on_all_nodes')) answers.askedCount += 1;
    return rows as unknown as readonly R[];
  };
  const isDistributed = distributionFinder(1000);
  return { answers, connect: () => isDistributed(find, false), check: () => isDistributed(find, true) };
}

test('the other nodes are asked once for all connections after a start of the server, and by each check', async () => {
  const { answers, connect, check } = make();
  expect(await Promise.all([connect(), connect(), connect()])).toEqual([true, true, true]);
  expect(await connect()).toBe(true);
  expect(answers.askedCount).toBe(1);
  answers.state = 'second start';
  expect(await connect()).toBe(true);
  expect(answers.askedCount).toBe(2);
  for (let times = 0; times < 2; times += 1) expect(await check()).toBe(true);
  expect(answers.askedCount).toBe(4);
});

test.each([
  ['10.0.0.5:5432', 'Citus has replaced this node by 10.0.0.5:5432'],
  ['', 'Citus has removed or disabled this node, or does not sync its metadata'],
])(
  'a connection to an outdated node is refused, and the others are asked again a second later: "%s"',
  async (successor, message) => {
    const { answers, connect, check } = make();
    for (const refused of [connect, check]) {
      answers.successor = [successor];
      answers.askedCount = 0;
      await expect(refused()).rejects.toThrow(new OutdatedNodeError(message));
      await expect(connect()).rejects.toThrow(OutdatedNodeError);
      expect(answers.askedCount).toBe(1);
      vi.advanceTimersByTime(1000);
      answers.successor = [];
      expect(await connect()).toBe(true);
    }
  },
);

test('without distributed tables, no node is asked', async () => {
  const { answers, connect, check } = make();
  answers.state = undefined;
  expect([await connect(), await check()]).toEqual([false, false]);
  expect(answers.askedCount).toBe(0);
});
