import type { OnProgress } from '../../storage/work/progress.ts';
import type { Terminal } from './terminal.ts';

const INTERVAL_MS = 200;
const SECONDS_PER_MINUTE = 60;

/**
 * Returns a function that shows how far a long work is, and how long the rest takes at its rate since the first call:
 * `Copied 40 %, about 12 s left.` Returns undefined if no one would see it.
 */
export function meter(
  { progress, isProgressShown }: Pick<Terminal, 'progress' | 'isProgressShown'>,
  done: string,
  clock = () => performance.now(),
): OnProgress | undefined {
  if (!isProgressShown()) return undefined;
  let [start, next] = [0, 0];
  return (part, whole) => {
    const now = clock();
    if (part === 0) {
      // Short work shows nothing.
      [start, next] = [now, now + INTERVAL_MS];
      return;
    }
    if (now < next) return;
    next = now + INTERVAL_MS;
    const share = Math.min(1, part / whole);
    const seconds = Math.ceil((((now - start) / 1000) * (1 - share)) / share);
    const left =
      seconds > SECONDS_PER_MINUTE ? `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min` : `${seconds} s`;
    progress(`${done} ${Math.floor(100 * share)} %, about ${left} left.`);
  };
}
