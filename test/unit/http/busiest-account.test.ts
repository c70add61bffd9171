import { expect, onTestFinished, test, vi } from 'vitest';
import { BusiestAccount } from '../../../src/http/limits/busiest-account.ts';

test('a flood of requests that are not authenticated does not make a small account the busiest', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const info = vi.fn();
  const inProgress = new Map<string | undefined, number>([
    [undefined, 50],
    ['small', 1],
  ]);
  const busiest = new BusiestAccount({ info }, inProgress);
  onTestFinished(() => busiest.close());
  vi.advanceTimersByTime(60_000);
  expect([busiest.share, info.mock.calls]).toEqual([0, []]);
  inProgress.set('small', 10);
  vi.advanceTimersByTime(60_000);
  expect([busiest.share, info.mock.calls.length]).toEqual([1, 1]);
});
