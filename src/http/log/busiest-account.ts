import type { FastifyBaseLogger } from 'fastify';

const INTERVAL_MS = 60_000;

// Ten a second. With fewer requests, it does not matter whose they are.
const MIN_REQUESTS = 600;

/**
 * Finds, each minute, the account that has made the most requests. One with more than half of them is a line in the log, and
 * again after a minute in which it had fewer.
 */
export class BusiestAccount {
  /** Its share of the requests of the last minute; 0 if they were few. */
  share = 0;
  readonly #logger: Pick<FastifyBaseLogger, 'info'>;
  readonly #takeCounts: () => Iterable<readonly [account: string, count: number]>;
  readonly #timer: NodeJS.Timeout;
  #logged: string | undefined;

  /** @param takeCounts returns the requests of each account since the last call */
  constructor(
    logger: Pick<FastifyBaseLogger, 'info'>,
    takeCounts: () => Iterable<readonly [account: string, count: number]>,
  ) {
    this.#logger = logger;
    this.#takeCounts = takeCounts;
    this.#timer = setInterval(() => this.#endMinute(), INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #endMinute(): void {
    let [requests, busiest, most]: [number, string | undefined, number] = [0, undefined, 0];
    for (const [account, count] of this.#takeCounts()) {
      requests += count;
      if (count > most) [busiest, most] = [account, count];
    }
    this.share = requests >= MIN_REQUESTS ? most / requests : 0;
    const account = this.share > 0.5 ? busiest : undefined;
    if (account !== undefined && account !== this.#logged) {
      const fields = { account, share: Math.round(this.share * 100) / 100 };
      this.#logger.info(fields, 'an account has made more than half of the requests');
    }
    this.#logged = account;
  }
}
