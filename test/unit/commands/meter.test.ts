import { expect, test } from 'vitest';
import { meter } from '../../../src/commands/cli/meter.ts';

test('a meter shows the share and the time that is left, five times a second', () => {
  const shown: string[] = [];
  let now = 0;
  const onProgress = meter(
    { progress: (text) => void shown.push(text), isProgressShown: () => true },
    'Copied',
    () => now,
  );
  for (const [atMs, part] of [
    [0, 0],
    [100, 1],
    [1000, 10],
    [1100, 11],
    [20_000, 200],
    [40_000, 999],
    [41_000, 1100],
  ] as const) {
    now = atMs;
    onProgress?.(part, 1000);
  }
  expect(shown).toEqual([
    'Copied 1 %, about 2 min left.',
    'Copied 20 %, about 2 min left.',
    'Copied 99 %, about 1 s left.',
    'Copied 100 %, about 0 s left.',
  ]);
});

test('a meter counts nothing if nobody sees it', () => {
  expect(meter({ progress: () => {}, isProgressShown: () => false }, 'Copied')).toBeUndefined();
});
