import type { FastifyBaseLogger } from 'fastify';
import { toApiError } from '../../data/operation/errors.ts';
import { describeCause } from '../../model/errors.ts';

const INTERVAL_MS = 60_000;

const MAX_DIFFERENCE_SECONDS = 5;

/** What a check has found. */
export type DatabaseCheck = {
  /** Whether a new connection could be opened. */
  readonly isUp: boolean;
  /** By how many seconds the clock is ahead of that of the database; undefined if it was not found. */
  readonly aheadSeconds: number | undefined;
};

/**
 * Checks at once, and then once a minute, what no request shows: that a new connection to the database can be opened, while
 * requests use those there are, and that the clocks agree. A fault is a line when it begins, and one when it has ended.
 *
 * @param checkConnection see `Engine.checkConnection`
 * @returns a function that ends the checks; it resolves when the running one has ended
 */
export function startDatabaseCheck(
  logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>,
  checkConnection: () => Promise<number | undefined>,
  onChecked: (check: DatabaseCheck) => void = () => {},
): () => Promise<void> {
  let hasFailed = false;
  let isWrong = false;

  async function check(): Promise<void> {
    try {
      const aheadSeconds = await checkConnection();
      onChecked({ isUp: true, aheadSeconds });
      if (hasFailed) logger.info('new connections to the database work again');
      hasFailed = false;
      const wasWrong = isWrong;
      isWrong = Math.abs(aheadSeconds ?? 0) > MAX_DIFFERENCE_SECONDS;
      if (isWrong && !wasWrong) logger.warn({ aheadSeconds }, 'the clock differs from that of the database');
      if (wasWrong && !isWrong) logger.info({ aheadSeconds }, 'the clock agrees with that of the database');
    } catch (error) {
      onChecked({ isUp: false, aheadSeconds: undefined });
      const cause = describeCause(toApiError(error));
      if (!hasFailed) logger.error({ cause }, 'a new connection to the database does not work');
      hasFailed = true;
    }
  }

  let running = check();
  const timer = setInterval(() => {
    running = check();
  }, INTERVAL_MS).unref();
  return async () => {
    clearInterval(timer);
    await running;
  };
}
