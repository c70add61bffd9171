import { overloaded, tooManyPasswords, unavailable } from '../model/api-error.ts';

/** The limits of a queue. */
export type TurnLimits = {
  /** The maximum number of tasks that run at the same time. */
  readonly running: number;
  /** The maximum number of waiting tasks. */
  readonly waiting: number;
  /** The maximum number of waiting tasks of one account. */
  readonly waitingPerAccount: number;
};

/** Runs tasks in turns: the accounts that have waiting tasks take turns, each with its oldest task. */
export type Turns = {
  /**
   * Runs a task when it is the turn of its account.
   *
   * @param signal removes a waiting task from the queue when it aborts
   * @throws RESOURCE_EXHAUSTED if the account has too many waiting tasks
   * @throws UNAVAILABLE if all accounts together have, or if the signal has aborted
   */
  run<T>(accountId: string, signal: AbortSignal, task: () => Promise<T>): Promise<T>;
  /** Returns the number of waiting tasks. */
  waitingCount(): number;
};

/** Returns an empty queue. */
export function turns({ running, waiting, waitingPerAccount }: TurnLimits): Turns {
  /** The functions that start the waiting tasks, by account. The next turn is that of the first account. */
  const queues = new Map<string, (() => void)[]>();
  let runningCount = 0;
  let waitingCount = 0;

  function takeTurn(accountId: string, signal: AbortSignal): Promise<void> {
    const queue = queues.get(accountId) ?? [];
    if (signal.aborted) throw unavailable();
    if (queue.length >= waitingPerAccount) throw tooManyPasswords();
    if (waitingCount >= waiting) throw overloaded();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const start = () => {
      signal.removeEventListener('abort', leave);
      waitingCount -= 1;
      resolve();
    };
    const leave = () => {
      waitingCount -= 1;
      queue.splice(queue.indexOf(start), 1);
      if (queue.length === 0) queues.delete(accountId);
      // Nobody receives the error.
      reject(unavailable());
    };
    signal.addEventListener('abort', leave, { once: true });
    queue.push(start);
    queues.set(accountId, queue);
    waitingCount += 1;
    return promise;
  }

  /** Passes the place of a finished task on to the next account, whose following turn is the last. */
  function passOn(): void {
    const [next] = queues;
    if (next === undefined) {
      runningCount -= 1;
      return;
    }
    const [accountId, queue] = next;
    queues.delete(accountId);
    const start = queue.shift();
    if (queue.length > 0) queues.set(accountId, queue);
    start?.();
  }

  return {
    waitingCount: () => waitingCount,
    async run(accountId, signal, task) {
      if (runningCount < running) runningCount += 1;
      else await takeTurn(accountId, signal);
      try {
        return await task();
      } finally {
        passOn();
      }
    },
  };
}
