import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { remembered } from '../../../src/storage/work/remembered.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }));
afterEach(() => void vi.useRealTimers());

test.each([
  ['a success', async () => {}],
  ['a failure', async () => Promise.reject(new Error('away'))],
])('%s is remembered for its lifetime', async (_, result) => {
  const check = vi.fn<() => Promise<void>>(result);
  const probe = remembered(check, 1000);
  const first = await Promise.allSettled([probe(), probe()]);
  vi.advanceTimersByTime(999);
  expect(await Promise.allSettled([probe(), probe()])).toEqual(first);
  expect(check).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await Promise.allSettled([probe()]);
  expect(check).toHaveBeenCalledTimes(2);
});

test('work runs once at a time, however long it takes', async () => {
  const running = Promise.withResolvers<void>();
  const check = vi.fn<() => Promise<void>>(() => running.promise);
  const probe = remembered(check, 1000);
  const first = probe();
  vi.advanceTimersByTime(60_000);
  const second = probe();
  running.resolve();
  await Promise.all([first, second]);
  expect(check).toHaveBeenCalledTimes(1);
});

test('without a lifetime, the result is remembered for ever', async () => {
  const work = vi.fn<() => Promise<number>>(async () => 1);
  const read = remembered(work);
  expect(await read()).toBe(1);
  vi.advanceTimersByTime(1e12);
  expect(await read()).toBe(1);
  expect(work).toHaveBeenCalledTimes(1);
});
