import { constants, openSync, writeSync } from 'node:fs';
import { isatty } from 'node:tty';
import { type DestinationStream, type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';

// Lines that are not written yet are kept up to this size. More lines are lost.
const MAX_UNWRITTEN_BYTES = 1_000_000;

// A UTF-16 code unit takes at most so many bytes in UTF-8.
const MAX_BYTES_PER_CHARACTER = 3;

// Lines are written together when they have so many bytes, or after so long. A write takes the time of several lines.
const CHUNK_BYTES = 16_384;
const CHUNK_MS = 10;

// A line begins with its level. One of level `error` or higher is written immediately: the process may be killed next.
const FIRST_ERROR = '{"level":50';

// How long the process waits for the reader of the log before it ends.
const LAST_LINES_MS = 500;

/**
 * Opens the log. A slow reader of a pipe or a terminal does not delay requests. A file is written on the event loop, so a slow
 * disk does. If the log can't be written, for example because the disk is full, the server continues without it, and after its
 * reader has closed it, no more lines are written. The last lines are written when the process exits, even after an uncaught
 * exception.
 *
 * @param dest the file descriptor: 1 or 2
 */
export function openLog(level: Config['logLevel'], dest: 1 | 2): Logger {
  // Node makes a pipe non-blocking when it opens the stream. A full one would otherwise block the process forever.
  void (dest === 1 ? process.stdout : process.stderr);
  const lines = isatty(dest) ? new LogLines(openTerminal(dest), 'EIO') : new LogLines(dest, 'EPIPE');
  process.once('exit', () => lines.end());
  return pino({ level }, lines);
}

/** Opens a terminal again, because an unread one would block the process. */
function openTerminal(dest: 1 | 2): number {
  const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
  try {
    return openSync(`/dev/fd/${dest}`, O_WRONLY | O_NONBLOCK | O_NOCTTY);
  } catch {
    // Another user's terminal.
    return dest;
  }
}

class LogLines implements DestinationStream {
  readonly #dest: number;
  readonly #closedCode: string;
  readonly #unwritten = Buffer.allocUnsafe(MAX_UNWRITTEN_BYTES);
  #bytes = 0;
  /** The code of the error, if the last write has failed. */
  #failure: string | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param closedCode the code of the error after the reader has closed the log, which is final */
  constructor(dest: number, closedCode: 'EIO' | 'EPIPE') {
    this.#dest = dest;
    this.#closedCode = closedCode;
  }

  write(line: string): void {
    if (this.#failure === this.#closedCode) return;
    if (this.#bytes + MAX_BYTES_PER_CHARACTER * line.length <= MAX_UNWRITTEN_BYTES) {
      this.#bytes += this.#unwritten.write(line, this.#bytes);
    }
    if (line >= FIRST_ERROR || (this.#bytes >= CHUNK_BYTES && this.#failure === undefined)) this.flush();
    else this.#flushLater();
  }

  flush(): void {
    let written = 0;
    try {
      while (written < this.#bytes) {
        written += writeSync(this.#dest, this.#unwritten, written, this.#bytes - written);
        this.#failure = undefined;
      }
    } catch (error) {
      this.#failure = (error as NodeJS.ErrnoException).code;
      if (this.#failure === this.#closedCode) written = this.#bytes;
      else this.#flushLater();
    }
    this.#unwritten.copyWithin(0, written, this.#bytes);
    this.#bytes -= written;
  }

  end(): void {
    const endMs = performance.now() + LAST_LINES_MS;
    // A full disk is not waited for.
    for (this.flush(); this.#failure === 'EAGAIN' && performance.now() < endMs; this.flush()) {
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
