import type { Pool, PoolClient } from 'pg';
import { DatabaseError, unavailable } from '../../interface/database-error.ts';
import { PendingCount } from '../../work/pending-count.ts';
import { hasCode, outageOf, startTimeout, TOO_MANY_CONNECTIONS } from '../sqlstates.ts';
import {
  type ConnectionRequest,
  ConnectionTurns,
  type Leave,
  type UseResult,
  type Wait,
} from './connection-turns.ts';
import { HostError, isOutdatedClient } from './hosts.ts';
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

export type ConnectionUse = {
  /** Waits for its turn; see `ConnectionTurns`. A probe has none. */
  readonly request?: ConnectionRequest;
  /** What ends its turn, if it has come before. */
  readonly leave?: Leave;
  /** When the wait began, as `performance.now()`: by default now. */
  readonly startMs?: number;
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

// How long after a refused connection the server is asked for a new one.
const GROW_INTERVAL_MS = 1000;

export class ConnectionPool {
  readonly turns: ConnectionTurns;
  readonly #settings: ConnectionPoolSettings;
  readonly #pool: Pool;
  readonly #size: number;
  readonly #waits = new PendingCount();

  constructor(pool: Pool, settings: ConnectionPoolSettings) {
    this.#settings = settings;
    this.#pool = pool;
    this.#size = pool.options.max;
    // Fewer while the server refuses more.
    this.turns = new ConnectionTurns(() => pool.options.max);
    // An unused connection that breaks is replaced.
    pool.on('error', () => {});
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    const waiting = waitingCount + this.turns.waitingCount;
    return { used: totalCount - idleCount, idle: idleCount, waiting };
  }

  /** Runs work on a connection. @throws UNAVAILABLE if none becomes available within the timeout */
  async use<T>(use: ConnectionUse, work: (session: Session) => Promise<T>): Promise<T> {
    const session = await this.acquire(use);
    try {
      return await work(session);
    } finally {
      session.release();
    }
  }

  /**
   * Begins the use of a connection, which must be released.
   * @throws UNAVAILABLE if none becomes available within the timeout
   */
  acquire(use: ConnectionUse): Promise<Session> {
    return this.#waits.track(this.#acquire(use));
  }

  async #acquire({ request, leave = () => {}, startMs, deadline }: ConnectionUse): Promise<Session> {
    const { timeoutMs } = this.#settings;
    const nowMs = performance.now();
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    let session: Session | undefined;
    // One timer for the wait and all statements.
    const timer = setTimeout(
      () => (session === undefined ? late.reject(startTimeout('overload')) : session.expire()),
      deadline === undefined ? timeoutMs : Math.max(deadline - nowMs, 0),
    );
    let end = leave;
    const onRelease = (result: UseResult) => {
      clearTimeout(timer);
      end(result);
    };
    const turn: Wait = { late: late.promise };
    let waitStartMs = startMs ?? nowMs;
    let [hasTurn, isTimeout] = [false, false];
    try {
      if (request !== undefined) end = await this.turns.enter(request, turn);
      hasTurn = true;
      if (turn.isForOthers) waitStartMs = performance.now();
      if (deadline !== undefined && performance.now() >= deadline) throw startTimeout('overload');
      const taken = this.#connect();
      // A connection that comes too late goes back.
      late.promise.catch(() => taken.then((client) => client.release())).catch(() => {});
      const client = await Promise.race([taken, late.promise]);
      session = new Session(client, { ...this.#settings, deadline, onRelease });
    } catch (error) {
      isTimeout = error instanceof DatabaseError && error.outage === 'overload';
      onRelease('lost');
      throw error;
    } finally {
      // The wait for others of the row, while connections are free, is none for the pool.
      if (hasTurn || !turn.isForOthers) this.onWaited(waitStartMs, isTimeout);
    }
    // Each statement has its own timeout.
    if (deadline === undefined) clearTimeout(timer);
    return session;
  }

  /** Reports a wait that has ended. */
  onWaited(startMs: number, isTimeout: boolean): void {
    this.#settings.onWait?.({ seconds: (performance.now() - startMs) / 1000, isTimeout });
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
        const client = await this.#pool.connect();
        if (!isOutdatedClient(client)) return client;
        client.release(true);
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

  /** Makes do with the connections there are. Requests then wait for them. */
  #pauseGrowth(): void {
    const { options, totalCount } = this.#pool;
    options.max = totalCount;
    setTimeout(() => Object.assign(options, { max: this.#size }), GROW_INTERVAL_MS).unref();
  }
}
