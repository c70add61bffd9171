import { poolTimeout } from './errors.ts';

/** The time for which a statement of a request waits for a lock, in milliseconds. */
export const LOCK_TIMEOUT_MS = 1000;

/** How the use of a connection has ended. After a loss of the connection, nothing is known about locks. */
export type UseResult = 'done' | 'blocked' | 'lost';

/**
 * Limits the connections of a pool that statements use which can wait for a lock. All writes together have three quarters,
 * so that reads always find a connection. The statements that could not get a lock the last time have a quarter.
 */
export class LockLimits {
  readonly #writes: Places;
  readonly #blockedPlaces: Places;
  /** The statements that could not get a lock the last time. */
  readonly blocked = new Set<string>();

  constructor(poolSize: number) {
    this.#writes = new Places(Math.max(1, Math.floor((poolSize * 3) / 4)));
    this.#blockedPlaces = new Places(Math.max(1, Math.floor(poolSize / 4)));
  }

  /** The number of statements that wait. */
  get waitingCount(): number {
    return this.#writes.waitingCount + this.#blockedPlaces.waitingCount;
  }

  /**
   * Waits until a statement may use a connection.
   *
   * @param late rejects at the deadline
   * @returns a function that is called with the result of the use
   * @throws UNAVAILABLE if the statement is blocked, and waits for longer than it would for the lock
   */
  async enter(sql: string, late: Promise<never>): Promise<(result: UseResult) => void> {
    await this.#writes.take(late);
    let isLimited = false;
    if (this.blocked.has(sql)) {
      this.#writes.give();
      await this.#takeBlockedPlace(late);
      isLimited = true;
      await this.#writes.take(late).catch((error: unknown) => {
        this.#blockedPlaces.give();
        throw error;
      });
    }
    return (result) => {
      if (result === 'blocked') this.blocked.add(sql);
      else if (result === 'done') this.blocked.delete(sql);
      if (isLimited) this.#blockedPlaces.give();
      this.#writes.give();
    };
  }

  async #takeBlockedPlace(late: Promise<never>): Promise<void> {
    const { promise, reject } = Promise.withResolvers<never>();
    promise.catch(() => {});
    const timer = setTimeout(() => reject(poolTimeout('lock')), LOCK_TIMEOUT_MS);
    await this.#blockedPlaces.take(late, promise).finally(() => clearTimeout(timer));
  }
}

/** Places that are taken in the order of arrival. */
class Places {
  #freeCount: number;
  readonly #waiting = new Set<() => void>();

  constructor(count: number) {
    this.#freeCount = count;
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  /** @param ends reject when the wait is over */
  async take(...ends: readonly Promise<never>[]): Promise<void> {
    if (this.#freeCount > 0) {
      this.#freeCount -= 1;
      return;
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    try {
      await Promise.race([promise, ...ends]);
    } catch (error) {
      // The place may have come in the same turn.
      if (!this.#waiting.delete(resolve)) this.give();
      throw error;
    }
  }

  give(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#freeCount += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
