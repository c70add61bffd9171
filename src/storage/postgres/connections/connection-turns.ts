import { AccountTurns, type OfAccount } from '../../../model/account-turns.ts';
import { ByteCache } from '../../../model/byte-cache.ts';
import type { Statement, Value } from '../../interface/database.ts';
import { resourceInDetail, startTimeout } from '../sqlstates.ts';

/**
 * How long a statement of a request waits for a lock, in milliseconds: longer than `deadlock_timeout`, whose
 * default is a second, so a deadlock is found, and the transaction tried again.
 */
export const LOCK_TIMEOUT_MS = 1100;

/** If nothing has ended in time for as long, the whole server is slow. */
export const SERVER_SLOW_MS = 1000;

/** How long slow statements are limited after the last one that was late or did not get its lock. */
const SLOW_MS = 60_000;

// More than 500 statements, or thousands of rows.
const MAX_SLOW_BYTES = 2_000_000;

/**
 * How the use of a connection has ended: `late` at its deadline, which can be due to a lock or to a slow server. After a
 * loss of the connection, nothing is known about locks.
 */
export type UseResult = 'done' | 'blocked' | 'late' | 'lost';

export type Leave = (result: UseResult) => void;

/** Who uses a connection. */
export type ConnectionRequest = {
  /** The account whose turn it is, and the others whose reads are in the batch. */
  readonly accounts: (Value | undefined)[];
  /** The first statement; undefined for a batch of reads. */
  readonly statement: Statement | undefined;
  /** The account and the row; undefined if the statement names none. */
  readonly row: string | undefined;
  readonly isWrite: boolean;
};

/** The wait for a turn. */
export type Wait = {
  /** Rejects at the deadline. */
  readonly late?: Promise<never>;
  /** Whether connections are free, and it is for others of its row, or for slow statements. */
  isForOthers?: boolean;
};

type Waiting = OfAccount & {
  readonly request: ConnectionRequest;
  readonly startMs: number;
  readonly begin: (leave: Leave) => void;
  readonly reject: (error: unknown) => void;
};

/** The numbers of connections in use. */
type Counts = { readonly free: number; own: number; writes: number };

/**
 * Gives out the connections of a pool, so some are free for those who have few or none. Each of these groups gets one
 * more while it has less than a multiple of the free ones: an account twice, all writes three times, and one row and all that
 * is slow a quarter. Slow is a row, or a statement of an account, that was late or did not get its lock the last time, while
 * others are in time; a slow row has one connection. Writes never have all connections. What waits takes turns by account.
 */
export class ConnectionTurns {
  readonly #size: () => number;
  /** An array, for the same reason as `PendingCount` has no set. */
  readonly #running: ConnectionRequest[] = [];
  readonly #waiting = new AccountTurns<Waiting>();
  /** The rows, and the statements of accounts, that are slow. */
  readonly #slow = new ByteCache<1>(MAX_SLOW_BYTES);
  #slowUntilMs = Number.NEGATIVE_INFINITY;
  #lastDoneMs = Number.NEGATIVE_INFINITY;
  #waitingCount = 0;

  /** @param size returns the number of connections that the server allows */
  constructor(size: () => number) {
    this.#size = size;
  }

  get hasSlow(): boolean {
    return performance.now() < this.#slowUntilMs;
  }

  /** The number of those that wait for a connection. */
  get waitingCount(): number {
    return this.#waitingCount;
  }

  /**
   * Waits for a turn.
   *
   * @returns a function that is called with the result of the use
   * @throws UNAVAILABLE if another statement has waited for a lock of the row in vain in the meantime
   */
  async enter(request: ConnectionRequest, wait: Wait = {}): Promise<Leave> {
    const [account] = request.accounts;
    const counts = this.#count(account);
    if (this.#hasRoom(request, counts)) return this.begin(request);
    wait.isForOthers = this.#hasConnection(request, counts);
    const { promise, resolve, reject } = Promise.withResolvers<Leave>();
    const own = { account, request, startMs: performance.now(), begin: resolve, reject };
    this.#waiting.add(own);
    if (!wait.isForOthers) this.#waitingCount += 1;
    try {
      return await (wait.late === undefined ? promise : Promise.race([promise, wait.late]));
    } catch (error) {
      // It may have begun in the same iteration of the event loop.
      const removed = this.#waiting.remove((each) => each === own, [account]);
      if (removed.length === 0) promise.then((leave) => leave('lost')).catch(() => {});
      throw error;
    } finally {
      if (!wait.isForOthers) this.#waitingCount -= 1;
    }
  }

  /** Whether an account uses a connection. */
  isRunning(account: Value | undefined): boolean {
    return this.#count(account).own > 0;
  }

  /** Whether an account can begin a batch of reads. */
  canRead(account: Value | undefined): boolean {
    const { free, own } = this.#count(account);
    return free > 0 && own < 2 * free;
  }

  /** Begins the use of a connection. The caller has seen that it can. */
  begin(request: ConnectionRequest): Leave {
    this.#running.push(request);
    const wasSlow = this.isSlow(request);
    return (result) => {
      this.#running.splice(this.#running.indexOf(request), 1);
      if (result === 'done' && !wasSlow) this.#lastDoneMs = performance.now();
      this.report(request, result);
      if (result === 'blocked') this.#giveUp(request);
      this.#admit();
    };
  }

  /** Whether the row, or the statement of the account, is slow. */
  isSlow({ accounts: [account], statement, row }: ConnectionRequest): boolean {
    if (!this.hasSlow || statement === undefined) return false;
    return this.#isSlowRow(row) || this.#slow.get(statementKey(account, statement)) !== undefined;
  }

  /** Remembers how a statement has ended. */
  report({ accounts: [account], statement, row }: ConnectionRequest, result: UseResult): void {
    if (statement === undefined || result === 'lost' || (result === 'done' && !this.hasSlow)) return;
    for (const key of [statementKey(account, statement), ...(row === undefined ? [] : [row])]) {
      if (result === 'done') this.#slow.delete(key);
      else this.#slow.set(key, 1);
    }
    if (result !== 'done') this.#slowUntilMs = performance.now() + SLOW_MS;
  }

  #isSlowRow(row: string | undefined): boolean {
    return row !== undefined && this.hasSlow && this.#slow.get(row) !== undefined;
  }

  #count(account: unknown): Counts {
    const counts = { free: this.#size() - this.#running.length, own: 0, writes: 0 };
    for (const each of this.#running) {
      if (each.isWrite) counts.writes += 1;
      if (each.accounts.includes(account as Value)) counts.own += 1;
    }
    return counts;
  }

  #hasConnection({ isWrite }: ConnectionRequest, { free, own, writes }: Counts): boolean {
    if (free <= 0 || own >= 2 * free) return false;
    return !isWrite || writes === 0 || writes < Math.min(3 * free, this.#size() - 1);
  }

  #hasRoom(request: ConnectionRequest, counts: Counts): boolean {
    if (!this.#hasConnection(request, counts)) return false;
    const { free } = counts;
    const { row } = request;
    const isSlow = this.isSlow(request) && performance.now() - this.#lastDoneMs < SERVER_SLOW_MS;
    let [ofRow, slow] = [0, 0];
    for (const each of this.#running) {
      if (row !== undefined && each.row === row) ofRow += 1;
      if (isSlow && this.isSlow(each)) slow += 1;
    }
    return ofRow < (this.#isSlowRow(row) ? 1 : free / 4) && (!isSlow || slow < free / 4);
  }

  /** Refuses statements that have waited for a row as long as one that could not lock it. */
  #giveUp({ accounts: [account], row }: ConnectionRequest): void {
    if (row === undefined) return;
    const latestMs = performance.now() - LOCK_TIMEOUT_MS;
    const isLate = ({ request, startMs }: Waiting) => request.row === row && startMs <= latestMs;
    for (const { request, reject } of this.#waiting.remove(isLate, [account])) {
      reject(startTimeout('lock', request.statement && resourceInDetail(request.statement)));
    }
  }

  #admit(): void {
    while (this.#running.length < this.#size()) {
      const next = this.#waiting.takeFirst((account) => {
        const counts = this.#count(account);
        return ({ request }) => this.#hasRoom(request, counts);
      });
      if (next === undefined) return;
      next.begin(this.begin(next.request));
    }
  }
}

/** Returns the request of a statement, whose first parameters are the account and the id of the row. */
export function connectionRequest(statement: Statement, isWrite: boolean): ConnectionRequest {
  const [account, id] = statement.params;
  // A read does not wait for a row.
  const row = isWrite && account !== undefined ? `${account} ${id}` : undefined;
  return { accounts: [account], statement, row, isWrite };
}

function statementKey(account: Value | undefined, { sql }: Statement): string {
  return `${account} ${sql}`;
}
