import {
  type Database,
  type DatabaseRequest,
  IF_FIRST,
  type Row,
  type Statement,
  type Value,
} from '../database.ts';
import { DatabaseError, unavailable } from '../errors.ts';
import { assertUsable, FIND_SCHEMA_VERSION, NO_SCHEMA, type SchemaVersion } from '../migrations.ts';
import { READ_TABLES, READINESS_LIFETIME_MS } from '../readiness.ts';
import { remembered } from '../remembered.ts';
import { type ObserveStatement, timedStatements } from '../statement-times.ts';
import { retryConflicts } from './conflicts.ts';
import { hasCode, LOCK_TIMEOUT, TOO_MANY_CONNECTIONS } from './errors.ts';
import { poolOpener } from './hosts.ts';
import { ConnectionPool, type PoolState, type PoolWait } from './pool.ts';
import { ReadBatches } from './reads.ts';
import type { Session } from './session.ts';
import { statementNames } from './statements.ts';
import { inTransaction } from './transaction.ts';
import { parsePostgresUrl } from './url.ts';

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

/**
 * Receives a function that returns the state of the pool. Returns a function that is called after each wait for a
 * connection, if there is one.
 */
export type ObservePool = (state: () => PoolState) => ((wait: PoolWait) => void) | undefined;

/** The functions that receive what is measured. */
export type PostgresObservers = {
  readonly onPool?: ObservePool | undefined;
  readonly onStatement?: ObserveStatement | undefined;
};

// A wait must be shorter than the timeout of a statement.
const MIGRATION_LOCK = [
  // After the wait, the changes of another migration have to be seen.
  'SET TRANSACTION ISOLATION LEVEL READ COMMITTED',
  "SET LOCAL lock_timeout = '500ms'",
  "SELECT pg_advisory_xact_lock(hashtext('paw migrate'))",
  'SET LOCAL lock_timeout TO DEFAULT',
];

// True for a standby, too.
const READ_ONLY = "SELECT current_setting('transaction_read_only') AS read_only";

/**
 * Opens a connection pool to a PostgreSQL server. Connections are opened on demand. A broken connection is replaced for
 * the next statement.
 *
 * @param url `postgres://…`; see `parsePostgresUrl` for its parameters
 * @throws DatabaseUrlError if the URL is malformed, or a parameter is unknown or invalid
 */
export function openPostgres(
  url: string,
  settings: PostgresSettings,
  { onPool, onStatement }: PostgresObservers = {},
): Database {
  const { timeoutMs } = settings;
  const { pool, probes, begin } = openPools(url, settings, onPool);
  const reads = new ReadBatches(pool);
  const timed = timedStatements(onStatement);
  const isReady = remembered(() => checkReady(pool, probes, timeoutMs), READINESS_LIFETIME_MS);

  function databaseFor(request?: DatabaseRequest): Database {
    const deadlineFromNow = () => (request?.startMs ?? performance.now()) + timeoutMs;

    /** Executes a statement that is a transaction of its own. */
    function write<R extends Row>(sql: string, params?: readonly Value[]): Promise<readonly R[]> {
      const deadline = deadlineFromNow();
      const use = { sql, deadline, request };
      return timed('write', () =>
        retryConflicts(() => pool.use(use, (session) => session.commit<R>(sql, params)), deadline),
      );
    }

    return {
      read: <R extends Row>(sql: string, params: readonly Value[] = []) =>
        timed('read', () => reads.read({ sql, params, deadline: deadlineFromNow(), request })) as Promise<
          readonly R[]
        >,

      write,

      transaction(work) {
        const deadline = deadlineFromNow();
        // The transactions of commands can take longer than the timeout.
        const use = { deadline: request && deadline, request };
        return timed('transaction', () =>
          retryConflicts(() => inTransaction(pool, use, begin, work), deadline),
        );
      },

      writeAll(statements) {
        return write(
          joined(statements),
          statements.flatMap(({ params }) => params),
        );
      },

      during: databaseFor,
      checkReady: isReady,
      migrationLock: MIGRATION_LOCK,
      synced: async () => {},

      close: async () => void (await Promise.all([pool.close(), probes.close()])),
    };
  }

  return databaseFor();
}

/** Returns the pool of requests, that of probes, and the statement that begins a transaction. */
function openPools(url: string, settings: PostgresSettings, onPool: ObservePool | undefined) {
  const { poolSize, timeoutMs, lockTimeoutMs, variables } = settings;
  const target = parsePostgresUrl(url, variables);
  const { hasPooler } = target;
  const statementName = target.isPrepared ? statementNames() : () => undefined;
  const common = { hostCount: target.hosts.length, timeoutMs, statementName, hasPooler };
  const openPool = poolOpener(target, settings);
  const pool: ConnectionPool = new ConnectionPool(openPool({ max: poolSize }), {
    ...common,
    onWait: onPool?.(() => pool.state),
  });
  // A probe must not wait for the connections of requests, and keeps its own.
  const probes = new ConnectionPool(openPool({ max: 1, idleTimeoutMillis: 0 }), common);
  // Behind a pooler, the session has no timeout. Both statements are sent at once.
  const lockTimeout =
    hasPooler && lockTimeoutMs !== undefined ? `; SET LOCAL lock_timeout = ${lockTimeoutMs}` : '';
  return { pool, probes, begin: `BEGIN${lockTimeout}` };
}

/** See `Database.checkReady`. */
async function checkReady(pool: ConnectionPool, probes: ConnectionPool, timeoutMs: number): Promise<void> {
  const use = { deadline: performance.now() + timeoutMs };
  try {
    await probes.use(use, probe).catch((error: unknown) => {
      // Requests are served by the connections there are.
      if (hasCode(error, TOO_MANY_CONNECTIONS)) return pool.use(use, probe);
      throw error;
    });
  } catch (error) {
    throw error instanceof DatabaseError ? error : unavailable(error);
  }
}

/** Reads all tables. @throws if the database is not writable */
async function probe(session: Session): Promise<void> {
  const [schema = NO_SCHEMA] = await session.query<SchemaVersion>(FIND_SCHEMA_VERSION);
  assertUsable(schema);
  const [[state]] = await Promise.all([
    session.query<{ read_only: string }>(READ_ONLY),
    session.query(READ_TABLES).catch((error: unknown) => {
      // Only what needs the table fails. The other instances would not do better.
      if (!hasCode(error, LOCK_TIMEOUT)) throw error;
    }),
  ]);
  if (state?.read_only === 'off') return;
  // After a failover, another session can be writable.
  session.discard();
  throw new Error('The database is read-only, or a standby.');
}

/** Joins the statements of `Database.writeAll` to one. Source: PostgreSQL, section 7.8.4. */
function joined(statements: readonly Statement[]): string {
  let count = 0;
  const parts = statements.map(({ sql, params }, index) => {
    const offset = count;
    count += params.length;
    const renumbered = sql.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`);
    return `part_${index} AS (${renumbered.replace(IF_FIRST, 'EXISTS (SELECT 1 FROM part_0)')})`;
  });
  return `WITH ${parts.join(',\n')} SELECT * FROM part_0`;
}
