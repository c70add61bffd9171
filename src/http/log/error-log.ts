import type { FastifyBaseLogger } from 'fastify';
import type { Outage } from '../../model/errors.ts';
import { type ApiError, describeCause } from '../../model/errors.ts';

export type LogError = (error: ApiError, requestId: string) => void;

/** The lines of outages in the log. */
export const OUTAGE_LINES: Readonly<Record<Outage, string>> = {
  down: 'the database is unavailable',
  lock: 'a lock did not become available within the timeout',
  overload: 'requests wait too long for the database',
  standby: 'no synchronous standby has confirmed a change',
};

const INTERVAL_MS = 10_000;

/**
 * Returns a function that logs internal errors, and outages of the database. One kind is one line in 10 seconds: each request
 * during an outage has the same error.
 */
export function errorLog(logger: Pick<FastifyBaseLogger, 'error' | 'warn'>): LogError {
  const lastMs = new Map<Outage, number>();
  return (error, reqId) => {
    if (error.status !== 'UNAVAILABLE') {
      logger.error({ reqId, err: error });
      return;
    }
    const { cause, outage, resource } = error;
    const now = performance.now();
    // Without a cause, there is nothing to log; see `DatabaseError`.
    if (cause === undefined || now - (lastMs.get(outage) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MS) return;
    lastMs.set(outage, now);
    const level = outage === 'down' || outage === 'standby' ? 'error' : 'warn';
    logger[level]({ reqId, outage, resource, cause: describeCause(error) }, OUTAGE_LINES[outage]);
  };
}
