import type { FastifyBaseLogger } from 'fastify';

const SAMPLE_INTERVAL_MS = 1000;

const SAMPLES_OF_MINUTE = 60;

// With fewer requests in progress, it does not matter whose they are.
const MIN_REQUESTS = 10;

/**
 * Finds the account that has the most of the authenticated requests in progress, on average of each minute. One with more
 * than half of them is a line in the log, and again after a minute in which it had fewer.
 */
export class BusiestAccount {
  /** Its share of the authenticated requests of the last minute; 0 if they were fewer than ten. */
  share = 0;
  readonly #logger: Pick<FastifyBaseLogger, 'info'>;
  readonly #inProgress: ReadonlyMap<string | undefined, number>;
  readonly #timer: NodeJS.Timeout;
  /** The requests in progress of all samples of the minute, by account. */
  readonly #sums = new Map<string, number>();
  #samples = 0;
  #logged: string | undefined;

  /** @param inProgress the numbers of requests by account, and of those that are not authenticated */
  constructor(logger: Pick<FastifyBaseLogger, 'info'>, inProgress: ReadonlyMap<string | undefined, number>) {
    this.#logger = logger;
    this.#inProgress = inProgress;
    this.#timer = setInterval(() => this.#sample(), SAMPLE_INTERVAL_MS).unref();
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #sample(): void {
    for (const [account, count] of this.#inProgress) {
      if (account !== undefined) this.#sums.set(account, (this.#sums.get(account) ?? 0) + count);
    }
    this.#samples += 1;
    if (this.#samples === SAMPLES_OF_MINUTE) this.#endMinute();
  }

  #endMinute(): void {
    let [authenticated, busiest, most]: [number, string | undefined, number] = [0, undefined, 0];
    for (const [account, sum] of this.#sums) {
      authenticated += sum;
      if (sum > most) [busiest, most] = [account, sum];
    }
    this.share = authenticated >= MIN_REQUESTS * SAMPLES_OF_MINUTE ? most / authenticated : 0;
    const account = this.share > 0.5 ? busiest : undefined;
    if (account !== undefined && account !== this.#logged) {
      const fields = { account, share: Math.round(this.share * 100) / 100 };
      this.#logger.info(fields, 'an account has more than half of the requests in progress');
    }
    this.#logged = account;
    this.#sums.clear();
    this.#samples = 0;
  }
}
