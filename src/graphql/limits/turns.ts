import type { Context } from '../context.ts';

/**
 * Lets the requests of an account start one after the other, each in a turn of the event loop, so that the requests of
 * others are processed in between. A queue is at most as long as the account has requests in progress.
 */
export class Turns {
  /** The functions that start the waiting requests, by account. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Waits until an authenticated request may start. Each request waits once at most. */
  async wait({ principal: { accountId }, state }: Context): Promise<void> {
    if (state.hasTurn) return;
    state.hasTurn = true;
    await new Promise<void>((resolve) => {
      const queue = this.#waiting.get(accountId);
      queue?.push(resolve);
      if (queue !== undefined) return;
      this.#waiting.set(accountId, [resolve]);
      setImmediate(() => this.#next(accountId));
    });
  }

  #next(accountId: string): void {
    const start = this.#waiting.get(accountId)?.shift();
    if (start === undefined) {
      this.#waiting.delete(accountId);
      return;
    }
    start();
    setImmediate(() => this.#next(accountId));
  }
}
