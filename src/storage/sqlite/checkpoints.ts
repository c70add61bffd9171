import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { CheckpointResult } from './checkpoint-thread.ts';

// The log is checkpointed when it is larger than this.
const CHECKPOINT_BYTES = 8_000_000;

// A reader that holds an old snapshot keeps the log from shrinking.
const RETRY_INTERVAL_MS = 1000;
const REPORT_AFTER_MS = 60_000;

const THREAD = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/** A log that can't shrink because of a reader. */
export type HeldLog = {
  readonly bytes: number;
  readonly seconds: number;
  /** The ids of the other processes that have the database open, where the system tells them. */
  readonly processIds: readonly number[];
};

/** Moves the contents of the write-ahead log into the database. */
export type Checkpoints = {
  /** Starts a checkpoint if the log is large and none is running. */
  considerLog(bytes: number): void;
  /** Ends the thread after its current checkpoint. */
  close(): Promise<void>;
};

/**
 * Runs checkpoints on a thread of their own, which is started with the first one.
 *
 * @param path the file of the database
 * @param onHeld is called about once a minute while a reader keeps the log from shrinking
 */
export function checkpoints(path: string, onHeld: (log: HeldLog) => void): Checkpoints {
  let thread: Worker | undefined;
  let isRunning = false;
  let heldSince: number | undefined;
  let reported = 0;
  let retry: NodeJS.Timeout | undefined;
  let isClosed = false;

  function start(): void {
    if (isClosed) return;
    thread ??= startThread();
    isRunning = true;
    thread.postMessage('checkpoint');
  }

  function startThread(): Worker {
    const worker = new Worker(THREAD, { workerData: { path } });
    // A thread that is idle does not keep the process alive.
    worker.unref();
    worker.on('message', finish);
    // Another thread tries again. Until then a checkpoint counts as running, so that there is one attempt at a time.
    worker.on('error', () => {
      thread = undefined;
      retry = setTimeout(start, RETRY_INTERVAL_MS).unref();
    });
    return worker;
  }

  function finish({ isHeld, hasMore, bytes, processIds }: CheckpointResult): void {
    isRunning = false;
    if (hasMore) start();
    if (!isHeld) {
      heldSince = undefined;
      return;
    }
    const now = performance.now();
    heldSince ??= now;
    if (now - Math.max(heldSince, reported) >= REPORT_AFTER_MS) {
      reported = now;
      onHeld({ bytes, seconds: Math.round((now - heldSince) / 1000), processIds });
    }
    retry = setTimeout(start, RETRY_INTERVAL_MS).unref();
  }

  return {
    considerLog(bytes) {
      if (bytes > CHECKPOINT_BYTES && !isRunning && heldSince === undefined) start();
    },
    async close() {
      isClosed = true;
      clearTimeout(retry);
      if (thread === undefined) return;
      const ended = Promise.withResolvers<void>();
      thread.ref();
      thread.once('exit', () => ended.resolve());
      thread.postMessage('close');
      await ended.promise;
    },
  };
}
