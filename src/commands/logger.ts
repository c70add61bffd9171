import { constants, fstatSync, openSync } from 'node:fs';
import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';

// Lines that are not written yet are kept up to this size. Further ones are lost.
const MAX_UNWRITTEN_BYTES = 1_000_000;

// How long the process waits for the reader of the log before it ends.
const LAST_LINES_MS = 500;

/** An open log. */
export type Log = {
  readonly logger: Logger;
  /** Lets the process end, also if nobody reads the log. Must be called before the end of the process. */
  close(): void;
};

/**
 * Opens the log. It is written in the thread pool, so that a slow reader of the log
 * does not delay requests. If it can't be written, for example because the disk is full, the server goes on without it.
 *
 * @param dest the file descriptor: 1 or 2
 */
export function openLog(level: Config['logLevel'], dest: 1 | 2): Log {
  let isWritable = true;
  let isClosed = false;
  // Registered before the listener of the library, which would try for ever to write the rest to a full disk.
  process.once('exit', () => {
    if (!isWritable) destination.destroy();
  });
  const destination = pino.destination({
    dest: nonBlocking(dest),
    sync: false,
    maxLength: MAX_UNWRITTEN_BYTES,
    retryEAGAIN: () => !isClosed,
  });
  destination.on('error', () => {
    isWritable = false;
  });
  destination.on('write', () => {
    isWritable = true;
  });
  return {
    logger: pino({ level }, destination),
    close() {
      const giveUp = () => {
        isClosed = true;
      };
      // Only lines that are not written keep the process alive.
      setTimeout(giveUp, LAST_LINES_MS).unref();
    },
  };
}

/** Returns a non-blocking file descriptor. A full pipe would otherwise block a thread, and the process could not end. */
function nonBlocking(dest: 1 | 2): number {
  try {
    // The flag is shared with other processes, and workers reset it. A pipe can be opened again, with a flag of its own.
    const { O_WRONLY, O_NONBLOCK } = constants;
    if (fstatSync(dest).isFIFO()) return openSync(`/proc/self/fd/${dest}`, O_WRONLY | O_NONBLOCK);
  } catch {
    // A pipe of another user, or another operating system.
  }
  // Node sets the flag when it opens the stream.
  void (dest === 1 ? process.stdout : process.stderr);
  return dest;
}
