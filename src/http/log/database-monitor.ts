import type { FastifyBaseLogger } from 'fastify';
import { toApiError } from '../../data/call/to-api-error.ts';
import { describeCause } from '../../model/errors.ts';

const MAX_DIFFERENCE_SECONDS = 5;

/** What a check has found. */
export type DatabaseState = {
  /** Whether a new connection could be opened. */
  readonly isUp: boolean;
  /** By how many seconds the clock is ahead of that of the database; undefined if it was not found. */
  readonly aheadSeconds: number | undefined;
};

/**
 * Checks at once, and then at an interval, what no request shows: that a new connection to the database can be opened, while
 * requests use those there are, and that the clocks agree. A fault is a line when it begins, and one when it has ended.
 */
export class DatabaseMonitor {
  readonly #logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>;
  readonly #checkConnection: () => Promise<number | undefined>;
  readonly #onChecked: (state: DatabaseState) => void;
  readonly #timer: NodeJS.Timeout;
  #running: Promise<void>;
  #hasFailed = false;
  #isWrong = false;

  /** @param checkConnection see `Engine.checkConnection` */
  constructor(
    logger: Pick<FastifyBaseLogger, 'info' | 'warn' | 'error'>,
    checkConnection: () => Promise<number | undefined>,
    intervalMs: number,
    onChecked: (state: DatabaseState) => void = () => {},
  ) {
    this.#logger = logger;
    this.#checkConnection = checkConnection;
    this.#onChecked = onChecked;
    this.#running = this.#check();
    this.#timer = setInterval(() => {
      this.#running = this.#check();
    }, intervalMs).unref();
  }

  /** Ends the checks. Resolves when the running one has ended. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #check(): Promise<void> {
    try {
      const aheadSeconds = await this.#checkConnection();
      this.#onChecked({ isUp: true, aheadSeconds });
      if (this.#hasFailed) this.#logger.info('new connections to the database work again');
      this.#hasFailed = false;
      this.#compareClocks(aheadSeconds);
    } catch (error) {
      this.#onChecked({ isUp: false, aheadSeconds: undefined });
      const cause = describeCause(toApiError(error));
      if (!this.#hasFailed) this.#logger.error({ cause }, 'a new connection to the database does not work');
      this.#hasFailed = true;
    }
  }

  #compareClocks(aheadSeconds = 0): void {
    const wasWrong = this.#isWrong;
    this.#isWrong = Math.abs(aheadSeconds) > MAX_DIFFERENCE_SECONDS;
    if (this.#isWrong === wasWrong) return;
    if (this.#isWrong) this.#logger.warn({ aheadSeconds }, 'the clock differs from that of the database');
    else this.#logger.info({ aheadSeconds }, 'the clock agrees with that of the database');
  }
}
