import { setTimeout as delay } from 'node:timers/promises';
import { CONFLICT, hasCode } from './sqlstates.ts';

const FIRST_PAUSE_MS = 5;

const MAX_PAUSE_MS = 100;

/**
 * Runs `attempt` until it loses no conflict with a concurrent transaction.
 *
 * @param deadline when to stop retrying, as `performance.now()`
 * @throws the error of the last attempt
 */
export async function retryConflicts<T>(attempt: () => Promise<T>, deadline: number): Promise<T> {
  for (let longest = FIRST_PAUSE_MS; ; longest = Math.min(longest * 2, MAX_PAUSE_MS)) {
    try {
      return await attempt();
    } catch (error) {
      // A random time, so the transactions do not meet again.
      const pause = Math.random() * longest;
      if (!hasCode(error, CONFLICT) || performance.now() + pause >= deadline) throw error;
      await delay(pause);
    }
  }
}
