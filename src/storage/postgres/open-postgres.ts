import { type PoolConfig, types } from 'pg';
import { ApiError, unavailable } from '../../model/api-error.ts';
import { retryConflicts } from '../conflicts.ts';
import type { Database, DatabaseRequest, InsertStatement, Queryable, Row, Value } from '../database.ts';
import { READ_TABLES, READINESS_LIFETIME_MS } from '../readiness.ts';
import { remembered } from '../remembered.ts';
import { assertUsable, FIND_SCHEMA_VERSION, NO_SCHEMA, type SchemaVersion } from '../schema-version.ts';
import { connector } from './connect.ts';
import { connectionsOf } from './connections.ts';
import { commitError, isLockTimeout } from './errors.ts';
import { attemptsOf, poolOpener } from './hosts.ts';
import { batchedReads } from './reads.ts';
import type { Connection } from './session.ts';
import { statementNames } from './statements.ts';
import { turnsOf } from './turns.ts';
import { parsePostgresUrl } from './url.ts';
import { type PoolUsage, type PoolWait, type UsageCounter, usageCounter } from './usage.ts';

/** The limits on one process's use of a PostgreSQL server. */
export type PostgresSettings = {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** The timeout in milliseconds: see `Use`. */
  readonly timeoutMs: number;
  /** The time for which a statement waits for a lock, in milliseconds; undefined for no such limit. */
  readonly lockTimeoutMs?: number | undefined;
  /** The variables `PG…` of libpq; see `parsePostgresUrl`. */
  readonly variables?: Readonly<Record<string, string>>;
};

/** The state of a connection pool. */
export type PoolState = {
  readonly used: number;
  readonly idle: number;
  /** The number of transactions and batches of statements that wait for a connection. */
  readonly waiting: number;
};

/**
 * Receives functions that return the state of the pool, and how it has been used so far. Returns a function that is called
 * after each wait, if there is one.
 */
export type ObservePool = (
  state: () => PoolState,
  usage: () => PoolUsage,
) => ((wait: PoolWait) => void) | undefined;

// True for a standby, too.
const READ_ONLY = "SELECT current_setting('transaction_read_only') AS read_only";

// The connections of a long-running process move to servers that were added or have returned.
const LIFETIME_SECONDS = 1800;

// The client's timeout is longer than the server's. It applies if the server no longer responds.
const PROBE_TIMEOUT_MARGIN_MS = 1000;

/**
 * Opens a connection pool to a PostgreSQL server, or to another engine with its protocol.
 * Connections are opened on demand. A broken connection is replaced for the next statement.
 *
 * @param url `postgres://…`; see `parsePostgresUrl` for its parameters
 * @throws DatabaseUrlError if the URL is malformed, or a parameter is unknown or invalid
 */
export function openPostgres(
  url: string,
  { poolSize, timeoutMs, lockTimeoutMs, variables }: PostgresSettings,
  onPool?: ObservePool,
): Database {
  const target = parsePostgresUrl(url, variables);
  const { hasPooler, isPrepared } = target;
  const settings: PoolConfig = {
    application_name: 'paw-gateway',
    connectionTimeoutMillis: timeoutMs,
    // If a cancellation does not reach the server.
    ...(!hasPooler && { statement_timeout: timeoutMs, lock_timeout: lockTimeoutMs }),
    keepAlive: true,
    maxLifetimeSeconds: LIFETIME_SECONDS,
    pipeline: true,
    // Counts and times are safe integers.
    types: {
      getTypeParser: (oid: number) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)),
    },
  };
  const openPool = poolOpener(target, timeoutMs);
  const pool = openPool(settings, poolSize);
  const turns = turnsOf(poolSize);
  const state = () => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount + turns.waitingCount(),
  });
  const counter: UsageCounter = usageCounter(
    pool,
    onPool?.(state, () => counter.usage()),
  );
  // A probe must not wait for the connections of requests.
  const probePool = openPool({ ...settings, query_timeout: timeoutMs + PROBE_TIMEOUT_MARGIN_MS }, 1);
  for (const each of [pool, probePool]) each.on('error', () => {});

  const attempts = attemptsOf(target);
  const connectProbe = connector(probePool, attempts, timeoutMs);

  const connections = connectionsOf({
    pool,
    connect: connector(pool, attempts, timeoutMs),
    turns,
    timeoutMs,
    statementName: isPrepared ? statementNames() : () => undefined,
    hasPooler,
    counter,
  });
  // Behind a pooler, the session has no timeout. Both statements are sent at once.
  const begin =
    hasPooler && lockTimeoutMs !== undefined ? `BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}` : 'BEGIN';

  const join = joinedStatements();

  const read = batchedReads(connections, turns);

  const checkReady = remembered(async () => {
    const client = await connectProbe();
    let isReady = false;
    try {
      const schema = await client.query<SchemaVersion>(FIND_SCHEMA_VERSION);
      assertUsable(schema.rows[0] ?? NO_SCHEMA);
      const [{ rows }] = await Promise.all([
        client.query<{ read_only: string }>(READ_ONLY),
        client.query(READ_TABLES).catch(unlessLocked),
      ]);
      if (rows[0]?.read_only !== 'off') {
        connections.discard();
        throw new Error('The database is read-only, or a standby.');
      }
      isReady = true;
    } catch (error) {
      throw error instanceof ApiError ? error : unavailable(error);
    } finally {
      // After a failover, a session can stay read-only.
      client.release(!isReady);
    }
  }, READINESS_LIFETIME_MS);

  function databaseFor(request?: DatabaseRequest): Database {
    const deadlineFromNow = () => (request?.startMs ?? performance.now()) + timeoutMs;

    /** Executes a statement that is a transaction of its own. */
    function commit<R extends Row>(sql: string, params?: readonly Value[]): Promise<readonly R[]> {
      const deadline = deadlineFromNow();
      const use = { turn: sql, deadline, request };
      return retryConflicts(
        () => connections.use(use, (connection) => connection.commit<R>(sql, params)),
        deadline,
      );
    }

    return {
      read: <R extends Row>(sql: string, params: readonly Value[] = []) =>
        read({ sql, params, deadline: deadlineFromNow(), request }) as Promise<readonly R[]>,

      write: commit,

      transaction(work, first = begin) {
        const deadline = deadlineFromNow();
        // The transactions of commands can take longer than the timeout.
        const use = { turn: first, deadline: request && deadline, request };
        return retryConflicts(
          () => connections.use(use, (connection) => inTransaction(connection, begin, work)),
          deadline,
        );
      },

      queryAndInsert: (sql, params, { statement, values }) =>
        commit(join(sql, params.length, statement), [...params, ...values]),

      during: databaseFor,
      checkReady,

      async close() {
        await connections.settled();
        await Promise.all([pool.end(), probePool.end()]);
      },
    };
  }

  return databaseFor();
}

async function inTransaction<T>(
  connection: Connection,
  begin: string,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  await connection.query(begin);
  let result: T;
  try {
    result = await work({ read: connection.query, write: connection.query });
    connection.assertInTime();
  } catch (error) {
    await connection.rollBack();
    throw error;
  }
  try {
    await connection.commit('COMMIT');
  } catch (error) {
    throw commitError(error);
  }
  return result;
}

/** Another process has locked a table, so that only what needs it fails. The other instances would not do better. */
function unlessLocked(error: unknown): void {
  if (!isLockTimeout(error)) throw error;
}

/**
 * Returns a function that joins a statement, which has `count` parameters, and an insertion, which is executed if the
 * statement returns a row. Source: PostgreSQL, section 7.8.4.
 */
function joinedStatements(): (sql: string, count: number, insert: InsertStatement) => string {
  const joined = new Map<InsertStatement, Map<string, string>>();
  return (sql, count, insert) => {
    const byStatement = joined.get(insert) ?? new Map<string, string>();
    joined.set(insert, byStatement);
    let text = byStatement.get(sql);
    if (text === undefined) {
      const insertion = insert.conditional(count, 'EXISTS (SELECT 1 FROM changed)');
      text = `WITH changed AS (${sql}), inserted AS (${insertion}) SELECT * FROM changed`;
      byStatement.set(sql, text);
    }
    return text;
  };
}
