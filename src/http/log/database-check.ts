import type { FastifyBaseLogger } from 'fastify';
import { toApiError } from '../../data/operation/errors.ts';
import { describeCause } from '../../model/errors.ts';

const INTERVAL_MS = 60_000;

const MAX_DIFFERENCE_SECONDS = 5;

/**
 * Checks at once, and then once a minute, what no request shows: that a new connection to the database can be opened, while
 * requests use those there are, and that the clocks agree. A fault is a line when it begins, and one when it has ended.
 *
 * @param compareClocks opens a connection, and returns by how many seconds the clock is ahead of that of the database
 * @returns a function that ends the checks; it resolves when the running one has ended
 */
export function startDatabaseCheck(
  logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>,
  compareClocks: () => Promise<number>,
): () => Promise<void> {
  let hasFailed = false;
  let isWrong = false;

  async function check(): Promise<void> {
    try {
      const aheadSeconds = await compareClocks();
      if (hasFailed) logger.info('new connections to the database can be opened again');
      hasFailed = false;
      const wasWrong = isWrong;
      isWrong = Math.abs(aheadSeconds) > MAX_DIFFERENCE_SECONDS;
      if (isWrong && !wasWrong) logger.warn({ aheadSeconds }, 'the clock differs from that of the database');
      if (wasWrong && !isWrong) logger.info({ aheadSeconds }, 'the clock agrees with that of the database');
    } catch (error) {
      const cause = describeCause(toApiError(error));
      if (!hasFailed) logger.error({ cause }, 'no new connection to the database can be opened');
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
