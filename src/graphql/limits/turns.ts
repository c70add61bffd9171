import type { Context } from '../context.ts';

/** The amount of one turn, in response fields. It takes about 8 ms of processor time. */
export const MAX_TURN = 20_000;

type Waiting = { readonly start: () => void; readonly amount: number };

/**
 * Lets the requests of an account start one after the other, as many in a turn of the event loop as their amounts allow, so
 * that the requests of others are processed in between. A queue is at most as long as the account has requests in progress.
 */
export class Turns {
  /** The waiting requests, by account. */
  readonly #waiting = new Map<string, Waiting[]>();

  /**
   * Waits until an authenticated request may start. Each request waits once at most.
   *
   * @param amount the largest number of fields of its response; by default, nothing else starts in its turn
   */
  async wait({ principal: { accountId }, state }: Context, amount = MAX_TURN): Promise<void> {
    if (state.hasTurn) return;
    state.hasTurn = true;
    await new Promise<void>((start) => {
      const queue = this.#waiting.get(accountId);
      queue?.push({ start, amount });
      if (queue !== undefined) return;
      this.#waiting.set(accountId, [{ start, amount }]);
      setImmediate(() => this.#next(accountId));
    });
  }

  #next(accountId: string): void {
    const queue = this.#waiting.get(accountId) ?? [];
    if (queue.length === 0) {
      this.#waiting.delete(accountId);
      return;
    }
    for (let rest = MAX_TURN; rest > 0; ) {
      const first = queue.shift();
      if (first === undefined) break;
      first.start();
      rest -= first.amount;
    }
    setImmediate(() => this.#next(accountId));
  }
}
