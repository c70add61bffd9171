import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../model/api-error.ts';
import { primaryResultCode, translateErrors } from './sqlite-statements.ts';

/** How long a write waits for the lock of another process, in milliseconds. */
export const BUSY_TIMEOUT_MS = 2000;

const BUSY_RETRY_INTERVAL_MS = 1;

// Source: sqlite.org/rescode.html, SQLITE_BUSY.
const BUSY = 5;

const MAX_BATCH = 100;

/** A write in the queue. */
type PendingWrite = {
  readonly work: () => unknown;
  /** Whether it is a single statement. SQLite rolls back a failed statement itself. */
  readonly isAtomic: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** The end of the wait for the lock of another process, on the clock of `performance.now()`. */
  readonly deadline: number;
};

/** A queue of writes. A promise resolves after its write is on disk. */
export type GroupCommit = {
  /** Executes one statement. @throws UNAVAILABLE if the database is unavailable */
  run<T>(statement: () => T): Promise<T>;
  /** Executes several statements, and rolls back all of them if one fails. @throws UNAVAILABLE if the database is unavailable */
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Returns a queue that executes writes in the order of their arrival, with one commit for all
 * writes of the same event-loop turn, because the sync to disk takes most of the time. A failed
 * write is rolled back alone. No write is acknowledged before the commit of its batch is on disk.
 *
 * @param onCommit called after a commit, before its writes are acknowledged
 */
export function groupCommit(writer: DatabaseSync, onCommit: () => void): GroupCommit {
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
  let isScheduled = false;

  // setImmediate runs after Node has processed all requests of the event-loop turn.
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
      for (const write of writes) acknowledgements.push(await execute(write, writes.length > 1));
      commit();
      onCommit();
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      for (const { reject } of writes) reject(error);
      return;
    }
    for (const acknowledge of acknowledgements) acknowledge();
  }

  /** Begins a transaction when no other process holds the lock. Returns the writes whose deadline has not passed. */
  async function beginTransaction(batch: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    for (let remaining = batch; ; ) {
      try {
        begin();
        return remaining;
      } catch (error) {
        const isBusy = error instanceof ApiError && primaryResultCode(error.cause) === BUSY;
        const now = performance.now();
        for (const { deadline, reject } of remaining) if (!isBusy || now > deadline) reject(error);
        remaining = isBusy ? remaining.filter(({ deadline }) => now <= deadline) : [];
        if (remaining.length === 0) return remaining;
        await delay(BUSY_RETRY_INTERVAL_MS);
      }
    }
  }

  /** Executes one write of a batch, and returns the function that settles its promise. @throws if the whole batch fails */
  async function execute(
    { work, isAtomic, resolve, reject }: PendingWrite,
    hasOthers: boolean,
  ): Promise<() => void> {
    const needsSavepoint = hasOthers && !isAtomic;
    if (needsSavepoint) savepoint();
    try {
      const result = work();
      const value = isAtomic ? result : await result;
      if (needsSavepoint) release();
      return () => resolve(value);
    } catch (error) {
      // SQLite rolls back the whole transaction on some errors, such as a full disk.
      if (!hasOthers || !writer.isTransaction) throw error;
      if (needsSavepoint) {
        rollbackToSavepoint();
        release();
      }
      return () => reject(error);
    }
  }

  function add<T>(work: () => unknown, isAtomic: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + BUSY_TIMEOUT_MS;
      queue.push({ work, isAtomic, resolve: resolve as PendingWrite['resolve'], reject, deadline });
      schedule();
    });
  }

  return {
    run: (statement) => add(statement, true),
    transaction: (work) => add(work, false),
  };
}
