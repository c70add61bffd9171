import { type Logger, pino } from 'pino';
import type { Config } from '../../config.ts';

// Lines that are not written yet are kept up to this size. Further ones are lost.
const MAX_UNWRITTEN_BYTES = 1_000_000;

// How long the process waits for the reader of the log before it ends.
const LAST_LINES_MS = 500;

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
  // Node makes a pipe non-blocking when it opens the stream. A full one would otherwise block a thread for ever.
  void (dest === 1 ? process.stdout : process.stderr);
  let isClosed = false;
  let isWritable = true;
  // Registered before the listener of the library, which would try for ever to write the rest to a full disk or pipe. After
  // an uncaught exception, the last lines are not written yet.
  process.once('exit', () => {
    isClosed = true;
    try {
      if (isWritable) destination.flushSync();
    } catch {
      // Nobody reads the log.
    }
    destination.destroy();
  });
  const destination = pino.destination({
    dest,
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
  const giveUp = () => {
    isClosed = true;
  };
  return {
    logger: pino({ level }, destination),
    close: () => void setTimeout(giveUp, LAST_LINES_MS).unref(),
  };
}
