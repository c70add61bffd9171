import type { Pool, PoolClient } from 'pg';
import { unavailable } from '../model/api-error.ts';
import type { DatabaseRequest, Queryable, Row, Value } from './database.ts';
import { cancelStatement } from './postgres-cancel.ts';
import { isPoolTimeout } from './postgres-connect.ts';
import {
  endsConnection,
  isLockTimeout,
  isMissingStatement,
  isReadOnly,
  PoolTimeout,
  RequestTimeout,
  statementError,
} from './postgres-errors.ts';
import { isPrepared, sendStatement } from './postgres-statements.ts';
import type { PendingTurn, Turns, UseResult } from './postgres-turns.ts';
import type { UsageCounter } from './postgres-usage.ts';

/** A connection outside of a transaction, or in one. */
export type Connection = Queryable & {
  /** Executes a statement that commits a change. @throws RESULT_UNKNOWN if the change may have been made */
  readonly commit: Queryable['query'];
  /** Rolls a transaction back, also after the deadline. */
  rollBack(): Promise<void>;
  /** @throws UNAVAILABLE after the deadline */
  assertInTime(): void;
};

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

// The server reports a commit that no standby has confirmed as a success after a warning. The warning has no code of its
// own, and its text depends on the locale, but not the name of the function that waits.
const STANDBY_WAIT = 'SyncRepWaitForLSN';

// A server that does not respond to a cancellation within this time has been lost.
const CANCEL_TIMEOUT_MS = 250;

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
  const unconfirmed = new WeakSet<PoolClient>();
  // The connections that were opened since a session was found to be read-only.
  let current = new WeakSet<PoolClient>();
  let discardTime = -Infinity;
  pool.on('connect', (client) => {
    current.add(client);
    client.on('notice', ({ routine }) => {
      if (routine === STANDBY_WAIT) unconfirmed.add(client);
    });
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

  async function run<T>(use: Use, work: (connection: Connection) => Promise<T>): Promise<T> {
    const { turn, request, deadline } = use;
    const startMs = performance.now();
    const late = Promise.withResolvers<never>();
    late.promise.catch(() => {});
    let client: PoolClient | undefined;
    let lossTimer: NodeJS.Timeout | undefined;
    let runningCount = 0;
    // A cancellation can arrive after the statement, so the connection is not used again.
    let isCancelled = false;
    // One timer for the wait and all statements.
    const timer = setTimeout(
      () => {
        if (client === undefined) return late.reject(unavailable(new PoolTimeout()));
        // Without a deadline, only statements have a timeout. After a deadline, only a rollback can follow.
        if (runningCount === 0 && deadline === undefined) return;
        if (runningCount > 0) {
          isCancelled = true;
          cancelStatement(client, CANCEL_TIMEOUT_MS);
        }
        lossTimer = setTimeout(disconnect, CANCEL_TIMEOUT_MS, client);
      },
      deadline === undefined ? timeoutMs : Math.max(deadline - startMs, 0),
    );

    const assertInTime = () => {
      if (deadline !== undefined && performance.now() >= deadline) throw unavailable(new RequestTimeout());
    };

    let hasTurn = false;
    let result: UseResult = 'lost';
    try {
      assertInTime();
      client = await take();
      result = 'done';
      return await runOn(client);
    } finally {
      clearTimeout(timer);
      clearTimeout(lossTimer);
      if (hasTurn && turn !== undefined) turns.end(turn, isCancelled ? 'blocked' : result);
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
        const taken = await takeConnection(late.promise);
        counter.count(startMs, isQueued);
        return taken;
      } catch (error) {
        counter.count(startMs, isQueued, error);
        throw error;
      }
    }

    /** Runs the work, and discards the connection if it may be broken. */
    async function runOn(connected: PoolClient): Promise<T> {
      // An error between two statements, which thus were not sent.
      let loss: Error | undefined;
      const onError = (error: Error) => {
        loss = error;
      };
      connected.on('error', onError);
      let isBroken = false;
      let isConfused = false;
      const execute = async <R extends Row>(sql: string, params: readonly Value[], commits: boolean) => {
        if (loss !== undefined) throw unavailable(loss);
        if (deadline === undefined) timer.refresh();
        runningCount += 1;
        const name = statementName(sql);
        try {
          if (commits) unconfirmed.delete(connected);
          const { rows } = await sendStatement<R>(connected, name, sql, params);
          if (commits && unconfirmed.has(connected)) {
            throw new Error('The wait for a standby has been cancelled.');
          }
          return rows;
        } catch (error) {
          isBroken ||= endsConnection(error);
          isConfused ||= hasPooler && name !== undefined && isNameLost(error, connected, name);
          if (isLockTimeout(error)) result = 'blocked';
          if (isBroken) result = 'lost';
          if (isReadOnly(error)) discard();
          throw statementError(error, commits);
        } finally {
          runningCount -= 1;
        }
      };
      try {
        assertInTime();
        return await work({
          async query(sql, params = []) {
            assertInTime();
            return execute(sql, params, false);
          },
          commit: (sql, params = []) => execute(sql, params, true),
          // It fails on a broken connection, whose transaction the server rolls back itself.
          rollBack: () =>
            execute('ROLLBACK', [], false).then(
              () => {},
              () => {},
            ),
          assertInTime,
        });
      } finally {
        connected.off('error', onError);
        connected.release(isBroken || isConfused || isCancelled || loss !== undefined);
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

/**
 * Returns whether the driver and the pooler disagree about a prepared statement after an error. The driver forgets a name
 * that could not be prepared. A pooler does not, and closes a connection on which it is prepared again.
 */
function isNameLost(error: unknown, client: PoolClient, name: string): boolean {
  return isMissingStatement(error) || !isPrepared(client, name);
}

/**
 * Closes a connection at once. Its running statements fail. The driver's own function waits for their results, which a
 * server that does not respond never sends.
 */
function disconnect(client: PoolClient): void {
  client.connection.stream.destroy();
}
