import type { Pool, PoolClient } from 'pg';
import type { DatabaseRequest } from '../database.ts';
import { DatabaseError, unavailable } from '../errors.ts';
import { faultOf, hasCode, poolTimeout, requestTimeout, TOO_MANY_CONNECTIONS } from './errors.ts';
import { HostError } from './hosts.ts';
import { LockLimits, type UseResult } from './lock-limits.ts';
import { Session, type StatementSettings } from './session.ts';

/** The state of a connection pool. */
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

/** The use of a connection. */
export type Use = {
  /** The statement with which it begins, if that is a write or can wait for a lock; see `LockLimits`. */
  readonly sql?: string | undefined;
  /**
   * The end of the use, as `performance.now()`: the wait for the connection and its statements share the time before it.
   * If it is undefined, the wait and each statement have the whole timeout.
   */
  readonly deadline: number | undefined;
  readonly request?: DatabaseRequest | undefined;
};

type ConnectionPoolSettings = StatementSettings & {
  /** The number of hosts to try before a failure is reported. */
  readonly hostCount: number;
  /** Is called after each wait for a connection. */
  readonly onWait?: ((wait: PoolWait) => void) | undefined;
};

const DISCARD_INTERVAL_MS = 1000;

// The time after which a server that has refused a connection is asked for another one.
const GROW_INTERVAL_MS = 1000;

/** A pool of connections for statements. */
export class ConnectionPool {
  readonly limits: LockLimits;
  readonly #settings: ConnectionPoolSettings;
  readonly #pool: Pool;
  readonly #size: number;
  /** The connections that were opened since a session was found to be read-only. */
  #current = new WeakSet<PoolClient>();
  #discardTime = -Infinity;
  readonly #waits = new Set<Promise<Session>>();
  #growTimer: NodeJS.Timeout | undefined;

  constructor(pool: Pool, settings: ConnectionPoolSettings) {
    this.#settings = settings;
    this.#pool = pool;
    this.#size = pool.options.max;
    this.limits = new LockLimits(this.#size);
    // An unused connection that breaks is replaced.
    pool.on('error', () => {});
    pool.on('connect', (client) => void this.#current.add(client));
  }

  get state(): PoolState {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return {
      used: totalCount - idleCount,
      idle: idleCount,
      waiting: waitingCount + this.limits.waitingCount,
    };
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
    const wait = this.#acquire(use).finally(() => this.#waits.delete(wait));
    this.#waits.add(wait);
    return wait;
  }

  async #acquire({ sql, deadline, request }: Use): Promise<Session> {
    const { timeoutMs, onWait } = this.#settings;
    const startMs = performance.now();
    if (deadline !== undefined && startMs >= deadline) throw requestTimeout();
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    let session: Session | undefined;
    // One timer for the wait and all statements.
    const timer = setTimeout(
      () => (session === undefined ? late.reject(poolTimeout('overload')) : session.expire()),
      deadline === undefined ? timeoutMs : deadline - startMs,
    );
    let leave = (_: UseResult) => {};
    const onRelease = (result: UseResult) => {
      clearTimeout(timer);
      leave(result);
    };
    let isTimeout = false;
    try {
      if (sql !== undefined) leave = await this.limits.enter(sql, late.promise);
      if (request?.isGone) throw unavailable();
      session = new Session(await this.#take(late.promise), {
        ...this.#settings,
        deadline,
        onReadOnly: () => this.discard(),
        onRelease,
      });
    } catch (error) {
      isTimeout = error instanceof DatabaseError && error.fault !== 'outage';
      onRelease('lost');
      throw error;
    } finally {
      onWait?.({ seconds: (performance.now() - startMs) / 1000, isTimeout });
    }
    // Each statement has a timeout of its own.
    if (deadline === undefined) clearTimeout(timer);
    return session;
  }

  /** Discards all connections: a session that was opened before a failover stays read-only. */
  discard(): void {
    // Reads continue while the database is read-only, so this is not repeated at each write.
    if (performance.now() - this.#discardTime < DISCARD_INTERVAL_MS) return;
    this.#discardTime = performance.now();
    this.#current = new WeakSet();
  }

  /** Closes all connections when their use has ended. */
  async close(): Promise<void> {
    clearTimeout(this.#growTimer);
    await Promise.allSettled(this.#waits);
    await this.#pool.end();
  }

  /** @param late rejects at the deadline */
  async #take(late: Promise<never>): Promise<PoolClient> {
    const taken = this.#connect();
    try {
      return await Promise.race([taken, late]);
    } catch (error) {
      taken.then(
        (client) => client.release(),
        () => {},
      );
      throw error;
    }
  }

  /** Takes a connection that was opened after the last discard, and tries all hosts if it has to be opened. */
  async #connect(): Promise<PoolClient> {
    const failures: HostError[] = [];
    for (;;) {
      try {
        const client = await this.#pool.connect();
        if (this.#current.has(client)) return client;
        client.release(true);
      } catch (error) {
        const failure = hostErrorOf(error);
        // All connections are in use, or the pool has been closed.
        if (failure === undefined) throw unavailable(error, 'overload');
        if (hasCode(failure.cause, TOO_MANY_CONNECTIONS) && this.#pool.totalCount > 0) this.#shrink();
        else if (failures.push(failure) >= this.#settings.hostCount) {
          throw unavailable(summaryOf(failures), faultOf(failure.cause));
        }
      }
    }
  }

  /** Makes do with the connections there are, for which requests then wait. */
  #shrink(): void {
    const { options } = this.#pool;
    options.max = this.#pool.totalCount;
    clearTimeout(this.#growTimer);
    this.#growTimer = setTimeout(() => {
      options.max = this.#size;
    }, GROW_INTERVAL_MS).unref();
  }
}

/** Returns the error of a host, which the pool wraps if the connection takes too long. */
function hostErrorOf(error: unknown): HostError | undefined {
  if (error instanceof HostError) return error;
  return error instanceof Error && error.cause instanceof HostError ? error.cause : undefined;
}

/** Returns the error of a single host, or one with the messages of all hosts. */
function summaryOf(failures: readonly HostError[]): unknown {
  const [first] = failures;
  if (failures.length === 1) return first?.cause;
  const messages = failures.map(({ message }) => message);
  return new AggregateError(failures, [...new Set(messages)].join('; '));
}
