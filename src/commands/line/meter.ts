import { statSync } from 'node:fs';
import type { OnProgress } from '../../storage/port/progress.ts';
import type { Terminal } from './terminal.ts';

const BYTES_PER_MB = 1_000_000;
const INTERVAL_MS = 200;
const SECONDS_PER_MINUTE = 60;

/** Returns a file with its size, for a step of a long work that can't tell how far it is. */
export function fileWithSize(path: string): string {
  return `${path} (${Math.ceil(statSync(path).size / BYTES_PER_MB)} MB)`;
}

/**
 * Returns a function that shows how far a long work is, and how long the rest takes at its rate so far:
 * `Copied 40 %, about 12 s left.`
 */
export function meter(
  { progress }: Pick<Terminal, 'progress'>,
  done: string,
  clock = () => performance.now(),
): OnProgress {
  const start = clock();
  // Short work shows nothing.
  let next = start + INTERVAL_MS;
  return (part, whole) => {
    const now = clock();
    if (now < next || part <= 0) return;
    next = now + INTERVAL_MS;
    const share = Math.min(1, part / whole);
    const seconds = Math.ceil((((now - start) / 1000) * (1 - share)) / share);
    const left =
      seconds > SECONDS_PER_MINUTE ? `${Math.ceil(seconds / SECONDS_PER_MINUTE)} min` : `${seconds} s`;
    progress(`${done} ${Math.floor(100 * share)} %, about ${left} left.`);
  };
}
