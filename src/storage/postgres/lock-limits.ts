import { startTimeout } from './errors.ts';

/** The time for which a statement of a request waits for a lock, in milliseconds. */
export const LOCK_TIMEOUT_MS = 1000;

/** How the use of a connection has ended. After a loss of the connection, nothing is known about locks. */
export type UseResult = 'done' | 'blocked' | 'lost';

/** Ends the use of a connection. */
type Leave = (result: UseResult) => void;

/**
 * Limits the connections of a pool that statements use which can wait for a lock. All writes together have three quarters,
 * so that reads always find a connection. The statements that could not get a lock the last time have a quarter.
 */
export class LockLimits {
  readonly #maxUses: number;
  readonly #maxBlockedUses: number;
  #uses = 0;
  #blockedUses = 0;
  /** The statements that wait, each with the function that lets it begin. */
  readonly #waiting = new Map<(leave: Leave) => void, string>();
  /** The statements that could not get a lock the last time. */
  readonly blocked = new Set<string>();

  constructor(poolSize: number) {
    this.#maxUses = Math.max(1, Math.floor((poolSize * 3) / 4));
    this.#maxBlockedUses = Math.max(1, Math.floor(poolSize / 4));
  }

  /** The number of statements that wait. */
  get waitingCount(): number {
    return this.#waiting.size;
  }

  /**
   * Waits until a statement may use a connection.
   *
   * @param late rejects at the deadline
   * @returns a function that is called with the result of the use
   * @throws UNAVAILABLE if the statement is blocked, and waits for longer than it would for the lock
   */
  async enter(sql: string, late: Promise<never>): Promise<Leave> {
    const entered = this.#tryEnter(sql);
    if (entered !== undefined) return entered;
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    this.#waiting.set(resolve, sql);
    // A statement can become blocked while it waits.
    const timer = setInterval(() => {
      if (this.blocked.has(sql)) reject(startTimeout('lock'));
    }, LOCK_TIMEOUT_MS);
    try {
      return await Promise.race([promise, late]);
    } catch (error) {
      // It may have entered in the same turn.
      if (!this.#waiting.delete(resolve)) void promise.then((leave) => leave('lost'));
      throw error;
    } finally {
      clearInterval(timer);
    }
  }

  #tryEnter(sql: string): Leave | undefined {
    const isBlocked = this.blocked.has(sql);
    if (this.#uses >= this.#maxUses || (isBlocked && this.#blockedUses >= this.#maxBlockedUses)) {
      return undefined;
    }
    this.#uses += 1;
    if (isBlocked) this.#blockedUses += 1;
    return (result) => {
      if (result === 'blocked') this.blocked.add(sql);
      else if (result === 'done') this.blocked.delete(sql);
      this.#uses -= 1;
      if (isBlocked) this.#blockedUses -= 1;
      this.#admit();
    };
  }

  #admit(): void {
    for (const [begin, sql] of this.#waiting) {
      if (this.#uses >= this.#maxUses) return;
      const leave = this.#tryEnter(sql);
      if (leave === undefined) continue;
      this.#waiting.delete(begin);
      begin(leave);
    }
  }
}
