import type { Pool } from 'pg';
import { isConnectTimeout } from './connect.ts';

/** How the connections of a pool have been used since it was opened. */
export type PoolUsage = {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** The largest number of connections that were in use, or being opened, at the same time. */
  readonly maxUsed: number;
  /** The number of transactions and batches of statements that found all connections in use, or had to wait for a turn. */
  readonly waits: number;
  /** The longest wait for a connection, in milliseconds. It includes the time in which one is opened. */
  readonly longestWaitMs: number;
  /** The number of transactions and batches of statements that got no connection in time. */
  readonly timeouts: number;
};

/** How long a transaction or a batch of statements has waited for a connection. */
export type PoolWait = {
  readonly seconds: number;
  /** Whether it got none in time. */
  readonly isTimeout: boolean;
};

/** Counts the waits for the connections of a pool. */
export type UsageCounter = {
  /** Returns whether a connection that is asked for now has to be released by another user first. */
  isExhausted(): boolean;
  /**
   * Counts a wait that has ended.
   *
   * @param startMs its start, as `performance.now()`
   * @param isQueued whether no connection or turn was available at its start
   * @param error the error, if it ended without a connection
   */
  count(startMs: number, isQueued: boolean, error?: unknown): void;
  usage(): PoolUsage;
};

/** @param onWait is called after each wait */
export function usageCounter(pool: Pool, onWait?: (wait: PoolWait) => void): UsageCounter {
  const poolSize = pool.options.max;
  let maxUsed = 0;
  let waits = 0;
  let longestWaitMs = 0;
  let timeouts = 0;
  return {
    isExhausted: () => pool.totalCount >= poolSize && pool.idleCount <= pool.waitingCount,

    count(startMs, isQueued, error) {
      const durationMs = performance.now() - startMs;
      const isTimeout = error !== undefined && isConnectTimeout(error);
      maxUsed = Math.max(maxUsed, pool.totalCount - pool.idleCount);
      if (isQueued) waits += 1;
      longestWaitMs = Math.max(longestWaitMs, durationMs);
      if (isTimeout) timeouts += 1;
      onWait?.({ seconds: durationMs / 1000, isTimeout });
    },

    usage: () => ({ poolSize, maxUsed, waits, longestWaitMs: Math.round(longestWaitMs), timeouts }),
  };
}
