import type { WriteStream } from 'node:tty';

const WIDTH = 30;

/**
 * Returns a function that draws a progress bar on a terminal. Each call overwrites the previous
 * bar, and the last one ends the line. If the stream is not a terminal, nothing is drawn.
 */
export function progressBar(stream: WriteStream): (progress: { done: number; total: number }) => void {
  if (!stream.isTTY) return () => {};
  return ({ done, total }) => {
    const filled = Math.floor((done / total) * WIDTH);
    const bar = '█'.repeat(filled).padEnd(WIDTH, '░');
    const percent = Math.floor((done / total) * 100);
    stream.write(`\r${bar} ${percent}% ${done}/${total}${done === total ? '\n' : ''}`);
  };
}
