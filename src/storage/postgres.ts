import { createHash } from 'node:crypto';
import { type PoolClient, type PoolConfig, types } from 'pg';
import { ApiError, unavailable } from '../model/api-error.ts';
import { retryConflicts } from './conflicts.ts';
import type { Database, InsertStatement, Queryable, Row, Value } from './database.ts';
import { connector, isConnectTimeout } from './postgres-connect.ts';
import { endsConnection, isReadOnly, statementError } from './postgres-errors.ts';
import { attemptsOf, poolOpener } from './postgres-hosts.ts';
import { batchedReads } from './postgres-reads.ts';
import { parsePostgresUrl } from './postgres-url.ts';
import { READ_TABLES, remembered } from './readiness.ts';
import { checkVersion, FIND_COMPATIBLE_VERSION, type SchemaVersion } from './schema-version.ts';

/** The limits on one process's use of a PostgreSQL server. */
export type PostgresSettings = {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** The timeout of a statement, and of the wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
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

/** How long a transaction or a batch of statements has waited for a connection. */
export type PoolWait = {
  readonly seconds: number;
  /** Whether it got none in time. */
  readonly isTimeout: boolean;
};

/** Receives a function that returns the state of the pool. Returns a function that is called after each wait. */
export type ObservePool = (state: () => PoolState) => (wait: PoolWait) => void;

// True for a standby, too.
const PROBE = `${READ_TABLES}, current_setting('transaction_read_only') AS read_only`;

/** A connection outside of a transaction, or in one. */
type Connection = Queryable & {
  /** Executes a statement that commits a change. @throws RESULT_UNKNOWN if the change may have been made */
  readonly commit: Queryable['query'];
};

// The connections of a long-running process move to servers that were added or have returned.
const LIFETIME_SECONDS = 1800;

const DISCARD_INTERVAL_MS = 1000;

// The server reports a commit that no standby has confirmed as a success after a warning. The warning has no code of its
// own, and its text depends on the locale, but not the name of the function that waits.
const STANDBY_WAIT = 'SyncRepWaitForLSN';

// The client's timeout is longer than the server's. It applies if the server no longer responds.
const CLIENT_TIMEOUT_MARGIN_MS = 1000;

/**
 * Opens a connection pool to a PostgreSQL server, or to another engine with its protocol.
 * Connections are opened on demand. A broken connection is replaced for the next statement.
 *
 * @param url `postgres://…`; see `parsePostgresUrl` for its parameters
 * @throws DatabaseUrlError if the URL is malformed, or a parameter is unknown or invalid
 */
export function openPostgres(
  url: string,
  { poolSize, timeoutMs, variables }: PostgresSettings,
  onPool?: ObservePool,
): Database {
  const target = parsePostgresUrl(url, variables);
  const { hasPooler } = target;
  const settings: PoolConfig = {
    application_name: 'paw-gateway',
    connectionTimeoutMillis: timeoutMs,
    ...(!hasPooler && { statement_timeout: timeoutMs }),
    query_timeout: timeoutMs + CLIENT_TIMEOUT_MARGIN_MS,
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
  const observeWait = onPool?.(() => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  // A probe must not wait for the connections of requests.
  const probePool = openPool(settings, 1);
  for (const each of [pool, probePool]) each.on('error', () => {});

  const attempts = attemptsOf(target);
  const connect = connector(pool, attempts, timeoutMs);
  const connectProbe = connector(probePool, attempts, timeoutMs);

  const statementName = hasPooler ? () => undefined : statementNames();

  const join = joinedStatements();

  const running = new Set<Promise<unknown>>();

  /** Discards all connections: a session that was opened before a failover stays read-only. */
  function discardConnections(): void {
    // Reads continue while the database is read-only, so this is not repeated at each write.
    if (performance.now() - discardTime < DISCARD_INTERVAL_MS) return;
    discardTime = performance.now();
    current = new WeakSet();
  }

  /** Takes a connection of the pool that was opened after the last discard. */
  async function takeConnection(): Promise<PoolClient> {
    const start = observeWait && performance.now();
    const observe = (error?: unknown) => {
      if (start === undefined) return;
      observeWait?.({ seconds: (performance.now() - start) / 1000, isTimeout: isConnectTimeout(error) });
    };
    try {
      for (;;) {
        const client = await connect();
        if (current.has(client)) {
          observe();
          return client;
        }
        client.release(true);
      }
    } catch (error) {
      observe(error);
      throw error;
    }
  }

  /** Runs `work` on a connection of the pool. `close` waits for it. */
  function withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const result = runOnConnection(work).finally(() => running.delete(result));
    running.add(result);
    return result;
  }

  /** Runs `work` on a connection of the pool, and discards the connection if it may be broken. */
  async function runOnConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const client = await takeConnection();
    // An error between two statements, which thus were not sent.
    let loss: Error | undefined;
    const onError = (error: Error) => {
      loss = error;
    };
    client.on('error', onError);
    let isBroken = false;
    const run = async <R extends Row>(sql: string, params: readonly Value[], commits: boolean) => {
      if (loss !== undefined) throw unavailable(loss);
      try {
        if (commits) unconfirmed.delete(client);
        const { rows } = await client.query<R>({ name: statementName(sql), text: sql, values: [...params] });
        if (commits && unconfirmed.has(client)) throw new Error('The wait for a standby has been cancelled.');
        return rows;
      } catch (error) {
        isBroken ||= endsConnection(error);
        if (isReadOnly(error)) discardConnections();
        throw statementError(error, commits);
      }
    };
    try {
      return await work({
        query: (sql, params = []) => run(sql, params, false),
        commit: (sql, params = []) => run(sql, params, true),
      });
    } finally {
      client.off('error', onError);
      client.release(isBroken || loss !== undefined);
    }
  }

  const read = batchedReads(withConnection, timeoutMs);

  const checkReady = remembered(async () => {
    const client = await connectProbe();
    let isReady = false;
    try {
      const schema = await client.query<SchemaVersion>(FIND_COMPATIBLE_VERSION);
      const version = checkVersion(schema.rows[0]);
      const { rows } = await client.query<{ read_only: string }>(PROBE);
      if (rows[0]?.read_only !== 'off') {
        discardConnections();
        throw new Error('The database is read-only, or a standby.');
      }
      isReady = true;
      return version;
    } catch (error) {
      throw error instanceof ApiError ? error : unavailable(error);
    } finally {
      // After a failover, a session can stay read-only.
      client.release(!isReady);
    }
  });

  /** Executes a statement that is a transaction of its own. */
  const commit: Queryable['query'] = (sql, params) =>
    retryConflicts(() => withConnection((connection) => connection.commit(sql, params)), timeoutMs);

  return {
    query: (sql, params) => (sql.startsWith('SELECT') ? read(sql, params) : commit(sql, params)),

    transaction: (work) =>
      retryConflicts(() => withConnection((connection) => inTransaction(connection, work)), timeoutMs),

    queryAndInsert: (sql, params, { statement, values }) =>
      commit(join(sql, params.length, statement), [...params, ...values]),

    checkReady,

    async close() {
      await Promise.allSettled(running);
      await Promise.all([pool.end(), probePool.end()]);
    },
  };
}

async function inTransaction<T>(
  connection: Connection,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  await connection.query('BEGIN');
  let result: T;
  try {
    result = await work({ query: connection.query });
  } catch (error) {
    // ROLLBACK fails on a broken connection, whose transaction the server rolls back itself.
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
  await connection.commit('COMMIT');
  return result;
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

/**
 * Returns a function that derives the name of a prepared statement from the hash of its text. A name
 * thus has the same meaning on all connections of all instances.
 */
function statementNames(): (sql: string) => string {
  const names = new Map<string, string>();
  return (sql) => {
    let name = names.get(sql);
    if (name === undefined) {
      name = `paw_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
      names.set(sql, name);
    }
    return name;
  };
}
