import type { FastifyBaseLogger } from 'fastify';
import { toApiError } from '../../data/call/to-api-error.ts';
import { describeCause } from '../../model/errors.ts';

const MAX_DIFFERENCE_SECONDS = 5;

/** The result of a check. */
export type DatabaseState = {
  /** Whether a new connection could be opened. */
  readonly isUp: boolean;
  /** By how many seconds the system clock is ahead of the database clock; undefined if it was not found. */
  readonly aheadSeconds: number | undefined;
};

/** The lines of the monitor in the log. */
export const LINES = {
  fails: 'cannot open new database connections',
  works: 'new database connections work again',
  differs: 'the system clock differs from the database clock',
  agrees: 'the system clock matches the database clock',
};

/**
 * Checks immediately, and then at an interval, that new connections to the database can be opened, since requests use the
 * open ones, and that the clocks agree. A fault is logged when it starts, and when it is over.
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

  /** Stops the checks. Resolves when a running one is done. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#running;
  }

  async #check(): Promise<void> {
    try {
      const aheadSeconds = await this.#checkConnection();
      this.#onChecked({ isUp: true, aheadSeconds });
      if (this.#hasFailed) this.#logger.info(LINES.works);
      this.#hasFailed = false;
      this.#compareClocks(aheadSeconds);
    } catch (error) {
      this.#onChecked({ isUp: false, aheadSeconds: undefined });
      const cause = describeCause(toApiError(error));
      if (!this.#hasFailed) this.#logger.error({ cause }, LINES.fails);
      this.#hasFailed = true;
    }
  }

  #compareClocks(aheadSeconds = 0): void {
    const wasWrong = this.#isWrong;
    this.#isWrong = Math.abs(aheadSeconds) > MAX_DIFFERENCE_SECONDS;
    if (this.#isWrong === wasWrong) return;
    if (this.#isWrong) this.#logger.warn({ aheadSeconds }, LINES.differs);
    else this.#logger.info({ aheadSeconds }, LINES.agrees);
  }
}
