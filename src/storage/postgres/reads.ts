import { AsyncResource } from 'node:async_hooks';
import type { Row, Statement, Value } from '../interface/database.ts';
import { retryConflicts } from './conflicts.ts';
import {
  type ConnectionRequest,
  type ConnectionTurns,
  connectionRequest,
  LOCK_TIMEOUT_MS,
} from './connections/connection-turns.ts';
import type { ConnectionPool, ConnectionUse } from './connections/pool.ts';
import type { Session } from './connections/session.ts';
import { CONFLICT, hasCode, LOCK_TIMEOUT, MISSING_STATEMENT, startTimeout } from './sqlstates.ts';

// A larger batch would serialize reads on one connection while other connections are idle.
const MAX_BATCH = 32;

// Reads whose deadline is earlier than their batch's by less than this share it. Waiting reads are checked as often.
const DEADLINE_TOLERANCE_MS = 100;

// How often the batches are looked at that run.
const WATCH_MS = LOCK_TIMEOUT_MS / 2;

/** A read, and the deadline of its request. */
type Read = Statement & {
  /** See `ConnectionUse`. */
  readonly deadline: number;
};

type PendingRead = Read & {
  /** Has the async context of the request, which traces need. A snapshot of `AsyncLocalStorage` costs several times as much. */
  readonly context: AsyncResource;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
};

/** A batch that is executed, and the time of its last result, as `performance.now()`. */
type RunningBatch = {
  readonly claim: ConnectionRequest;
  readonly unfinished: Set<PendingRead>;
  lastMs: number;
};

type Batch = { readonly claim: ConnectionRequest; readonly reads: readonly PendingRead[] };

/**
 * Pipelines the reads of one iteration of the event loop over one connection. Without it, iterations, system calls and
 * the checkout of connections take longer than the queries. The reads of an account that must wait for its turn are
 * sent when it comes, and take waiting reads of others along.
 *
 * Each read has its own result: a failed read has no effect on the others. A statement that did not get its lock, or was
 * late, runs on a separate connection until it succeeds.
 */
export class ReadPipeline {
  readonly #pool: ConnectionPool;
  readonly #turns: ConnectionTurns;
  /**
   * Those that are not sent yet, by account. A new map for each iteration of the event loop: a long-lived map would keep
   * entries that were deleted from it in memory for as long as its old hash tables.
   */
  #queues = new Map<Value | undefined, PendingRead[]>();
  /** The accounts that wait for a connection. */
  readonly #asking = new Set<Value | undefined>();
  #isScheduled = false;
  readonly #running: RunningBatch[] = [];
  /** One timer for all batches, while there are some. */
  #watcher: NodeJS.Timeout | undefined;

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
    this.#turns = pool.turns;
  }

  read(read: Read): Promise<readonly Row[]> {
    if (this.#turns.hasSlow && this.#turns.isSlow(connectionRequest(read, false)))
      return this.#readAlone(read);
    return new Promise((resolve, reject) => {
      this.#push({ ...read, context: new AsyncResource('read'), resolve, reject });
    });
  }

  #readAlone(read: Read): Promise<readonly Row[]> {
    const { sql, params, deadline } = read;
    const use = { request: connectionRequest(read, false), deadline };
    const attempt = () => this.#pool.use(use, (session) => session.query(sql, params));
    // Reads lose conflicts as well, if transactions are serializable.
    return retryConflicts(attempt, deadline);
  }

  #push(read: PendingRead): void {
    const [account] = read.params;
    const queue = this.#queues.get(account);
    if (queue === undefined) this.#queues.set(account, [read]);
    else queue.push(read);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#send());
  }

  #send(): void {
    this.#isScheduled = false;
    for (;;) {
      const claim = claimOfReads();
      const reads = this.#take(claim, MAX_BATCH, (account) => this.#turns.canRead(account));
      if (reads.length === 0) break;
      void this.#sendBatch({ claim, reads }, { leave: this.#turns.begin(claim) });
    }
    this.#queues = new Map([...this.#queues].filter(([, queue]) => queue.length > 0));
    for (const account of this.#queues.keys()) if (!this.#asking.has(account)) void this.#ask(account);
  }

  /** Takes reads of some accounts, accounts with few reads first. */
  #take(
    claim: ConnectionRequest,
    count: number,
    isWanted: (account: Value | undefined) => boolean,
  ): readonly PendingRead[] {
    const reads: PendingRead[] = [];
    for (const [account, queue] of [...this.#queues].sort(([, a], [, b]) => a.length - b.length)) {
      if (reads.length === count) break;
      if (queue.length === 0 || !isWanted(account)) continue;
      claim.accounts.push(account);
      reads.push(...queue.splice(0, count - reads.length));
    }
    return reads;
  }

  /** Waits for the turn of an account, and sends its reads after the waiting reads of others. */
  async #ask(account: Value | undefined): Promise<void> {
    this.#asking.add(account);
    const startMs = performance.now();
    const timer = setInterval(() => this.#expire(account, startMs), DEADLINE_TOLERANCE_MS);
    const claim = claimOfReads(account);
    const leave = await this.#turns.enter(claim);
    clearInterval(timer);
    this.#asking.delete(account);
    const own = this.#queues.get(account)?.splice(0, MAX_BATCH) ?? [];
    // Those that have no connection wait no longer.
    const others = this.#take(claim, MAX_BATCH - own.length, (other) => !this.#turns.isRunning(other));
    const reads = [...others, ...own];
    if (reads.length > 0) void this.#sendBatch({ claim, reads }, { leave, startMs });
    else leave('lost');
    this.#send();
  }

  /** Rejects the reads of an account whose deadline is over. */
  #expire(account: Value | undefined, startMs: number): void {
    const nowMs = performance.now();
    const queue = this.#queues.get(account) ?? [];
    for (const read of queue.filter(({ deadline }) => deadline <= nowMs)) {
      queue.splice(queue.indexOf(read), 1);
      this.#pool.onWaited(startMs, true);
      read.reject(startTimeout('overload'));
    }
  }

  async #sendBatch(batch: Batch, wait: Pick<ConnectionUse, 'leave' | 'startMs'>): Promise<void> {
    const { reads } = batch;
    const deadline = Math.max(...reads.map((read) => read.deadline));
    const timers = reads
      .filter((read) => read.deadline < deadline - DEADLINE_TOLERANCE_MS)
      .map((read) =>
        setTimeout(
          () => read.reject(startTimeout('overload')),
          Math.max(read.deadline - performance.now(), 0),
        ),
      );
    try {
      await this.#pool.use({ ...wait, deadline }, (session) => this.#runBatch(batch, session));
    } catch (error) {
      for (const { reject } of reads) reject(error);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  async #runBatch({ claim, reads }: Batch, session: Session): Promise<void> {
    const running = { claim, unfinished: new Set(reads), lastMs: performance.now() };
    const { unfinished } = running;
    this.#running.push(running);
    this.#watcher ??= setTimeout(() => this.#watch(), WATCH_MS).unref();
    const run = async (read: PendingRead) => {
      try {
        read.resolve(await read.context.runInAsyncScope(session.query, undefined, read.sql, read.params));
      } catch (error) {
        // It was sent again.
        if (!unfinished.has(read)) return;
        // A read that was to prepare the statement may have failed.
        if (hasCode(error, MISSING_STATEMENT) || hasCode(error, CONFLICT)) this.#retry(read);
        else read.reject(error);
        if (!hasCode(error, LOCK_TIMEOUT)) return;
        this.#turns.report(connectionRequest(read, false), 'blocked');
        // The reads behind it are not to wait for the same lock.
        for (const other of unfinished) {
          if (other.sql !== read.sql && unfinished.delete(other)) this.#retry(other);
        }
      } finally {
        unfinished.delete(read);
        running.lastMs = performance.now();
      }
    };
    await Promise.all(reads.map(run));
    this.#running.splice(this.#running.indexOf(running), 1);
  }

  /** A Citus node may not respond. The reads of other accounts must not wait for it. */
  #watch(): void {
    for (const { claim, unfinished, lastMs } of this.#running) {
      const [late] = unfinished;
      if (late === undefined || performance.now() - lastMs < LOCK_TIMEOUT_MS) continue;
      this.#turns.report(connectionRequest(late, false), 'late');
      const [account] = late.params;
      for (const other of unfinished) {
        if (other.params[0] !== account && unfinished.delete(other)) this.#push(other);
      }
      claim.accounts.splice(0, claim.accounts.length, account);
    }
    this.#watcher = this.#running.length > 0 ? setTimeout(() => this.#watch(), WATCH_MS).unref() : undefined;
  }

  /** Sends a read again, on a separate connection. */
  #retry(read: PendingRead): void {
    this.#readAlone(read).then(read.resolve, read.reject);
  }
}

function claimOfReads(...accounts: (Value | undefined)[]): ConnectionRequest {
  return { accounts, statement: undefined, row: undefined, isWrite: false };
}
