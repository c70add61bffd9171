import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, describeCause } from '../../model/errors.ts';
import type { Fault } from '../../model/fault.ts';

export type LogError = (error: ApiError, requestId: string) => void;

const MESSAGES: Readonly<Record<Fault, string>> = {
  outage: 'the database is unavailable',
  lock: 'a lock was not available in time',
  overload: 'requests wait too long for the database',
};

const INTERVAL_MS = 10_000;

/**
 * Returns a function that logs internal errors, and faults of the database. A fault is one line in 10 seconds: each request
 * during an outage has the same error.
 */
export function errorLog(logger: Pick<FastifyBaseLogger, 'error' | 'warn'>): LogError {
  const lastMs = new Map<Fault, number>();
  return (error, reqId) => {
    if (error.status !== 'UNAVAILABLE') {
      logger.error({ reqId, err: error });
      return;
    }
    const { cause, fault } = error;
    const now = performance.now();
    // Without a cause, there is nothing to log; see `DatabaseError`.
    if (cause === undefined || now - (lastMs.get(fault) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    lastMs.set(fault, now);
    const level = fault === 'outage' ? 'error' : 'warn';
    logger[level]({ reqId, fault, cause: describeCause(error) }, MESSAGES[fault]);
  };
}
