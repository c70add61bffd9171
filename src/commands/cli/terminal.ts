import { fstatSync, statSync, writeSync } from 'node:fs';
import { devNull } from 'node:os';
import { isatty } from 'node:tty';
import { getSystemErrorMessage } from 'node:util';
import { IS_DUMB_TERMINAL } from '../../config.ts';

const [STANDARD_INPUT, STANDARD_OUTPUT, STANDARD_ERROR] = [0, 1, 2];

// To the start of the line, and erase it. Source: ECMA-48.
const RESTART_LINE = '\r\x1b[K';

// How long to wait for the reader of a full pipe that does not block.
const FULL_PIPE_MS = 10;

// How often a step prints how far it is, on lines that stay.
const PLAIN_INTERVAL_MS = 5000;

export type Terminal = {
  /** Returns whether a question can be asked: input and output are terminals. */
  isInteractive(): boolean;
  /** Returns whether standard output is a terminal. */
  isOutputShown(): boolean;
  /** Returns whether standard error is a terminal. */
  isProgressShown(): boolean;
  /** Returns whether no one can read standard output. */
  isDiscarded(): boolean;
  /** Writes a text to standard output. @throws OutputError unless all of it was written */
  write(text: string): void;
  /**
   * Shows a line in the place of the last one, if standard error is a terminal. An empty text removes it. A terminal that can't
   * erase the line gets lines that stay: each step, and every 5 s how far it is.
   */
  progress(text: string): void;
};

/** Thrown if standard output can't be written. The message is one line. */
export class OutputError extends Error {
  /** Whether the reader of a pipe has closed it, as `head` does when it has read enough. */
  readonly isPipeClosed: boolean;

  constructor(problem: string, isPipeClosed = false) {
    super(`Standard output can't be written: ${problem}.`);
    this.isPipeClosed = isPipeClosed;
  }
}

/** The terminal of this process. It writes before it returns, so a slow reader slows the command down. */
export const TERMINAL: Terminal = {
  isInteractive: () => isatty(STANDARD_INPUT) && isatty(STANDARD_OUTPUT),
  isOutputShown: () => isatty(STANDARD_OUTPUT),
  isProgressShown: () => isatty(STANDARD_ERROR),
  // Node replaces a closed descriptor by the null device when it starts.
  isDiscarded: () => fstatSync(STANDARD_OUTPUT).rdev === statSync(devNull).rdev,
  write(text) {
    // A disk that is nearly full takes a part of the text.
    for (let rest = Buffer.from(text); rest.length > 0; ) rest = rest.subarray(writeSome(rest));
  },
  progress(text) {
    if (!isatty(STANDARD_ERROR)) return;
    // One that is as wide as the terminal would take two lines, and only the second could be erased.
    const { columns = 0 } = process.stderr;
    const isPlain = IS_DUMB_TERMINAL || (columns > 0 && text.length >= columns);
    if (hasProgress || (text !== '' && !isPlain)) process.stderr.write(RESTART_LINE);
    hasProgress = text !== '' && !isPlain;
    if (hasProgress) process.stderr.write(text);
    else if (text !== '') printStep(text);
  },
};

// Whether the last line of standard error is one that can be erased.
let hasProgress = false;

// The last line that stays, without its numbers, and when the next one of the same step follows.
let plainStep = { text: '', nextMs: 0 };

function printStep(line: string): void {
  const [text, now] = [line.replace(/\d+/g, ''), performance.now()];
  if (text === plainStep.text && now < plainStep.nextMs) return;
  plainStep = { text, nextMs: now + PLAIN_INTERVAL_MS };
  process.stderr.write(`${line}\n`);
}

function writeSome(bytes: Buffer): number {
  try {
    return writeSync(STANDARD_OUTPUT, bytes);
  } catch (error) {
    const { code, errno = 0 } = error as NodeJS.ErrnoException;
    if (code !== 'EAGAIN') throw new OutputError(getSystemErrorMessage(errno), code === 'EPIPE');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_MS);
    return 0;
  }
}
