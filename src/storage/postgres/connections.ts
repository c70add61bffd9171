import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../../model/api-error.ts';
import type { DatabaseRequest } from '../database.ts';
import { isPoolTimeout } from './connect.ts';
import { PoolTimeout, RequestTimeout } from './errors.ts';
import { type Connection, openSession, type Session } from './session.ts';
import type { PendingTurn, Turns, UseResult } from './turns.ts';
import type { UsageCounter } from './usage.ts';

/** The use of a connection. */
export type Use = {
  /** The statement that needs a turn; undefined for reads, which need none. */
  readonly turn?: string | undefined;
  /**
   * The end of the use, as `performance.now()`: the wait for the connection and its statements share the time before it.
   * If it is undefined, the wait and each statement have the whole timeout.
   */
  readonly deadline: number | undefined;
  readonly request?: DatabaseRequest | undefined;
};

/** Runs work on a connection of a pool. */
export type Connections = {
  /** @throws UNAVAILABLE if no connection is available in time */
  use<T>(use: Use, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Discards all connections: a session that was opened before a failover stays read-only. */
  discard(): void;
  /** Resolves when no connection is used. */
  settled(): Promise<void>;
};

type ConnectionSettings = {
  readonly pool: Pool;
  /** Takes a connection of the pool. */
  readonly connect: () => Promise<PoolClient>;
  readonly turns: Turns;
  readonly timeoutMs: number;
  /** Returns the name under which a statement is prepared; undefined if it is not. */
  readonly statementName: (sql: string) => string | undefined;
  /** Whether a pooler is between, which has names of its own for prepared statements. */
  readonly hasPooler: boolean;
  readonly counter: Pick<UsageCounter, 'isExhausted' | 'count'>;
};

const DISCARD_INTERVAL_MS = 1000;

/** Returns the connections of a pool for statements. */
export function connectionsOf({
  pool,
  connect,
  turns,
  timeoutMs,
  statementName,
  hasPooler,
  counter,
}: ConnectionSettings): Connections {
  // The connections that were opened since a session was found to be read-only.
  let current = new WeakSet<PoolClient>();
  let discardTime = -Infinity;
  pool.on('connect', (client) => {
    current.add(client);
  });
  const running = new Set<Promise<unknown>>();

  function discard(): void {
    // Reads continue while the database is read-only, so this is not repeated at each write.
    if (performance.now() - discardTime < DISCARD_INTERVAL_MS) return;
    discardTime = performance.now();
    current = new WeakSet();
  }

  /** Takes a connection of the pool that was opened after the last discard. */
  async function takeCurrent(): Promise<PoolClient> {
    for (;;) {
      const client = await connect();
      if (current.has(client)) return client;
      client.release(true);
    }
  }

  /** @param late rejects at the deadline */
  async function takeConnection(late: Promise<never>): Promise<PoolClient> {
    const taken = takeCurrent();
    // In an outage, all requests fail together: an attempt for each group of them would take long.
    taken.catch((error) => {
      if (!isPoolTimeout(error)) turns.failAll(error);
    });
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

  /** @param late rejects at the deadline */
  async function turnOf(pending: PendingTurn, late: Promise<never>): Promise<void> {
    try {
      await Promise.race([pending.ready, late]);
    } catch (error) {
      pending.cancel();
      throw error;
    }
  }

  async function run<T>(
    { turn, request, deadline }: Use,
    work: (connection: Connection) => Promise<T>,
  ): Promise<T> {
    const startMs = performance.now();
    if (deadline !== undefined && startMs >= deadline) throw unavailable(new RequestTimeout(), 'overload');
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    let session: Session | undefined;
    // One timer for the wait and all statements.
    const timer = setTimeout(
      () =>
        session === undefined ? late.reject(unavailable(new PoolTimeout(), 'overload')) : session.expire(),
      deadline === undefined ? timeoutMs : deadline - startMs,
    );
    const onStatement = () => {
      if (deadline === undefined) timer.refresh();
    };

    let hasTurn = false;
    let result: UseResult = 'lost';
    try {
      const client = await take();
      session = openSession(client, { deadline, statementName, hasPooler, onStatement, onReadOnly: discard });
      try {
        session.connection.assertInTime();
        return await work(session.connection);
      } finally {
        result = session.release();
      }
    } finally {
      clearTimeout(timer);
      if (hasTurn && turn !== undefined) turns.end(turn, result);
    }

    /** Takes a turn, if the use needs one, and a connection. */
    async function take(): Promise<PoolClient> {
      let isQueued = false;
      try {
        if (turn !== undefined) {
          const pending = turns.take(turn);
          isQueued = pending !== undefined;
          if (pending !== undefined) await turnOf(pending, late.promise);
          hasTurn = true;
        }
        if (request?.isGone) throw unavailable();
        isQueued ||= counter.isExhausted();
        const client = await takeConnection(late.promise);
        counter.count(startMs, isQueued);
        return client;
      } catch (error) {
        counter.count(startMs, isQueued, error);
        throw error;
      }
    }
  }

  return {
    use(use, work) {
      const result = run(use, work).finally(() => running.delete(result));
      running.add(result);
      return result;
    },
    discard,
    async settled() {
      await Promise.allSettled(running);
    },
  };
}
