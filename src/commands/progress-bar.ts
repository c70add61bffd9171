import type { WriteStream } from 'node:tty';

const WIDTH = 30;

/**
 * Draws a bar on a terminal, over itself each time, and ends its line when all is
 * done. On anything but a terminal it draws nothing.
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
