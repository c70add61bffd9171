import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseError, Pool, types } from 'pg';
import { ApiError, unavailable } from '../model/api-error.ts';
import type { Database, Queryable, Row, Value } from './database.ts';
import { batchedReads } from './postgres-reads.ts';

/** How much of a PostgreSQL server one process takes. */
export type PostgresSettings = {
  /** The most connections. */
  readonly poolSize: number;
  /** How long a statement may run, and how long one may wait for a connection, in milliseconds. */
  readonly timeoutMs: number;
};

const READ_ONLY = /^25006$/;

// Errors by which the server says that it cannot answer, not that it was asked
// wrongly. Source: PostgreSQL, appendix A.
const OUTAGES = [
  /^08/, // connection exceptions
  /^53/, // insufficient resources
  /^57/, // operator intervention: shutting down, starting up, statement time-out
  /^58/, // errors outside the server
  READ_ONLY,
  /^40001$/, // serialization failure
  /^40P01$/, // deadlock
  /^XX/, // a part of the engine that is away
];

// What other transactions got in the way of may well succeed when it is tried again.
const CONFLICT = /^(40001|40P01)$/;
const ATTEMPTS = 4;
const CONFLICT_PAUSE_MS = 20;

// How much longer than the server the client waits, in case the server has gone without a word.
const GRACE_MS = 1000;

/**
 * Opens a pool of connections to a PostgreSQL server, or to an engine that speaks
 * its protocol. A connection is made when one is needed, and after one that breaks
 * the next statement gets another.
 *
 * @param url `postgres://…`; `sslmode` is `disable` (the default), `require`, `verify-ca`
 *   or `verify-full`, which mean what they mean to libpq; `pgbouncer=true` is for a
 *   pooler in transaction mode, which keeps neither settings nor prepared statements
 */
export function openPostgres(url: string, { poolSize, timeoutMs }: PostgresSettings): Database {
  const target = new URL(url);
  const pooled = target.searchParams.get('pgbouncer') === 'true';
  target.searchParams.delete('pgbouncer');
  // With it, `sslmode=require` means what it means to libpq: encrypt, and trust any certificate.
  target.searchParams.set('uselibpqcompat', 'true');

  const pool = new Pool({
    connectionString: target.href,
    application_name: 'paw-gateway',
    max: poolSize,
    connectionTimeoutMillis: timeoutMs,
    ...(!pooled && { statement_timeout: timeoutMs }),
    query_timeout: timeoutMs + GRACE_MS,
    keepAlive: true,
    pipeline: true,
    // Counts and times are well within what a number holds exactly.
    types: {
      getTypeParser: (oid: number) => (oid === types.builtins.INT8 ? Number : types.getTypeParser(oid)),
    },
  });
  // A connection that breaks is noticed by the statement on it, if there is one; unheard, the
  // error that it also emits would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  const preparedName = pooled ? () => undefined : statementNames();

  const open = new Set<Promise<unknown>>();

  /** Runs `work` on a connection, and lets `close` wait for it. */
  function withConnection<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    const result = connect(work).finally(() => open.delete(result));
    open.add(result);
    return result;
  }

  /** Runs `work` on a connection, which is not used again if it may be broken. */
  async function connect<T>(work: (connection: Queryable) => Promise<T>): Promise<T> {
    // All that can go wrong here is that there is no server, or no free connection in time.
    const client = await pool.connect().catch((error: unknown) => Promise.reject(unavailable(error)));
    let broken = false;
    const connection: Queryable = {
      async query<R extends Row>(sql: string, params: readonly Value[] = []) {
        try {
          const { rows } = await client.query<R>({ name: preparedName(sql), text: sql, values: [...params] });
          return rows;
        } catch (error) {
          // What the server did not say itself is said of the connection to it.
          broken ||= !(error instanceof DatabaseError) || error.severity === 'FATAL' || isReadOnly(error);
          throw broken || isOutage(error) ? unavailable(error) : error;
        }
      },
    };
    try {
      return await work(connection);
    } finally {
      client.release(broken);
    }
  }

  const read = batchedReads(withConnection);

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
          if (attempt === ATTEMPTS || !isConflict(error)) throw error;
          // Not at the same time as whoever it collided with.
          await delay(Math.random() * CONFLICT_PAUSE_MS * attempt);
        }
      }
    },

    async close() {
      await Promise.allSettled(open);
      await pool.end();
    },
  };
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
    // On a connection that has broken the server does it by itself.
    await connection.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** Names a statement by its text, so that a name means the same on every connection of every instance. */
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

/** A session stays read-only when its database no longer is, as after a change of primary. */
function isReadOnly({ code }: DatabaseError): boolean {
  return READ_ONLY.test(code ?? '');
}

function isOutage(error: unknown): boolean {
  return error instanceof DatabaseError && OUTAGES.some((pattern) => pattern.test(error.code ?? ''));
}

function isConflict(error: unknown): boolean {
  const cause = error instanceof ApiError ? error.cause : undefined;
  return cause instanceof DatabaseError && CONFLICT.test(cause.code ?? '');
}
