import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

// The log is checkpointed when it is larger than this.
const CHECKPOINT_BYTES = 8_000_000;

// A smaller log is checkpointed as well, so that what was deleted does not stay readable in it.
const INTERVAL_MS = 60_000;

// A reader that holds an old snapshot keeps the log from shrinking.
const RETRY_INTERVAL_MS = 1000;

const THREAD = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Moves the contents of the write-ahead log into the database, on a thread of its own that is started with the first
 * checkpoint: when the log is large, and once in a minute in which it has grown.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  #thread: Worker | undefined;
  /** Whether a checkpoint is running, or will be tried again. */
  #isBusy = false;
  #isClosed = false;
  #retry: NodeJS.Timeout | undefined;
  /** The size of the log after the last checkpoint. */
  #bytes = 0;

  /** @param path the file of the database */
  constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => {
      if (logSize(path) > this.#bytes) this.#start();
    }, INTERVAL_MS).unref();
  }

  /** Starts a checkpoint if the log is large. */
  considerLog(bytes: number): void {
    if (bytes > CHECKPOINT_BYTES) this.#start();
  }

  /** Ends the thread after its current checkpoint. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    clearTimeout(this.#retry);
    const thread = this.#thread;
    if (thread === undefined) return;
    thread.ref();
    const ended = new Promise((resolve) => thread.once('exit', resolve));
    thread.postMessage('close');
    await ended;
  }

  #start(): void {
    if (this.#isBusy || this.#isClosed) return;
    this.#isBusy = true;
    this.#thread ??= this.#startThread();
    this.#thread.postMessage('checkpoint');
  }

  #startThread(): Worker {
    const thread = new Worker(THREAD, { workerData: { path: this.#path } });
    // A thread that is idle does not keep the process alive.
    thread.unref();
    thread.on('message', (isTruncated: boolean) => {
      if (!isTruncated) return this.#startLater();
      this.#bytes = logSize(this.#path);
      this.#isBusy = false;
    });
    thread.on('error', () => {
      this.#thread = undefined;
      this.#startLater();
    });
    return thread;
  }

  #startLater(): void {
    this.#retry = setTimeout(() => {
      this.#isBusy = false;
      this.#start();
    }, RETRY_INTERVAL_MS).unref();
  }
}

function logSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
