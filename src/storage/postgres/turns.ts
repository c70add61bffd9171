import { unavailable } from '../../model/api-error.ts';
import { PoolTimeout } from './errors.ts';

/** The time for which a statement of a request waits for a lock, in milliseconds. */
export const LOCK_TIMEOUT_MS = 1000;

/** How the use of a connection has ended. After a loss of the connection, nothing is known about locks. */
export type UseResult = 'done' | 'blocked' | 'lost';

/** Limits how many connections of a pool are used by the statements that can wait for a lock. */
export type Turns = {
  /**
   * Takes a turn. Statements with the same text share a queue, and the queues take turns.
   *
   * @returns undefined if a turn is available at once
   */
  take(text: string): PendingTurn | undefined;
  /** Gives a turn back. */
  end(text: string, result: UseResult): void;
  /** Fails all pending turns, because no connection can be opened. */
  failAll(error: unknown): void;
  /** Notes that a lock was not available to a statement that runs without a turn. */
  block(text: string): void;
  /** Returns whether a lock was not available the last time that a statement with this text was executed. */
  isBlocked(text: string): boolean;
  /** Returns the number of pending turns. */
  waitingCount(): number;
};

/** A turn that is not available yet. */
export type PendingTurn = {
  /** Rejects with UNAVAILABLE if the statement is blocked, and its turn does not come within the lock timeout. */
  readonly ready: Promise<void>;
  /** Leaves the queue, or gives the turn back if it has come in the meantime. */
  cancel(): void;
};

type Waiter = {
  readonly startMs: number;
  readonly begin: () => void;
  readonly fail: (error: unknown) => void;
};

/** The statements with one text. */
type Queue = { running: number; isBlocked: boolean; readonly waiters: Set<Waiter> };

/**
 * Returns the turns for a pool. All statements together have three quarters of the connections, so that reads always find
 * one. A blocked statement has a quarter, until it succeeds again.
 *
 * @param clock returns a time in milliseconds
 */
export function turnsOf(poolSize: number, clock: () => number = () => performance.now()): Turns {
  const maxRunning = Math.max(1, Math.floor((poolSize * 3) / 4));
  const maxBlocked = Math.max(1, Math.floor(poolSize / 4));
  /** The queues that are in use or blocked. The first one has the next turn. */
  const queues = new Map<string, Queue>();
  let running = 0;
  let waiting = 0;

  const canRun = (queue: Queue) => running < maxRunning && (!queue.isBlocked || queue.running < maxBlocked);

  function queueOf(text: string): Queue {
    let queue = queues.get(text);
    if (queue === undefined) {
      queue = { running: 0, isBlocked: false, waiters: new Set() };
      queues.set(text, queue);
    }
    return queue;
  }

  function begin(queue: Queue): void {
    queue.running += 1;
    running += 1;
  }

  /** Begins the pending turns that are available. */
  function beginNext(): void {
    while (waiting > 0) {
      const next = [...queues].find(([, queue]) => queue.waiters.size > 0 && canRun(queue));
      if (next === undefined) return;
      const [text, queue] = next;
      queues.delete(text);
      queues.set(text, queue);
      const [waiter] = queue.waiters;
      waiter?.begin();
    }
  }

  /** Fails the pending turns that are older than the lock timeout. They would wait for the same lock. */
  function failOld({ waiters }: Queue): void {
    const oldest = clock() - LOCK_TIMEOUT_MS;
    for (const waiter of waiters) {
      if (waiter.startMs > oldest) return;
      waiter.fail(unavailable(new PoolTimeout(), 'overload'));
    }
  }

  function end(text: string, result: UseResult): void {
    const queue = queueOf(text);
    queue.running -= 1;
    running -= 1;
    if (result !== 'lost') queue.isBlocked = result === 'blocked';
    if (queue.isBlocked) failOld(queue);
    beginNext();
    if (!queue.isBlocked && queue.running === 0 && queue.waiters.size === 0) queues.delete(text);
  }

  return {
    take(text) {
      const queue = queueOf(text);
      if (queue.waiters.size === 0 && canRun(queue)) {
        begin(queue);
        return undefined;
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      let hasBegun = false;
      const leave = () => {
        if (queue.waiters.delete(waiter)) waiting -= 1;
      };
      const waiter: Waiter = {
        startMs: clock(),
        begin() {
          leave();
          begin(queue);
          hasBegun = true;
          resolve();
        },
        fail(error) {
          leave();
          reject(error);
        },
      };
      queue.waiters.add(waiter);
      waiting += 1;
      return {
        ready: promise,
        cancel() {
          leave();
          if (hasBegun) end(text, 'lost');
        },
      };
    },

    end,

    failAll(error) {
      for (const { waiters } of queues.values()) for (const waiter of waiters) waiter.fail(error);
    },

    block(text) {
      queueOf(text).isBlocked = true;
    },

    isBlocked: (text) => queues.get(text)?.isBlocked === true,

    waitingCount: () => waiting,
  };
}
