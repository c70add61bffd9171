import type { Change, Database, DatabaseRequest, Row, Statement, Value } from '../interface/database.ts';
import { DatabaseError, unavailable } from '../interface/database-error.ts';
import type { Engine } from '../interface/engine.ts';
import { assertUsable, readSchemaVersion } from '../migrations/versions.ts';
import { FIND_COLUMNS, READINESS_LIFETIME_MS } from '../tables/readiness.ts';
import { TABLES } from '../tables/tables.ts';
import { renderStatement } from '../work/change.ts';
import { remembered } from '../work/remembered.ts';
import { type ObserveStatement, timedStatements } from '../work/statement-times.ts';
import { retryConflicts } from './conflicts.ts';
import { connectionRequest } from './connections/connection-turns.ts';
import { poolOpener, SINGLE_USE } from './connections/hosts.ts';
import { ConnectionPool, type PoolState, type PoolWait } from './connections/pool.ts';
import type { Session } from './connections/session.ts';
import { statementNames } from './connections/statements.ts';
import { parsePostgresUrl } from './connections/url.ts';
import { distribute, listNodes } from './distribute.ts';
import { asOneStatement } from './joined-statements.ts';
import { MIGRATION_LIMITS, migrationPool, schemaChanges } from './migration-session.ts';
import { ReadPipeline } from './reads.ts';
import { SCHEMA_OBJECTS } from './schema-objects.ts';
import { hasCode, LOCK_TIMEOUT, TOO_MANY_CONNECTIONS } from './sqlstates.ts';
import { inTransaction, transactionBegin, writeInTwoRoundTrips } from './transaction.ts';

/** The limits on one process's use of a PostgreSQL server. */
export type PostgresSettings = {
  /** The maximum number of connections. */
  readonly poolSize: number;
  /** The timeout in milliseconds: see `ConnectionUse`. */
  readonly timeoutMs: number;
  /** How long a statement waits for a lock, in milliseconds; undefined for no such limit. */
  readonly lockTimeoutMs?: number | undefined;
  /** The variables `PG…` of libpq; see `parsePostgresUrl`. */
  readonly variables?: Readonly<Record<string, string>>;
};

/**
 * Receives a function that returns the state of the pool. Returns a function that is called after each wait for a
 * connection, if there is one.
 */
export type ObservePool = (state: () => PoolState) => ((wait: PoolWait) => void) | undefined;

/** The functions that receive the measurements. */
export type PostgresObservers = {
  readonly onPool?: ObservePool | undefined;
  readonly onStatement?: ObserveStatement | undefined;
};

// True for a standby, too.
const READ_ONLY = "SELECT current_setting('transaction_read_only') AS read_only";

const TABLE_NAMES = TABLES.map(({ name }) => `('${name}')`).join(', ');

// Locks no table, and on Citus needs no node. Behind a pooler, the session can't turn row level security into errors.
const FIND_MISSING_RIGHT = `SELECT t.name AS table_name, r.name AS missing
FROM (VALUES ${TABLE_NAMES}) t (name), (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) r (name)
WHERE NOT has_table_privilege(t.name, r.name) OR row_security_active(t.name) LIMIT 1`;

type MissingRight = { readonly table_name: string; readonly missing: string };

// So that it ends before a stop does.
const MAX_CHECK_MS = 5000;

const NOW = 'SELECT CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP) * 1000 AS BIGINT) AS now';

/**
 * Opens a connection pool to a PostgreSQL server. Connections are opened on demand. A broken connection is replaced for
 * the next statement.
 *
 * @throws DatabaseUrlError if the URL is malformed, or a parameter is unknown or invalid
 */
export function openPostgres(
  url: string,
  settings: PostgresSettings,
  { onPool, onStatement }: PostgresObservers = {},
): Engine {
  const { timeoutMs } = settings;
  const pools = openPools(url, settings, onPool);
  const { pool, probes, singleUse, migrations } = pools;
  const database = databasesOf(pool, timeoutMs, onStatement)();
  return {
    ...database,
    checkReady: remembered(() => checkReady(pool, probes, timeoutMs), READINESS_LIFETIME_MS),
    schema: schemaChanges(migrations),
    // In the order of many languages, the order of ids differs from the order of their times.
    textType: 'TEXT COLLATE "C"',

    async assertEncoding() {
      const [row] = await database.read<{ server_encoding: string }>('SHOW server_encoding');
      const encoding = row?.server_encoding;
      if (encoding === 'UTF8') return;
      throw new Error(
        `The database has the encoding ${encoding}. Create one with ENCODING 'UTF8' TEMPLATE template0.`,
      );
    },

    distribute,
    nodes: () => database.transaction(listNodes),
    schemaObjects: SCHEMA_OBJECTS,
    synced: async () => {},

    async expiryTime() {
      const [row] = await database.read<{ now: number }>(NOW);
      return row?.now ?? 0;
    },

    checkConnection: (clock) => checkConnection(singleUse, timeoutMs, clock),

    close: async () => void (await Promise.all(Object.values(pools).map((each) => each.close()))),
  };
}

/** Returns the function that returns the database for a request. Without a request, each call has the whole timeout. */
function databasesOf(pool: ConnectionPool, timeoutMs: number, onStatement: ObserveStatement | undefined) {
  const reads = new ReadPipeline(pool);
  const timed = timedStatements(onStatement);

  return function databaseFor(request?: DatabaseRequest): Database {
    const deadlineFromNow = () => (request?.startMs ?? performance.now()) + timeoutMs;

    function commit<R extends Row>(
      statement: Statement,
      others: readonly Change[],
      run: (session: Session) => Promise<readonly R[]>,
    ): Promise<readonly R[]> {
      const deadline = deadlineFromNow();
      // So that on Citus a lost connection before the commit is not an unknown result, and workers know its lock timeout.
      const onCitus = (session: Session) => writeInTwoRoundTrips<R>(session, statement, others);
      const use = { request: connectionRequest(statement, true), deadline };
      const attempt = () => pool.use(use, (session) => (session.isCitus ? onCitus(session) : run(session)));
      return timed('write', () => retryConflicts(attempt, deadline));
    }

    return {
      read<R extends Row>(sql: string, params: readonly Value[] = []) {
        const rows = timed('read', () => reads.read({ sql, params, deadline: deadlineFromNow() }));
        return rows as Promise<readonly R[]>;
      },

      write: (sql, params = []) => commit({ sql, params }, [], (session) => session.commit(sql, params)),

      async writeIfFirst(changes) {
        const [first, ...others] = changes;
        const { sql, params } = asOneStatement(changes);
        return commit(renderStatement(first), others, (session) => session.commit(sql, params));
      },

      transaction(work) {
        const deadline = deadlineFromNow();
        // The transactions of commands can take longer than the timeout.
        const attempt = () => inTransaction(pool, request && deadline, work);
        return timed('transaction', () => retryConflicts(attempt, deadline));
      },

      forRequest: databaseFor,
    };
  };
}

/** Returns the pools of requests, of probes, of connections that are closed after one use, and of migrations. */
function openPools(url: string, settings: PostgresSettings, onPool: ObservePool | undefined) {
  const { poolSize, timeoutMs, variables } = settings;
  const target = parsePostgresUrl(url, variables);
  const { hasPooler } = target;
  const statementName = target.isPrepared ? statementNames() : () => undefined;
  const common = {
    hostCount: target.hosts.length,
    timeoutMs,
    statementName,
    hasPooler,
    begin: transactionBegin(hasPooler, settings),
  };
  const openPool = poolOpener(target, settings);
  const singleUse = new ConnectionPool(openPool(SINGLE_USE), common);
  const askNodes = remembered(() => checkConnection(singleUse, timeoutMs, Date.now), READINESS_LIFETIME_MS);
  const pool: ConnectionPool = new ConnectionPool(openPool({ max: poolSize }), {
    ...common,
    onWait: onPool?.(() => pool.state),
    onMissingShard: () => void askNodes().catch(() => {}),
  });
  // A probe must not wait for the connections of requests, and keeps its own.
  const probes = new ConnectionPool(openPool({ max: 1, idleTimeoutMillis: 0 }), common);
  const migrations = new ConnectionPool(openPool(migrationPool(hasPooler)), {
    ...common,
    ...MIGRATION_LIMITS,
  });
  return { pool, probes, singleUse, migrations };
}

/** See `Engine.checkConnection`. */
async function checkConnection(
  pool: ConnectionPool,
  timeoutMs: number,
  clock: () => number,
): Promise<number | undefined> {
  try {
    const deadline = performance.now() + Math.min(timeoutMs, MAX_CHECK_MS);
    return await pool.use({ deadline }, async (session) => {
      const before = clock();
      const [row] = await session.query<{ now: number }>(NOW);
      const now = row?.now ?? before;
      // The server has read its clock between these two times.
      return (Math.max(before - now, 0) + Math.min(clock() - now, 0)) / 1000;
    });
  } catch (error) {
    // Requests are served by the connections there are.
    if (hasCode(error, TOO_MANY_CONNECTIONS)) return undefined;
    throw error;
  }
}

/** See `Engine.checkReady`. */
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

/** Finds all tables, columns and rights. @throws if one is missing, or the database is not writable */
async function probe(session: Session): Promise<void> {
  assertUsable(await readSchemaVersion({ read: session.query }));
  const [[state], [right]] = await Promise.all([
    session.query<{ read_only: string }>(READ_ONLY),
    session.query<MissingRight>(FIND_MISSING_RIGHT),
    session.query(FIND_COLUMNS).catch((error: unknown) => {
      // Only what needs the table fails. The other instances would not do better.
      if (!hasCode(error, LOCK_TIMEOUT)) throw error;
    }),
  ]);
  if (right !== undefined) {
    const { table_name, missing } = right;
    throw new Error(
      `The role lacks ${missing} on the table "${table_name}", or row-level security applies to it.`,
    );
  }
  if (state?.read_only === 'off') return;
  // After a failover, another session can be writable.
  session.discard();
  throw new Error('The database is read-only, or a standby.');
}
