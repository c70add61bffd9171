import { setInterval } from 'node:timers/promises';
import type { PoolConfig } from 'pg';
import type { Queryable } from '../interface/database.ts';
import { unavailable } from '../interface/database-error.ts';
import { type Index, type IndexCreation, isDefinedAs, type SchemaChanges } from '../interface/engine.ts';
import { TABLES } from '../tables/tables.ts';
import { DAY_MS, withoutTransactionTimeout } from './connections/hosts.ts';
import type { ConnectionPool } from './connections/pool.ts';
import type { Session } from './connections/session.ts';
import { inTransaction, transactionBegin } from './transaction.ts';

// The requests behind a statement that waits for the lock of a table wait as long.
const LOCK_TIMEOUT_MS = 1000;

const WAIT_REPORT_MS = 1000;

/** The settings of the sessions of migrations. A pooler refuses them. */
export function migrationPool(hasPooler: boolean): PoolConfig {
  // An index is created during the transaction that has the lock, and `ConnectionTurns` keeps one connection free.
  const common = { max: 3, keepAliveInitialDelayMillis: 10_000 };
  // A timeout of the role would end the creation of an index.
  return hasPooler ? common : { ...common, statement_timeout: DAY_MS, lock_timeout: DAY_MS };
}

/** The limits of a transaction of a migration: a day for a statement, and a second for a lock. */
export const MIGRATION_LIMITS = {
  timeoutMs: DAY_MS,
  begin: (isCitus: boolean) => [
    // As behind a pooler, so it is the transaction that has the lock timeout, and not the creation of an index.
    ...transactionBegin(true, { timeoutMs: DAY_MS, lockTimeoutMs: LOCK_TIMEOUT_MS })(isCitus),
    ...[
      `SET LOCAL statement_timeout = ${DAY_MS}`,
      // Must see everything that another process committed before it released the lock.
      "SET LOCAL transaction_isolation = 'read committed'",
      `SELECT ${withoutTransactionTimeout('transaction')}`,
    ].map((sql) => ({ sql, params: [] })),
  ],
};

// A statement that waits would have a snapshot, and the creation of an index waits for all snapshots.
const TRY_LOCK = `SELECT CASE WHEN pg_try_advisory_xact_lock(hashtext('paw migrate')) THEN 1 ELSE 0 END AS is_locked`;

const TABLE_NAMES = [...TABLES.map(({ name }) => name), 'schema_migration'];

// The owners of the tables, first one whose rights the role does not have. Becoming a role is a separate right since
// PostgreSQL 16.
const FIND_OWNERS = `SELECT DISTINCT pg_get_userbyid(relowner) AS name, quote_ident(pg_get_userbyid(relowner)) AS quoted,
  current_user AS role, CASE WHEN pg_has_role(relowner, 'USAGE') AND pg_has_role(relowner,
    CASE WHEN current_setting('server_version_num') >= '160000' THEN 'SET' ELSE 'MEMBER' END) THEN 1 ELSE 0 END AS has_rights
FROM pg_class WHERE oid IN (${TABLE_NAMES.map((name) => `to_regclass('${name}')`).join(', ')}) ORDER BY has_rights`;

type Owner = {
  readonly name: string;
  readonly quoted: string;
  readonly role: string;
  readonly has_rights: 0 | 1;
};

const FIND_INDEX = `SELECT pg_get_indexdef(indexrelid) AS definition, CASE WHEN indisvalid THEN 1 ELSE 0 END AS is_valid
FROM pg_index WHERE indexrelid = to_regclass($1) AND indrelid = to_regclass($2)`;

type FoundIndex = { readonly definition: string; readonly is_valid: 0 | 1 };

// A program that was killed can have left a session that continues.
const FIND_CREATION = `SELECT pid, application_name FROM pg_stat_progress_create_index JOIN pg_stat_activity USING (pid)
WHERE relid = to_regclass($1) AND pg_stat_activity.datname = current_database()`;

// The sessions that block the creation or removal of the index. The start of other roles' transactions can be hidden.
const FIND_WAIT = `SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp() - waiting.query_start) AS INTEGER) AS seconds,
  other.pid, other.application_name,
  CAST(EXTRACT(EPOCH FROM clock_timestamp() - other.xact_start) AS INTEGER) AS transaction_seconds
FROM pg_stat_activity AS waiting, unnest(pg_blocking_pids(waiting.pid)) AS blocking (pid), pg_stat_activity AS other
WHERE waiting.query LIKE '% INDEX CONCURRENTLY %' || $1 || '%' AND waiting.datname = current_database()
  AND other.pid = blocking.pid`;

type OtherSession = { readonly pid: number; readonly application_name: string };
type Wait = OtherSession & { readonly seconds: number; readonly transaction_seconds: number | null };

// Any statement ends the last query, with its snapshot.
const END_QUERY = 'SET LOCAL lock_timeout TO DEFAULT';

/** See `Engine.schema`. The lock belongs to a transaction, since a pooler keeps none of a session. */
export function schemaChanges(pool: ConnectionPool): SchemaChanges {
  const locked = <T>(work: (transaction: Queryable, owner: string | undefined) => Promise<T>): Promise<T> =>
    inTransaction(pool, undefined, async (to) => {
      const [lock] = await to.read<{ is_locked: 0 | 1 }>(TRY_LOCK);
      if (lock?.is_locked !== 1)
        throw unavailable(new Error('Another process migrates the database'), 'lock');
      return work(to, await findOwner(to));
    });
  return {
    transaction: (work) =>
      locked(async (to, owner) => {
        // So that new tables belong to the owner of the others.
        if (owner !== undefined) await to.write(`SET LOCAL ROLE ${owner}`);
        return work(to);
      }),
    createIndex: (index, creation) =>
      locked(async (to) => {
        const { name, table } = index;
        if (!(await creation.isMissing(to))) return;
        const [other] = await to.read<OtherSession>(FIND_CREATION, [table]);
        if (other) {
          const wait = await describeWait(pool, name);
          const text = `The session ${nameOf(other)} creates an index of ${table}${wait && `. ${wait}`}`;
          throw unavailable(new Error(text), 'lock');
        }
        const [found] = await to.read<FoundIndex>(FIND_INDEX, [name, table]);
        if (found?.is_valid === 1 && isDefinedAs(index, found.definition)) return;
        await to.write(END_QUERY);
        await createIndex(pool, index, found !== undefined, creation);
      }),
  };
}

/**
 * Returns the quoted name of the role that owns all tables; undefined if it is this role, or there is none or several.
 *
 * @throws Error if this role does not have the rights of an owner
 */
async function findOwner(transaction: Queryable): Promise<string | undefined> {
  const [owner, ...others] = await transaction.read<Owner>(FIND_OWNERS);
  if (owner === undefined) return undefined;
  const { name, quoted, role } = owner;
  if (owner.has_rights === 0) {
    throw new Error(
      `The tables belong to the role ${name}, whose rights the role ${role} does not have. Run "paw migrate" with the role ${name}.`,
    );
  }
  return name === role || others.length > 0 ? undefined : quoted;
}

/** Creates an index while writes continue, which a transaction can't. */
async function createIndex(
  pool: ConnectionPool,
  { name, isUnique, table, columns }: Index,
  isReplaced: boolean,
  { signal, onWait }: IndexCreation,
): Promise<void> {
  const drop = `DROP INDEX CONCURRENTLY IF EXISTS ${name}`;
  const create = `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX CONCURRENTLY ${name} ON ${table} ${columns}`;
  const ended = new AbortController();
  const reports = reportWaits(pool, name, onWait, ended.signal);
  try {
    await pool.use({ deadline: undefined }, async (session) => {
      const cancel = () => session.expire();
      signal?.addEventListener('abort', cancel);
      try {
        for (const sql of isReplaced ? [drop, create] : [create]) {
          signal?.throwIfAborted();
          await session.query(sql);
        }
      } finally {
        signal?.removeEventListener('abort', cancel);
      }
    });
  } catch (error) {
    signal?.throwIfAborted();
    throw error;
  } finally {
    ended.abort();
    await reports.catch(() => {});
  }
}

/** Reports each second which sessions block the creation of an index, until the signal is aborted. */
async function reportWaits(
  pool: ConnectionPool,
  name: string,
  onWait: IndexCreation['onWait'],
  ended: AbortSignal,
): Promise<void> {
  for await (const _ of setInterval(WAIT_REPORT_MS, undefined, { signal: ended })) {
    const text = await describeWait(pool, name);
    if (text !== '') onWait?.(text);
  }
}

/** Returns the sessions that block the creation of an index, as a text. It is empty if there are none, or the query fails. */
async function describeWait(pool: ConnectionPool, name: string): Promise<string> {
  const find = (session: Session) => session.query<Wait>(FIND_WAIT, [name]);
  const waits = await pool.use({ deadline: performance.now() + WAIT_REPORT_MS }, find).catch(() => []);
  if (waits[0] === undefined) return '';
  const others = waits.map(({ transaction_seconds: age, ...session }) =>
    age === null ? nameOf(session) : `${nameOf(session)}, whose transaction is ${age} s old`,
  );
  return `The index ${name}, begun ${waits[0].seconds} s ago, waits for the session ${others.join('; ')}`;
}

function nameOf({ pid, application_name }: OtherSession): string {
  return application_name === '' ? String(pid) : `${pid} (${application_name})`;
}
