import type { FastifyBaseLogger } from 'fastify';
import { type ApiError, describeCause } from '../../model/api-error.ts';
import type { Fault } from '../../model/fault.ts';

/** Logs an error for the operator. @param requestId the id of the request that failed */
export type LogError = (error: ApiError, requestId: string) => void;

const MESSAGES: Readonly<Record<Fault, { readonly begin: string; readonly end: string }>> = {
  outage: { begin: 'the database is unavailable', end: 'the database is available again' },
  lock: { begin: 'a lock was not available in time', end: 'locks are available in time again' },
  overload: {
    begin: 'requests wait too long for the database',
    end: 'requests get the database in time again',
  },
};

const CHECK_INTERVAL_MS = 1000;

// A full disk fails only writes, so that a successful check alone does not end its episode.
const QUIET_MS = 10_000;

/** The time in which requests fail for the same fault. */
type Episode = {
  readonly startMs: number;
  lastMs: number;
  /** The number of errors after the first. */
  failures: number;
  readonly timer: NodeJS.Timeout;
};

/**
 * Logs internal errors, and faults of the database. A fault is one line when it begins, and one when no request has failed
 * for it for 10 seconds: each request during an outage has the same error.
 */
export class ErrorLog {
  readonly #logger: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>;
  readonly #checkReady: () => Promise<unknown>;
  readonly #episodes = new Map<Fault, Episode>();

  /** @param checkReady rejects while the database is unavailable */
  constructor(
    logger: Pick<FastifyBaseLogger, 'error' | 'warn' | 'info'>,
    checkReady: () => Promise<unknown>,
  ) {
    this.#logger = logger;
    this.#checkReady = checkReady;
  }

  readonly logError: LogError = (error, reqId) => {
    if (error.status !== 'UNAVAILABLE') {
      this.#logger.error({ reqId, err: error });
      return;
    }
    // The client has gone, or another request was in the way.
    if (error.cause === undefined) return;
    const { fault } = error;
    const now = performance.now();
    const episode = this.#episodes.get(fault);
    if (episode !== undefined) {
      episode.failures += 1;
      episode.lastMs = now;
      return;
    }
    // The timer does not keep the process alive.
    const timer = setInterval(() => void this.#check(fault), CHECK_INTERVAL_MS).unref();
    this.#episodes.set(fault, { startMs: now, lastMs: now, failures: 0, timer });
    const level = fault === 'outage' ? 'error' : 'warn';
    this.#logger[level]({ reqId, cause: describeCause(error) }, MESSAGES[fault].begin);
  };

  close(): void {
    for (const { timer } of this.#episodes.values()) clearInterval(timer);
    this.#episodes.clear();
  }

  async #check(fault: Fault): Promise<void> {
    const isReady = await this.#checkReady().then(
      () => true,
      () => false,
    );
    const episode = this.#episodes.get(fault);
    if (!isReady || episode === undefined || performance.now() - episode.lastMs < QUIET_MS) return;
    clearInterval(episode.timer);
    this.#episodes.delete(fault);
    const { startMs, lastMs, failures } = episode;
    const seconds = Math.round((lastMs - startMs) / 1000);
    this.#logger.info({ seconds, failures }, MESSAGES[fault].end);
  }
}
