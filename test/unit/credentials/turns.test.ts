import { describe, expect, test } from 'vitest';
import { type TurnLimits, turns } from '../../../src/credentials/turns.ts';

/** A queue whose tasks run until the test ends them. */
function controlledTurns(limits: Partial<TurnLimits>) {
  const { run } = turns({ running: 1, waiting: 10, waitingPerAccount: 10, ...limits });
  const started: string[] = [];
  const ends = new Map<string, PromiseWithResolvers<void>>();
  const add = (task: string, signal = new AbortController().signal): Promise<string> => {
    const end = Promise.withResolvers<void>();
    ends.set(task, end);
    const work = async () => {
      started.push(task);
      await end.promise;
    };
    // The account is the first letter of the task.
    return run(task.slice(0, 1), signal, work).then(
      () => 'done',
      (error) => error.reason ?? error.message,
    );
  };
  /** Ends a task, and waits until another may have started. */
  const finish = async (task: string, error?: Error) => {
    if (error) ends.get(task)?.reject(error);
    else ends.get(task)?.resolve();
    await new Promise((resolve) => setImmediate(resolve));
  };
  return { add, finish, started };
}

test('accounts take turns, each with its oldest task', async () => {
  const { add, finish, started } = controlledTurns({});
  const tasks = ['A1', 'A2', 'A3', 'A4', 'B1', 'B2', 'C1'];
  for (const task of tasks) add(task);
  const order = ['A1', 'A2', 'B1', 'C1', 'A3', 'B2', 'A4'];
  for (const task of order) await finish(task);
  expect(started).toEqual(order);
});

test('as many tasks run at the same time as allowed', async () => {
  const { add, finish, started } = controlledTurns({ running: 2 });
  for (const task of ['A1', 'A2', 'A3', 'A4']) add(task);
  expect(started).toEqual(['A1', 'A2']);
  await finish('A2');
  expect(started).toEqual(['A1', 'A2', 'A3']);
});

test('a task that fails gives its turn to the next', async () => {
  const { add, finish, started } = controlledTurns({});
  const results = [add('A1'), add('A2')];
  await finish('A1', new Error('failed'));
  await finish('A2');
  expect(await Promise.all(results)).toEqual(['failed', 'done']);
  expect(started).toEqual(['A1', 'A2']);
});

test('an account is refused beyond its own limit, and others wait', async () => {
  const { add, finish } = controlledTurns({ waiting: 4, waitingPerAccount: 2 });
  const accepted = [add('A1'), add('A2'), add('A3'), add('B1')];
  expect(await add('A4')).toBe('TOO_MANY_PASSWORDS');
  accepted.push(add('B2'));
  expect(await add('C1')).toBe('OVERLOADED');
  for (const task of ['A1', 'A2', 'B1', 'A3', 'B2']) await finish(task);
  expect(await Promise.all(accepted)).toEqual(accepted.map(() => 'done'));
});

test('without a queue, tasks are refused while as many run as allowed', async () => {
  const { add, finish } = controlledTurns({ waiting: 0 });
  const first = add('A1');
  expect(await add('B1')).toBe('OVERLOADED');
  await finish('A1');
  expect(await first).toBe('done');
  const second = add('B2');
  await finish('B2');
  expect(await second).toBe('done');
});

describe('when the signal aborts', () => {
  test('a waiting task leaves its place to another, and never runs', async () => {
    const { add, finish, started } = controlledTurns({ waiting: 1 });
    add('A1');
    const gone = new AbortController();
    const left = add('A2', gone.signal);
    expect(await add('B1')).toBe('OVERLOADED');
    gone.abort();
    expect(await left).toBe('UNAVAILABLE');
    const next = add('B2');
    await finish('A1');
    await finish('B2');
    expect(await next).toBe('done');
    expect(started).toEqual(['A1', 'B2']);
  });

  test('a running task continues, and its turn passes on once', async () => {
    const { add, finish, started } = controlledTurns({});
    const gone = new AbortController();
    add('A1');
    const task = add('A2', gone.signal);
    for (const other of ['A3', 'A4']) add(other);
    await finish('A1');
    gone.abort();
    expect(started).toEqual(['A1', 'A2']);
    await finish('A2');
    expect(await task).toBe('done');
    expect(started).toEqual(['A1', 'A2', 'A3']);
  });

  test('a task does not wait if the signal aborted before', async () => {
    const { add } = controlledTurns({});
    add('A1');
    expect(await add('A2', AbortSignal.abort())).toBe('UNAVAILABLE');
  });
});
