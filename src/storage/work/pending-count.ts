/**
 * Counts work in progress, and waits for its end. A number, not a set of promises: a set keeps deleted entries in
 * memory for as long as its old hash tables, which are in the old generation under load.
 */
export class PendingCount {
  #count = 0;
  #ended: PromiseWithResolvers<void> | undefined;

  /** Counts work until it ends. */
  async track<T>(work: Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work;
    } finally {
      this.#count -= 1;
      if (this.#count === 0) {
        this.#ended?.resolve();
        this.#ended = undefined;
      }
    }
  }

  /** Resolves when no work is in progress. */
  async end(): Promise<void> {
    while (this.#count > 0) {
      this.#ended ??= Promise.withResolvers();
      await this.#ended.promise;
    }
  }
}
