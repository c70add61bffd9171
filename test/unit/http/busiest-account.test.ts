import { expect, onTestFinished, test, vi } from 'vitest';
import { WindowCounts } from '../../../src/http/limits/window-counts.ts';
import { BusiestAccount } from '../../../src/http/log/busiest-account.ts';

test('the account with more than half of the requests of a minute is logged once, until it has fewer', () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const info = vi.fn();
  const counts = new WindowCounts();
  const busiest = new BusiestAccount({ info }, () => counts.takeAll());
  onTestFinished(() => busiest.close());
  const minutes = [
    { busy: 599, other: 0, share: 0, lines: 0 },
    { busy: 450, other: 150, share: 0.75, lines: 1 },
    { busy: 4500, other: 1500, share: 0.75, lines: 1 },
    { busy: 300, other: 300, share: 0.5, lines: 1 },
    { busy: 400, other: 200, share: 2 / 3, lines: 2 },
    { busy: 1, other: 0, share: 0, lines: 2 },
    { busy: 100, other: 500, share: 5 / 6, lines: 3 },
    { busy: 0, other: 0, share: 0, lines: 3 },
  ];
  for (const { busy, other, share, lines } of minutes) {
    for (let n = 0; n < busy; n += 1) counts.add('busy');
    // The windows of the limit begin and end at other times.
    vi.advanceTimersByTime(30_000);
    for (let n = 0; n < other; n += 1) counts.add('other');
    vi.advanceTimersByTime(30_000);
    expect([busiest.share, info.mock.calls.length]).toEqual([share, lines]);
  }
  expect(info.mock.calls.map(([fields]) => fields)).toEqual([
    { account: 'busy', share: 0.75 },
    { account: 'busy', share: 0.67 },
    { account: 'other', share: 0.83 },
  ]);
});
