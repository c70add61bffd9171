import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, unavailable } from '../../model/api-error.ts';
import { BUSY, primaryResultCode, translateErrors } from './statements.ts';

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
  /** The end of the wait for another process, in the time of `performance`. */
  readonly deadline: number;
};

/** Runs writes, each of which resolves once it is on disk. */
export type GroupCommit = {
  /** Runs one statement. */
  run<T>(statement: () => T): Promise<T>;
  /** Runs several statements, all of which are undone if one fails. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
  /** Resolves when no write is waiting or running. */
  drain(): Promise<void>;
};

/**
 * Runs writes in the order in which they arrive, and commits those that arrive in one turn of the event loop
 * together. A write that fails is undone alone. A write resolves when a sync that began after its commit has
 * ended; the next writes are committed meanwhile.
 *
 * @param sync puts all earlier commits on disk
 */
export function groupCommit(writer: DatabaseSync, sync: () => Promise<void>): GroupCommit {
  const prepare = (sql: string) => {
    const statement = writer.prepare(sql);
    return () => void translateErrors(() => statement.run());
  };
  const begin = prepare('BEGIN IMMEDIATE');
  const commit = prepare('COMMIT');
  const savepoint = prepare('SAVEPOINT write');
  const release = prepare('RELEASE write');
  const rollbackToSavepoint = prepare('ROLLBACK TO write');
  const queue: PendingWrite[] = [];
  const unfinished = new Set<Promise<unknown>>();
  const transactions = new AsyncLocalStorage<true>();
  let isScheduled = false;

  // After all requests of the turn have been read.
  function schedule(): void {
    if (isScheduled || queue.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      await commitBatch(queue.splice(0, MAX_BATCH));
      isScheduled = false;
      schedule();
    });
  }

  async function commitBatch(batch: readonly PendingWrite[]): Promise<void> {
    const writes = await beginTransaction(batch);
    if (writes.length === 0) return;
    const acknowledgements: (() => void)[] = [];
    try {
      for (const write of writes) acknowledgements.push(await execute(write, writes));
      translateErrors(commit);
    } catch (error) {
      rollBack();
      for (const { reject } of writes) reject(error);
      return;
    }
    sync().then(
      () => {
        for (const acknowledge of acknowledgements) acknowledge();
      },
      (error) => {
        for (const { reject } of writes) reject(error);
      },
    );
  }

  /** Begins a transaction when no other process holds the lock. Returns the writes whose deadline has not passed. */
  async function beginTransaction(batch: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    for (let remaining = batch, interval = MIN_BUSY_INTERVAL_MS; ; ) {
      try {
        begin();
        return remaining;
      } catch (error) {
        const isBusy = error instanceof ApiError && primaryResultCode(error.cause) === BUSY;
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
   * @returns the function that settles its promise
   * @throws UNAVAILABLE if the whole batch is undone
   */
  async function execute(write: PendingWrite, batch: readonly PendingWrite[]): Promise<() => void> {
    const { work, isAtomic, resolve, reject } = write;
    const needsSavepoint = batch.length > 1 && !isAtomic;
    if (needsSavepoint) savepoint();
    try {
      const result = isAtomic ? work() : transactions.run(true, work);
      const value = isAtomic ? result : await result;
      if (needsSavepoint) release();
      return () => resolve(value);
    } catch (error) {
      if (batch.length === 1) throw error;
      if (!writer.isTransaction) {
        // Some errors, such as a full disk, undo the whole transaction. The other writes did not cause it.
        reject(error);
        throw unavailable(error);
      }
      if (needsSavepoint) {
        rollbackToSavepoint();
        release();
      }
      return () => reject(error);
    }
  }

  function rollBack(): void {
    try {
      if (writer.isTransaction) writer.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails and names the cause.
    }
  }

  function add<T>(work: () => unknown, isAtomic: boolean): Promise<T> {
    if (transactions.getStore()) {
      throw new Error('A write inside a transaction would wait for itself: use the transaction.');
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    queue.push({ work, isAtomic, resolve, reject, deadline: performance.now() + BUSY_TIMEOUT_MS });
    unfinished.add(promise);
    const finish = () => unfinished.delete(promise);
    promise.then(finish, finish);
    schedule();
    return promise as Promise<T>;
  }

  return {
    run: (statement) => add(statement, true),
    transaction: (work) => add(work, false),
    async drain() {
      while (unfinished.size > 0) await Promise.allSettled(unfinished);
    },
  };
}
