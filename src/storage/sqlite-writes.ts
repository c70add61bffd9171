import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError } from '../model/api-error.ts';
import { primaryCode, withOutages } from './sqlite-statements.ts';

// How long a write may wait for another process's, and how often it looks whether it may.
export const BUSY_TIMEOUT_MS = 2000;
const BUSY_INTERVAL_MS = 1;

const BUSY = 5;

const MOST_TOGETHER = 100;

/** A piece of work that writes, and what waits for it. */
type Job = {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Until when it may wait for another process, in the time of `performance`. */
  readonly deadline: number;
};

/**
 * Does what is to be written in the order in which it comes, all that has come
 * together in one transaction: it is the commit, on its way to the disk, that takes
 * the time. Each is undone alone if it fails, and nobody hears of theirs before it
 * is on disk with all the others.
 *
 * @param onCommit is called before anybody hears of it
 */
export function sharedCommits(
  writer: DatabaseSync,
  onCommit: () => void,
): { add<T>(work: () => Promise<T>): Promise<T> } {
  const exec = (sql: string) => withOutages(() => writer.exec(sql));
  const waiting: Job[] = [];
  let isScheduled = false;

  // When everything has been heard that came in at the same time.
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      await commitTogether(waiting.splice(0, MOST_TOGETHER));
      isScheduled = false;
      schedule();
    });
  }

  async function commitTogether(jobs: readonly Job[]): Promise<void> {
    const begun = await begin(jobs);
    if (begun.length === 0) return;
    const settlements: (() => void)[] = [];
    try {
      for (const job of begun) settlements.push(await attempt(job, begun.length > 1));
      exec('COMMIT');
      onCommit();
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      for (const { reject } of begun) reject(error);
      return;
    }
    for (const settle of settlements) settle();
  }

  /** Begins a transaction as soon as no other process holds the lock, and returns those who could wait so long. */
  async function begin(jobs: readonly Job[]): Promise<readonly Job[]> {
    for (let patient = jobs; ; ) {
      try {
        exec('BEGIN IMMEDIATE');
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

  /** Does one of several. What is thrown means that all of them are undone. */
  async function attempt({ work, resolve, reject }: Job, isOneOfSeveral: boolean): Promise<() => void> {
    if (isOneOfSeveral) exec('SAVEPOINT job');
    try {
      const value = await work();
      if (isOneOfSeveral) exec('RELEASE job');
      return () => resolve(value);
    } catch (error) {
      // Some errors, such as a full disk, end the whole transaction.
      if (!isOneOfSeveral || !writer.isTransaction) throw error;
      exec('ROLLBACK TO job; RELEASE job');
      return () => reject(error);
    }
  }

  return {
    add: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const deadline = performance.now() + BUSY_TIMEOUT_MS;
        waiting.push({ work, resolve: resolve as Job['resolve'], reject, deadline });
        schedule();
      }),
  };
}
