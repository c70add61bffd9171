import type { Pool, PoolClient } from 'pg';
import type { Statement } from '../../port/database.ts';
import { DatabaseError, unavailable } from '../../port/errors.ts';
import { InProgress } from '../../port/in-progress.ts';
import { hasCode, outageOf, startTimeout, TOO_MANY_CONNECTIONS } from '../errors.ts';
import { HostError } from './hosts.ts';
import { LockLimits, type UseResult } from './lock-limits.ts';
import { Session, type StatementSettings } from './session.ts';

export type PoolState = {
  readonly used: number;
  readonly idle: number;
  /** The number of transactions and batches of statements that wait for a connection. */
  readonly waiting: number;
};

/** How long a transaction or a batch of statements has waited for a connection. */
export type PoolWait = {
  readonly seconds: number;
  /** Whether it got none in time. */
  readonly isTimeout: boolean;
};

export type Use = {
  /** The statement with which it begins, if that is a write or can wait for a lock; see `LockLimits`. */
  readonly statement?: Statement | undefined;
  /**
   * The end of the use, as `performance.now()`: the wait for the connection and its statements share the time before it.
   * If it is undefined, the wait and each statement have the whole timeout.
   */
  readonly deadline: number | undefined;
};

type ConnectionPoolSettings = StatementSettings & {
  /** The number of hosts to try before a failure is reported. */
  readonly hostCount: number;
  /** Is called after each wait for a connection. */
  readonly onWait?: ((wait: PoolWait) => void) | undefined;
};

// The time after which a server that has refused a connection is asked for another one.
const GROW_INTERVAL_MS = 1000;

// A lock of a table that keeps others from writing.
const FIND_TABLE_LOCK = `SELECT 1 AS one FROM pg_locks
WHERE locktype = 'relation' AND granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
  AND mode IN ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') LIMIT 1`;

export class ConnectionPool {
  readonly limits: LockLimits;
  readonly #settings: ConnectionPoolSettings;
  readonly #pool: Pool;
  readonly #size: number;
  readonly #waits = new InProgress();

  constructor(pool: Pool, settings: ConnectionPoolSettings) {
    this.#settings = settings;
    this.#pool = pool;
    this.#size = pool.options.max;
    this.limits = new LockLimits(this.#size);
    // An unused connection that breaks is replaced.
    pool.on('error', () => {});
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const waiting = waitingCount + this.limits.waitingCount;
    return { used: totalCount - idleCount, idle: idleCount, waiting };
  }

  /** Runs work on a connection. @throws UNAVAILABLE if none is available in time */
  async use<T>(use: Use, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.acquire(use);
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }

  /** Begins the use of a connection, which has to be released. @throws UNAVAILABLE if none is available in time */
  acquire(use: Use): Promise<Session> {
    return this.#waits.track(this.#acquire(use));
  }

  async #acquire({ statement, deadline }: Use): Promise<Session> {
    const { timeoutMs, onWait } = this.#settings;
    const startMs = performance.now();
    if (deadline !== undefined && startMs >= deadline) throw startTimeout('overload');
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    let session: Session | undefined;
    // One timer for the wait and all statements.
    const timer = setTimeout(
      () => (session === undefined ? late.reject(startTimeout('overload')) : session.expire()),
      deadline === undefined ? timeoutMs : deadline - startMs,
    );
    let leave = (_: UseResult) => {};
    const onRelease = (result: UseResult) => {
      clearTimeout(timer);
      leave(result);
      const canBeLocked = result === 'blocked' || result === 'late';
      if (canBeLocked && statement !== undefined) void this.#blockIfTableIsLocked(statement.sql);
    };
    let isTimeout = false;
    try {
      if (statement !== undefined) leave = await this.limits.enter(statement, late.promise);
      const taken = this.#connect();
      // A connection that comes too late goes back.
      late.promise.catch(() => taken.then((client) => client.release())).catch(() => {});
      const client = await Promise.race([taken, late.promise]);
      session = new Session(client, { ...this.#settings, deadline, onRelease });
    } catch (error) {
      isTimeout = error instanceof DatabaseError && error.outage !== 'down';
      onRelease('lost');
      throw error;
    } finally {
      onWait?.({ seconds: (performance.now() - startMs) / 1000, isTimeout });
    }
    // Each statement has a timeout of its own.
    if (deadline === undefined) clearTimeout(timer);
    return session;
  }

  /** A locked row holds up the writes of this row, and a locked table all of a statement. */
  async #blockIfTableIsLocked(sql: string): Promise<void> {
    const use = { deadline: performance.now() + this.#settings.timeoutMs };
    const locks = await this.use(use, (session) => session.query(FIND_TABLE_LOCK)).catch(() => []);
    if (locks.length > 0) this.limits.block(sql);
  }

  /** Closes all connections when their use has ended. */
  async close(): Promise<void> {
    await this.#waits.end();
    await this.#pool.end();
  }

  /** Takes a connection, and tries all hosts if it has to be opened. */
  async #connect(): Promise<PoolClient> {
    const failures: HostError[] = [];
    for (;;) {
      try {
        return await this.#pool.connect();
      } catch (error) {
        // The pool has been closed.
        if (!(error instanceof HostError)) throw unavailable(error);
        if (hasCode(error.cause, TOO_MANY_CONNECTIONS) && this.#pool.totalCount > 0) this.#pauseGrowth();
        else if (failures.push(error) >= this.#settings.hostCount) {
          const messages = new Set(failures.map(({ message }) => message));
          const cause = failures.length > 1 ? new Error([...messages].join('; ')) : error.cause;
          throw unavailable(cause, outageOf(error.cause));
        }
      }
    }
  }

  /** Makes do with the connections there are, for which requests then wait. */
  #pauseGrowth(): void {
    const { options, totalCount } = this.#pool;
    options.max = totalCount;
    setTimeout(() => Object.assign(options, { max: this.#size }), GROW_INTERVAL_MS).unref();
  }
}
