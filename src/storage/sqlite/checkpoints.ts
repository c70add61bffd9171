import { statSync } from 'node:fs';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';

// The log is checkpointed when it is larger than this.
const CHECKPOINT_BYTES = 8_000_000;

// A smaller log is checkpointed as well, so deleted data does not stay readable in it.
const INTERVAL_MS = 60_000;

// A reader that holds an old snapshot keeps the log from shrinking.
const RETRY_INTERVAL_MS = 1000;

const THREAD = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);

/**
 * Moves the contents of the write-ahead log into the database, on a separate thread that is started with the first
 * checkpoint: when the log is large, and once a minute if it has grown.
 */
export class Checkpoints {
  readonly #path: string;
  readonly #timer: NodeJS.Timeout;
  #thread: Worker | undefined;
  #isRunning = false;
  /** The size of the log after the last checkpoint. */
  #bytes = 0;
  /** The time before which a large log is not checkpointed again, as `performance.now()`. */
  #nextMs = 0;

  /** @param path the file of the database */
  constructor(path: string) {
    this.#path = path;
    this.#timer = setInterval(() => {
      if (logSize(path) > this.#bytes) this.#start();
    }, INTERVAL_MS).unref();
  }

  /** Whether a checkpoint is running, which can hold the lock of writers. */
  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Starts a checkpoint if the log is large. */
  considerLog(bytes: number): void {
    if (bytes > CHECKPOINT_BYTES && performance.now() >= this.#nextMs) this.#start();
  }

  /** Ends the thread after its current statement. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#nextMs = Number.POSITIVE_INFINITY;
    await this.#thread?.terminate();
  }

  #start(): void {
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#thread ??= this.#startThread();
    this.#thread.postMessage(undefined);
  }

  #startThread(): Worker {
    const thread = new Worker(THREAD, { workerData: { path: this.#path } });
    // A thread that is idle does not keep the process alive.
    thread.unref();
    thread.on('message', (isTruncated: boolean) => this.#end(isTruncated));
    thread.on('error', () => {
      this.#thread = undefined;
      this.#end(false);
    });
    return thread;
  }

  #end(isTruncated: boolean): void {
    this.#isRunning = false;
    if (isTruncated) this.#bytes = logSize(this.#path);
    else this.#nextMs = Math.max(this.#nextMs, performance.now() + RETRY_INTERVAL_MS);
  }
}

function logSize(path: string): number {
  return statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
}
