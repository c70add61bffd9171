import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, describeCause } from '../../model/api-error.ts';
import type { Fault } from '../../model/fault.ts';

/** Logs an error for the operator. @param requestId the id of the request that failed */
export type LogError = (error: ApiError, requestId: string) => void;

const MESSAGES: Readonly<Record<Fault, string>> = {
  outage: 'the database is unavailable',
  lock: 'a lock was not available in time',
  overload: 'requests wait too long for the database',
};

const QUIET_MS = 10_000;

/** The time in which requests fail for the same fault. */
type Episode = {
  readonly startMs: number;
  lastMs: number;
  /** The number of errors after the first. */
  failures: number;
  /** Ends the episode, unless another request fails. */
  readonly timer: NodeJS.Timeout;
};

/**
 * Returns a function that logs internal errors, and faults of the database. A fault is one line when it begins, and one
 * when no request has failed for it for 10 seconds: each request during an outage has the same error.
 */
export function errorLog(logger: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>): LogError {
  const episodes = new Map<Fault, Episode>();

  function end(fault: Fault, { startMs, lastMs, failures }: Episode): void {
    episodes.delete(fault);
    const seconds = Math.round((lastMs - startMs) / 1000);
    logger.info({ fault, seconds, failures }, 'no request has failed for 10 s');
  }

  return (error, reqId) => {
    if (error.status !== 'UNAVAILABLE') {
      logger.error({ reqId, err: error });
      return;
    }
    // There is nothing to log; see `DatabaseError`.
    if (error.cause === undefined) return;
    const { fault } = error;
    const now = performance.now();
    const ongoing = episodes.get(fault);
    if (ongoing !== undefined) {
      ongoing.failures += 1;
      ongoing.lastMs = now;
      ongoing.timer.refresh();
      return;
    }
    const timer = setTimeout(() => end(fault, episode), QUIET_MS).unref();
    const episode: Episode = { startMs: now, lastMs: now, failures: 0, timer };
    episodes.set(fault, episode);
    const level = fault === 'outage' ? 'error' : 'warn';
    logger[level]({ reqId, fault, cause: describeCause(error) }, MESSAGES[fault]);
  };
}
