import { isatty } from 'node:tty';
import { type Logger, pino } from 'pino';
import type { Config } from '../config.ts';
import { terminalLine } from './terminal-log.ts';

// Lines that are not written yet are kept up to this size. Further ones are lost.
const MAX_UNWRITTEN_BYTES = 1_000_000;

/**
 * Opens the log: JSON, or text if it is a terminal. It is written in the thread pool, so that a slow reader of the log
 * does not delay requests. If it can't be written, for example because the disk is full, the server goes on without it.
 *
 * @param dest the file descriptor
 */
export function openLog(level: Config['logLevel'], dest: number): Logger {
  let isWritable = true;
  // Registered before the listener of the library, which would try for ever to write the rest to a full disk.
  process.once('exit', () => {
    if (!isWritable) destination.destroy();
  });
  const destination = pino.destination({ dest, sync: false, maxLength: MAX_UNWRITTEN_BYTES });
  destination.on('error', () => {
    isWritable = false;
  });
  destination.on('write', () => {
    isWritable = true;
  });
  const terminal = { write: (line: string) => destination.write(terminalLine(line)) };
  return pino({ level }, isatty(dest) ? terminal : destination);
}
