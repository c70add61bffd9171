import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';

// Lines that are not written yet are kept up to this size. More lines are lost.
const MAX_UNWRITTEN_BYTES = 1_000_000;

// Lines are written together when there are so many characters, or after so long. A write takes the time of several lines.
const CHUNK_LENGTH = 16_384;
const CHUNK_MS = 10;

// A line begins with its level. One of level `error` or higher is written at once: the process may be killed next.
const FIRST_ERROR = '{"level":50';

// How long the process waits for the reader of the log before it ends.
const LAST_LINES_MS = 500;

/**
 * Opens the log. A slow reader of the log does not delay requests. If the log can't be written, for example because the
 * disk is full, the server continues without it. The last lines are written when the process exits, even after an
 * uncaught exception.
 *
 * @param dest the file descriptor: 1 or 2
 */
export function openLog(level: Config['logLevel'], dest: 1 | 2): Logger {
  // Node makes a pipe non-blocking when it opens the stream. A full one would otherwise block the process forever.
  void (dest === 1 ? process.stdout : process.stderr);
  const lines = new LogLines(isatty(dest) ? openTerminal(dest) : dest);
  process.once('exit', () => lines.end());
  return pino({ level }, lines);
}

/** Opens a terminal again, because one that nobody reads would block the process. */
function openTerminal(dest: 1 | 2): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${dest}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // The terminal of another user.
    return dest;
  }
}

class LogLines implements DestinationStream {
  readonly #dest: number;
  #isFull = false;
  #collected = '';
  readonly #unwritten: Buffer[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(dest: number) {
    this.#dest = dest;
  }

  write(line: string): void {
    this.#collected += line;
    if (this.#collected.length >= CHUNK_LENGTH || line >= FIRST_ERROR) this.flush();
    else this.#flushLater();
  }

  flush(): void {
    const chunk = Buffer.from(this.#collected);
    this.#collected = '';
    const bytes = this.#unwritten.reduce((sum, { length }) => sum + length, chunk.length);
    if (chunk.length > 0 && bytes <= MAX_UNWRITTEN_BYTES) this.#unwritten.push(chunk);
    try {
      for (let next = this.#unwritten[0]; next; next = this.#unwritten[0]) {
        const written = writeSync(this.#dest, next);
        if (written < next.length) this.#unwritten[0] = next.subarray(written);
        else this.#unwritten.shift();
      }
      this.#isFull = false;
    } catch (error) {
      // Otherwise the disk is full, or nobody reads the log any more.
      this.#isFull = (error as NodeJS.ErrnoException).code === 'EAGAIN';
      this.#flushLater();
    }
  }

  end(): void {
    const endMs = performance.now() + LAST_LINES_MS;
    for (this.flush(); this.#isFull && performance.now() < endMs; this.flush()) {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, CHUNK_MS);
    }
  }

  #flushLater(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, CHUNK_MS).unref();
  }
}
