import { ByteCache } from '../../../model/byte-cache.ts';
import type { Statement } from '../../port/database.ts';
import { startTimeout } from '../errors.ts';

/**
 * The time for which a statement of a request waits for a lock, in milliseconds: longer than `deadlock_timeout`, whose
 * default is a second, so that a deadlock is found, and the transaction tried again.
 */
export const LOCK_TIMEOUT_MS = 1100;

/** The time for which an account is limited after a statement could not lock one of its rows. */
export const ACCOUNT_LIMIT_MS = 10_000;

/**
 * How the use of a connection has ended: `late` at its deadline, which can be due to a lock or to a slow server. After a
 * loss of the connection, nothing is known about locks.
 */
export type UseResult = 'done' | 'blocked' | 'late' | 'lost';

type Leave = (result: UseResult) => void;

/** What a statement needs: its text, and the account and the row that it names. */
type Claim = { readonly sql: string; readonly account: string; readonly row: string };

const BLOCKED = 'blocked';

// More than 1,000 rows.
const MAX_BLOCKED_BYTES = 400_000;

/**
 * Limits the connections of a pool that statements use which can wait for a lock. All writes together have three quarters,
 * so that reads always find a connection. Each group of them has a quarter: those whose row or statement could not get a
 * lock the last time, the others of an account with such a row, and otherwise those of one row.
 */
export class LockLimits {
  readonly #max: number;
  readonly #quarter: number;
  readonly #running = new Set<Claim>();
  /** The statements that wait, each with the function that lets it begin. */
  readonly #waiting = new Map<(leave: Leave) => void, Claim>();
  /**
   * The ends of blocks, as `performance.now()`: of the rows, and the texts of statements, that could not get a lock the last
   * time, and of the accounts of such rows.
   */
  readonly #blocked = new ByteCache<number>(MAX_BLOCKED_BYTES);

  constructor(poolSize: number) {
    this.#max = Math.max(1, Math.floor((poolSize * 3) / 4));
    this.#quarter = Math.max(1, Math.floor(poolSize / 4));
  }

  get waitingCount(): number {
    return this.#waiting.size;
  }

  isBlocked(key: string): boolean {
    return (this.#blocked.get(key) ?? 0) > performance.now();
  }

  /** Blocks a row, the text of a statement, or an account. @param timeMs the time; by default until a statement succeeds */
  block(key: string, timeMs = Number.POSITIVE_INFINITY): void {
    this.#blocked.set(key, performance.now() + timeMs);
  }

  /**
   * Waits until a statement may use a connection.
   *
   * @param late rejects at the deadline
   * @returns a function that is called with the result of the use
   * @throws UNAVAILABLE if the statement is blocked, and waits for longer than it would for the lock
   */
  async enter({ sql, params: [accountId, id] }: Statement, late: Promise<never>): Promise<Leave> {
    // The first parameters of the statements of requests are the account, and the id of the row, unless that is the account:
    // see `test/engines/both/plans.test.ts`. A statement without parameters has its text in their place.
    const claim =
      accountId === undefined
        ? { sql, account: sql, row: sql }
        : { sql, account: `${accountId}`, row: `${accountId} ${id}` };
    const entered = this.#tryEnter(claim);
    if (entered !== undefined) return entered;
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    this.#waiting.set(resolve, claim);
    // A statement can become blocked while it waits.
    const timer = setInterval(() => {
      if (this.#groupOf(claim) === BLOCKED) reject(startTimeout('lock'));
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

  #groupOf({ sql, account, row }: Claim): string {
    if (this.isBlocked(sql) || this.isBlocked(row)) return BLOCKED;
    return this.isBlocked(account) ? account : row;
  }

  #tryEnter(claim: Claim): Leave | undefined {
    if (this.#running.size >= this.#max) return undefined;
    const group = this.#groupOf(claim);
    let count = 0;
    // The group of a running statement can have changed since it began.
    for (const each of this.#running) if (this.#groupOf(each) === group) count += 1;
    // A statement without parameters names no row.
    if (count >= this.#quarter && group !== claim.sql) return undefined;
    this.#running.add(claim);
    const { sql, account, row } = claim;
    return (result) => {
      if (result === 'blocked') this.block(account, ACCOUNT_LIMIT_MS);
      if (result === 'blocked' || result === 'late') this.block(row);
      if (result === 'done') for (const key of [row, sql]) this.#blocked.delete(key);
      this.#running.delete(claim);
      this.#admit();
    };
  }

  #admit(): void {
    for (const [begin, claim] of this.#waiting) {
      if (this.#running.size >= this.#max) return;
      const leave = this.#tryEnter(claim);
      if (leave === undefined) continue;
      this.#waiting.delete(begin);
      begin(leave);
    }
  }
}
