/** Work that waits for a turn of its account, which is undefined for the work of an operator. */
export type OfAccount = { readonly account: unknown };

type Queue<Work> = { works: Work[]; hasWaited: boolean };

/**
 * The work that waits, by account. The accounts take turns, and the work of an account keeps its order. A queue is at most as
 * long as the account has requests in progress.
 */
export class AccountTurns<Work extends OfAccount> {
  readonly #slice: number;
  readonly #used: () => number;
  /** In the order in which the accounts continue. */
  readonly #queues = new Map<unknown, Queue<Work>>();
  #size = 0;

  /**
   * @param slice the share of one iteration of the event loop for the accounts that have waited, and again for the others,
   *   in the unit of `used`
   * @param used returns the usage so far: by default the time, in milliseconds
   */
  constructor(slice = Number.POSITIVE_INFINITY, used = () => performance.now()) {
    this.#slice = slice;
    this.#used = used;
  }

  get size(): number {
    return this.#size;
  }

  add(work: Work): void {
    const queue = this.#queues.get(work.account);
    if (queue === undefined) this.#queues.set(work.account, { works: [work], hasWaited: false });
    else queue.works.push(work);
    this.#size += 1;
  }

  /**
   * Takes the work of one iteration of the event loop, one after the other: a slice of accounts that have waited, and a slice of
   * the others, at least one work of each. The account whose work ends a slice comes after all others.
   */
  *take(): Generator<Work, void> {
    yield* this.#takeSlice(true);
    yield* this.#takeSlice(false);
  }

  /**
   * Takes the first work that can begin. Its account comes after all others.
   *
   * @param ofAccount returns the function that returns whether work of an account can begin
   */
  takeFirst(ofAccount: (account: unknown) => (work: Work) => boolean): Work | undefined {
    for (const [account, queue] of this.#queues) {
      const index = queue.works.findIndex(ofAccount(account));
      if (index < 0) continue;
      const [work] = queue.works.splice(index, 1);
      this.#size -= 1;
      this.#queues.delete(account);
      if (queue.works.length > 0) this.#queues.set(account, queue);
      return work;
    }
    return undefined;
  }

  /** Removes work that is not to wait any longer, and returns it. */
  remove(
    isWanted: (work: Work) => boolean,
    accounts: Iterable<unknown> = this.#queues.keys(),
  ): readonly Work[] {
    const removed: Work[] = [];
    for (const account of accounts) {
      const queue = this.#queues.get(account);
      if (queue === undefined) continue;
      removed.push(...queue.works.filter(isWanted));
      queue.works = queue.works.filter((work) => !isWanted(work));
      if (queue.works.length === 0) this.#queues.delete(account);
    }
    this.#size -= removed.length;
    return removed;
  }

  *#takeSlice(hasWaited: boolean): Generator<Work, void> {
    const end = this.#used() + this.#slice;
    for (const [account, queue] of this.#queues) {
      if (queue.hasWaited !== hasWaited) continue;
      for (let work = queue.works.shift(); work !== undefined; work = queue.works.shift()) {
        this.#size -= 1;
        yield work;
        if (this.#used() <= end) continue;
        queue.hasWaited = true;
        this.#queues.delete(account);
        this.#queues.set(account, queue);
        return;
      }
      this.#queues.delete(account);
    }
  }
}
