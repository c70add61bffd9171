import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, Pool, type PoolClient, type PoolConfig, types } from 'pg';
import { ApiError, unavailable } from '../model/api-error.ts';
import type { Database, InsertStatement, Queryable, Row, Value } from './database.ts';
import { parsePostgresUrl } from './database-url.ts';
import { batchedReads } from './postgres-reads.ts';
import { READ_TABLES, remembered } from './readiness.ts';
import { checkVersion, FIND_COMPATIBLE_VERSION, type SchemaVersion } from './schema-version.ts';

/** The limits on one process's use of a PostgreSQL server. */
export type PostgresSettings = {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** The timeout of a statement, and of the wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
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

const READ_ONLY = /^25006$/;

// Error codes of an unavailable server, as opposed to those of an invalid statement.
// Source: PostgreSQL, appendix A.
const OUTAGE_CODES = [
  /^08/, // connection exception
  /^53/, // insufficient resources
  /^57/, // operator intervention: shutdown, startup, statement timeout
  /^58/, // system error
  READ_ONLY,
  /^40001$/, // serialization failure
  /^40P01$/, // deadlock
  /^XX/, // internal error, which distributed engines return for an unavailable node
];

// The messages of the pool, whose errors have no code: all connections are used, or a new one takes too long.
const POOL_TIMEOUT =
  /^(timeout exceeded when trying to connect|Connection terminated due to connection timeout)$/;

// A serialization failure or a deadlock. A retry of the transaction can succeed.
const CONFLICT_CODE = /^(40001|40P01)$/;
const MAX_ATTEMPTS = 4;
const RETRY_DELAY_MS = 20;

// The client's timeout is longer than the server's. It applies if the server no longer responds.
const CLIENT_TIMEOUT_MARGIN_MS = 1000;

/**
 * Opens a connection pool to a PostgreSQL server, or to another engine with its protocol.
 * Connections are opened on demand. A broken connection is replaced for the next statement.
 *
 * @param url `postgres://…`; see `parsePostgresUrl` for its parameters
 * @throws DatabaseUrlError if a parameter of the URL is unknown or invalid
 */
export function openPostgres(
  url: string,
  { poolSize, timeoutMs }: PostgresSettings,
  onPool?: ObservePool,
): Database {
  const { connectionString, hasPooler } = parsePostgresUrl(url);

  const settings: PoolConfig = {
    connectionString,
    application_name: 'paw-gateway',
    connectionTimeoutMillis: timeoutMs,
    ...(!hasPooler && { statement_timeout: timeoutMs }),
    query_timeout: timeoutMs + CLIENT_TIMEOUT_MARGIN_MS,
    keepAlive: true,
    pipeline: true,
    // Counts and times are safe integers.
    types: {
      getTypeParser: (oid: number) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)),
    },
  };
  const pool = openPool(settings, poolSize);
  const observeWait = onPool?.(() => ({
    used: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: pool.waitingCount,
  }));
  // A probe must not wait for the connections of requests.
  const probePool = openPool(settings, 1);

  const statementName = hasPooler ? () => undefined : statementNames();

  const join = joinedStatements();

  const running = new Set<Promise<unknown>>();

  /** Runs `work` on a connection of the pool. `close` waits for it. */
  function withConnection<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    const result = runOnConnection(work).finally(() => running.delete(result));
    running.add(result);
    return result;
  }

  async function connect(): Promise<PoolClient> {
    const start = observeWait && performance.now();
    const observe = (error?: unknown) => {
      if (start === undefined) return;
      const isTimeout = error instanceof Error && POOL_TIMEOUT.test(error.message);
      observeWait?.({ seconds: (performance.now() - start) / 1000, isTimeout });
    };
    try {
      const client = await pool.connect();
      observe();
      return client;
    } catch (error) {
      // The server is unreachable, or no connection is available in time.
      observe(error);
      throw unavailable(error);
    }
  }

  /** Runs `work` on a connection of the pool, and discards the connection if it may be broken. */
  async function runOnConnection<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    const client = await connect();
    let isBroken = false;
    const connection: Queryable = {
      async query<R extends Row>(sql: string, params: readonly Value[] = []) {
        try {
          const { rows } = await client.query<R>({
            name: statementName(sql),
            text: sql,
            values: [...params],
          });
          return rows;
        } catch (error) {
          // An error that is not from the server is an error of the connection.
          isBroken ||= !(error instanceof DatabaseError) || error.severity === 'FATAL' || isReadOnly(error);
          throw isBroken || isOutage(error) ? unavailable(error) : error;
        }
      },
    };
    try {
      return await work(connection);
    } finally {
      client.release(isBroken);
    }
  }

  const read = batchedReads(withConnection);

  const checkReady = remembered(async () => {
    const client = await probePool.connect().catch((error: unknown) => Promise.reject(unavailable(error)));
    let isReady = false;
    try {
      const schema = await client.query<SchemaVersion>(FIND_COMPATIBLE_VERSION);
      const version = checkVersion(schema.rows[0]);
      const { rows } = await client.query<{ read_only: string }>(PROBE);
      if (rows[0]?.read_only !== 'off') throw new Error('The database is read-only, or a standby.');
      isReady = true;
      return version;
    } catch (error) {
      throw error instanceof ApiError ? error : unavailable(error);
    } finally {
      // After a failover, a session can stay read-only.
      client.release(!isReady);
    }
  });

  return {
    query: (sql, params) =>
      sql.startsWith('SELECT')
        ? read(sql, params)
        : withConnection((connection) => connection.query(sql, params)),

    async transaction(work) {
      for (let attempt = 1; ; attempt += 1) {
        try {
          return await withConnection((connection) => inTransaction(connection, work));
        } catch (error) {
          if (attempt === MAX_ATTEMPTS || !isConflict(error)) throw error;
          // A random delay, so that the conflicting transactions do not retry at the same time.
          await delay(Math.random() * RETRY_DELAY_MS * attempt);
        }
      }
    },

    queryAndInsert(sql, params, { statement, values }) {
      const both = join(sql, params.length, statement);
      return withConnection((connection) => connection.query(both, [...params, ...values]));
    },

    checkReady,

    async close() {
      await Promise.allSettled(running);
      await Promise.all([pool.end(), probePool.end()]);
    },
  };
}

/** Opens a connection pool. */
function openPool(settings: PoolConfig, max: number): Pool {
  const pool = new Pool({ ...settings, max });
  // A broken connection rejects its running statements and also emits an error event, which
  // would end the process if it had no listener.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
}

async function inTransaction<T>(
  connection: Queryable,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  await connection.query('BEGIN');
  try {
    const result = await work(connection);
    await connection.query('COMMIT');
    return result;
  } catch (error) {
    // ROLLBACK fails on a broken connection, whose transaction the server rolls back itself.
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
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

/** A session can stay read-only after a failover, when the server is writable again. Its connection is discarded. */
function isReadOnly({ code }: DatabaseError): boolean {
  return READ_ONLY.test(code ?? '');
}

function isOutage(error: unknown): boolean {
  return error instanceof DatabaseError && OUTAGE_CODES.some((pattern) => pattern.test(error.code ?? ''));
}

function isConflict(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : undefined;
  return cause instanceof DatabaseError && CONFLICT_CODE.test(cause.code ?? '');
}
