import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, describeCause } from '../../model/api-error.ts';

/** Logs an error for the operator. @param requestId the id of the request that failed */
export type LogError = (error: ApiError, requestId: string) => void;

// The time between two lines, and between two checks, while the database is unavailable.
const INTERVAL_MS = 1000;

type Outage = {
  readonly startMs: number;
  /** The number of errors after the first. */
  failures: number;
  lastLineMs: number;
  readonly timer: NodeJS.Timeout;
};

/**
 * Returns a function that logs internal errors, and outages of the database. An outage is one line when it begins, at
 * most one in a second while requests fail, and one when it ends: each request during an outage has the same error.
 *
 * @param checkReady rejects while the database is unavailable
 */
export function errorLog(
  logger: Pick<FastifyBaseLogger, 'error' | 'info'>,
  checkReady: () => Promise<unknown>,
): { readonly logError: LogError; close(): void } {
  let outage: Outage | undefined;

  async function check(): Promise<void> {
    const isReady = await checkReady().then(
      () => true,
      () => false,
    );
    if (!isReady || outage === undefined) return;
    const seconds = Math.round((performance.now() - outage.startMs) / 1000);
    logger.info({ seconds, failures: outage.failures }, 'the database is available again');
    close();
  }

  function close(): void {
    clearInterval(outage?.timer);
    outage = undefined;
  }

  return {
    close,
    logError(error, reqId) {
      if (error.status !== 'UNAVAILABLE') {
        logger.error({ reqId, err: error });
        return;
      }
      // The client has gone, or another request was in the way.
      if (error.cause === undefined) return;
      const cause = describeCause(error);
      const now = performance.now();
      if (outage === undefined) {
        // The timer does not keep the process alive.
        const timer = setInterval(check, INTERVAL_MS).unref();
        outage = { startMs: now, failures: 0, lastLineMs: now, timer };
        logger.error({ reqId, cause }, 'the database is unavailable');
        return;
      }
      outage.failures += 1;
      if (now - outage.lastLineMs < INTERVAL_MS) return;
      outage.lastLineMs = now;
      logger.error({ reqId, cause, failures: outage.failures }, 'the database is still unavailable');
    },
  };
}
