import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../model/api-error.ts';
import { primaryCode, withOutages } from './sqlite-statements.ts';

// How long a write may wait for another process's, and how often it looks whether it may.
export const BUSY_TIMEOUT_MS = 2000;
const BUSY_INTERVAL_MS = 1;

const BUSY = 5;

const MAX_BATCH = 100;

/** A write that waits for its turn. */
type PendingWrite = {
  readonly work: () => unknown;
  /** Whether it is a single statement, which SQLite undoes by itself if it fails. */
  readonly isAtomic: boolean;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Until when it may wait for another process, in the time of `performance`. */
  readonly deadline: number;
};

/** Makes writes, each of which is acknowledged once it is on disk. */
export type GroupCommit = {
  /** Runs one statement. */
  run<T>(statement: () => T): Promise<T>;
  /** Runs several statements, all of which are undone if one fails. */
  transaction<T>(work: () => Promise<T>): Promise<T>;
};

/**
 * Makes writes in the order in which they come, and commits all together that have come
 * in the same turn of the event loop: it is the commit, on its way to the disk, that takes
 * the time. Each is undone alone if it fails, and none is acknowledged before it is on disk
 * with all the others.
 *
 * @param onCommit is called before a write is acknowledged
 */
export function groupCommit(writer: DatabaseSync, onCommit: () => void): GroupCommit {
  const prepare = (sql: string) => {
    const statement = writer.prepare(sql);
    return () => void withOutages(() => statement.run());
  };
  const begin = prepare('BEGIN IMMEDIATE');
  const commit = prepare('COMMIT');
  const savepoint = prepare('SAVEPOINT write');
  const release = prepare('RELEASE write');
  const undo = prepare('ROLLBACK TO write');
  const waiting: PendingWrite[] = [];
  let isScheduled = false;

  // After all requests of the turn have been read.
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      await commitBatch(waiting.splice(0, MAX_BATCH));
      isScheduled = false;
      schedule();
    });
  }

  async function commitBatch(batch: readonly PendingWrite[]): Promise<void> {
    const begun = await beginFor(batch);
    if (begun.length === 0) return;
    const settlements: (() => void)[] = [];
    try {
      for (const write of begun) settlements.push(await attempt(write, begun.length > 1));
      commit();
      onCommit();
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      for (const { reject } of begun) reject(error);
      return;
    }
    for (const settle of settlements) settle();
  }

  /** Begins a transaction as soon as no other process holds the lock. Returns the writes that could wait so long. */
  async function beginFor(batch: readonly PendingWrite[]): Promise<readonly PendingWrite[]> {
    for (let patient = batch; ; ) {
      try {
        begin();
        return patient;
      } catch (error) {
        const isBusy = error instanceof ApiError && primaryCode(error.cause) === BUSY;
        const now = performance.now();
        for (const { deadline, reject } of patient) if (!isBusy || now > deadline) reject(error);
        patient = isBusy ? patient.filter(({ deadline }) => now <= deadline) : [];
        if (patient.length === 0) return patient;
        await delay(BUSY_INTERVAL_MS);
      }
    }
  }

  /** Makes one write of a batch. @throws if all of the batch is undone */
  async function attempt(
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
      // Some errors, such as a full disk, end the whole transaction.
      if (!hasOthers || !writer.isTransaction) throw error;
      if (needsSavepoint) {
        undo();
        release();
      }
      return () => reject(error);
    }
  }

  function add<T>(work: () => unknown, isAtomic: boolean): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const deadline = performance.now() + BUSY_TIMEOUT_MS;
      waiting.push({ work, isAtomic, resolve: resolve as PendingWrite['resolve'], reject, deadline });
      schedule();
    });
  }

  return {
    run: (statement) => add(statement, true),
    transaction: (work) => add(work, false),
  };
}
