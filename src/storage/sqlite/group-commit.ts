import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, unavailable } from '../port/errors.ts';
import { InProgress } from '../port/in-progress.ts';
import type { LogSync } from './log-sync.ts';
import { isDiskError, type RunStatement } from './statements.ts';

/** How long a write waits for the lock of another process. */
export const BUSY_TIMEOUT_MS = 2000;

// The lock is tried again after intervals that grow from the first to the second.
const MIN_BUSY_INTERVAL_MS = 1;
const MAX_BUSY_INTERVAL_MS = 32;

const MAX_BATCH = 100;

/** A write that waits for its turn. */
type PendingWrite = {
  readonly work: () => unknown;
  /** Whether it is a single statement, which SQLite undoes by itself if it fails. */
  readonly isAtomic: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The end of the wait for another process, as `performance.now()`. */
  readonly deadline: number;
};

/** Settles a write after its batch was committed. @param failure the error of the sync, if it has failed */
type Settle = (failure?: unknown) => void;

/**
 * Runs writes in the order in which they arrive, and commits those that arrive in one turn of the event loop
 * together. A write that fails is undone alone. A write resolves when a sync that began after its commit has
 * ended; the next writes are committed meanwhile.
 */
export class GroupCommit {
  readonly #writer: DatabaseSync;
  readonly #log: Pick<LogSync, 'assertUsable' | 'sync'>;
  readonly #queue: PendingWrite[] = [];
  readonly #unfinished = new InProgress();
  readonly #execute: RunStatement;
  #isScheduled = false;
  #needsSpace = false;

  /**
   * @param execute executes statements on `writer`
   * @param log puts commits on disk
   */
  constructor(writer: DatabaseSync, execute: RunStatement, log: Pick<LogSync, 'assertUsable' | 'sync'>) {
    this.#writer = writer;
    this.#execute = execute;
    this.#log = log;
  }

  /** Runs one statement. @throws RESULT_UNKNOWN if it was committed, and could not be put on disk */
  run<T>(statement: () => T): Promise<T> {
    return this.#add<T>(statement, true);
  }

  /** Runs several statements, all of which are undone if one fails. @throws RESULT_UNKNOWN as `run` does */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    return this.#add<T>(work, false);
  }

  /** Whether the disk has refused the last commit. */
  get needsSpace(): boolean {
    return this.#needsSpace;
  }

  /** Resolves when no write is waiting or running. */
  drain(): Promise<void> {
    return this.#unfinished.end();
  }

  #add<T>(work: () => unknown, isAtomic: boolean): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#queue.push({ work, isAtomic, resolve, reject, deadline: performance.now() + BUSY_TIMEOUT_MS });
    this.#schedule();
    return this.#unfinished.track(promise as Promise<T>);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#queue.length === 0) return;
    this.#isScheduled = true;
    // After all requests of the turn have been read.
    setImmediate(async () => {
      await this.#commitBatch(this.#queue.splice(0, MAX_BATCH));
      this.#isScheduled = false;
      this.#schedule();
    });
  }

  async #commitBatch(batch: readonly PendingWrite[]): Promise<void> {
    const writes = await this.#begin(batch);
    if (writes.length === 0) return;
    const settlements: Settle[] = [];
    try {
      for (const write of writes) settlements.push(await this.#runWrite(write, writes.length > 1));
      // A sync can have failed during a transaction.
      this.#log.assertUsable();
      this.#execute('COMMIT');
    } catch (error) {
      this.#needsSpace ||= isDiskError(error);
      this.#rollBack();
      for (const { reject } of writes) reject(error);
      return;
    }
    this.#needsSpace = false;
    const settle: Settle = (failure) => {
      for (const each of settlements) each(failure);
    };
    this.#log.sync().then(() => settle(), settle);
  }

  /** Begins a transaction when no other process holds the lock. Returns the writes whose deadline has not passed. */
  async #begin(batch: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    for (let remaining = batch, interval = MIN_BUSY_INTERVAL_MS; ; ) {
      try {
        this.#log.assertUsable();
        this.#execute('BEGIN IMMEDIATE');
        return remaining;
      } catch (error) {
        const isBusy = error instanceof DatabaseError && error.outage === 'lock';
        const now = performance.now();
        for (const { deadline, reject } of remaining) if (!isBusy || now > deadline) reject(error);
        remaining = isBusy ? remaining.filter(({ deadline }) => now <= deadline) : [];
        if (remaining.length === 0) return remaining;
        await delay(interval);
        interval = Math.min(2 * interval, MAX_BUSY_INTERVAL_MS);
      }
    }
  }

  /**
   * Runs one write of a batch.
   *
   * @param isShared whether the batch has other writes
   * @throws UNAVAILABLE if the whole batch is undone
   */
  async #runWrite({ work, isAtomic, resolve, reject }: PendingWrite, isShared: boolean): Promise<Settle> {
    const needsSavepoint = isShared && !isAtomic;
    if (needsSavepoint) this.#execute('SAVEPOINT write');
    try {
      // An `await` would end the turn of the event loop.
      const result = isAtomic ? work() : await work();
      if (needsSavepoint) this.#execute('RELEASE write');
      return (failure) => (failure === undefined ? resolve(result) : reject(failure));
    } catch (error) {
      if (!isShared) throw error;
      if (!this.#writer.isTransaction) {
        // Some errors, such as a full disk, undo the whole transaction. The other writes did not cause it.
        reject(error);
        throw unavailable(error instanceof DatabaseError ? error.cause : error);
      }
      if (needsSavepoint) {
        this.#execute('ROLLBACK TO write');
        this.#execute('RELEASE write');
      }
      return () => reject(error);
    }
  }

  #rollBack(): void {
    try {
      if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails and names the cause.
    }
  }
}
