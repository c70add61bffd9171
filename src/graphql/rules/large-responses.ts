import type { GraphqlContext } from '../context.ts';

/** The amount of an iteration of the event loop, in response fields. It takes about 8 ms of processor time. */
export const MAX_AMOUNT = 20_000;

type Waiting = { readonly start: () => void; readonly amount: number };

type Account = { readonly waiting: Waiting[]; inProgress: number };

/**
 * Lets the requests of an account start one after the other, as many as their amounts allow, so the requests of others are
 * processed in between. A queue is at most as long as the account has requests in progress.
 */
export class LargeResponses {
  readonly #accounts = new Map<string, Account>();

  /** Waits until an authenticated request may start. Nothing else of the account starts in the same iteration of the event loop. */
  async wait(context: GraphqlContext): Promise<void> {
    await this.run(context, MAX_AMOUNT, async () => {});
  }

  /**
   * Lets a request start. Each one waits once at most.
   *
   * @param amount the largest number of fields of its response
   */
  async run<T>(
    { principal: { accountId }, state }: GraphqlContext,
    amount: number,
    work: () => Promise<T>,
  ): Promise<T> {
    if (state.hasWaited) return work();
    state.hasWaited = true;
    const account = this.#accounts.get(accountId) ?? { waiting: [], inProgress: 0 };
    this.#accounts.set(accountId, account);
    const next = () => this.#next(accountId, account);
    await new Promise<void>((start) => {
      account.waiting.push({ start, amount });
      if (account.waiting.length === 1) setImmediate(next);
    });
    try {
      return await work();
    } finally {
      setImmediate(() => {
        account.inProgress -= amount;
        next();
      });
    }
  }

  #next(accountId: string, account: Account): void {
    for (;;) {
      const [first] = account.waiting;
      if (first === undefined || account.inProgress >= MAX_AMOUNT) break;
      account.waiting.shift();
      account.inProgress += first.amount;
      first.start();
    }
    if (account.inProgress === 0 && account.waiting.length === 0) this.#accounts.delete(accountId);
  }
}
