import { type Attributes, context, SpanKind, type Tracer } from '@opentelemetry/api';
import { LRUCache } from 'lru-cache';
import type { Database, Execute, Queryable, Row, Value } from '../storage/database.ts';
import { inSpan } from './in-span.ts';

/** A sync of SQLite's write-ahead log that has ended. The times are those of `performance.now()`. */
export type EndedSync = { readonly startMs: number; readonly endMs: number; readonly commits: number };

// More than there are statements.
const MAX_STATEMENTS = 1000;

// SQL is written with keywords in upper case, and names in lower case.
const TABLE = /\b(?:FROM|INTO|UPDATE|JOIN) ([a-z_]+)/g;

/**
 * Records a span for each statement and each transaction, and on SQLite one for the sync that a write has waited for.
 * The text of a statement is recorded, and its parameters are not.
 *
 * @param connection the attributes of all spans: the system and the address of the database
 * @param findLastSync returns the last sync. It must be that of a write which has just resolved.
 */
export function tracedDatabase(
  tracer: Tracer,
  database: Database,
  connection: Attributes,
  findLastSync: () => EndedSync | undefined,
): Database {
  const attributesOf = statementAttributes(connection);

  function recordSync(): void {
    const lastSync = findLastSync();
    if (lastSync === undefined) return;
    const { startMs, endMs, commits } = lastSync;
    const options = { startTime: startMs, attributes: { ...connection, 'paw.sync.commits': commits } };
    tracer.startSpan('sync', options).end(endMs);
  }

  function query<R extends Row>(
    execute: Execute,
    sql: string,
    params: readonly Value[] | undefined,
    onResult: () => void,
  ): Promise<readonly R[]> {
    const { name, attributes } = attributesOf(sql);
    return inSpan(tracer, name, { kind: SpanKind.CLIENT, attributes }, async (span) => {
      try {
        const rows = await execute<R>(sql, params);
        onResult();
        return rows;
      } catch (error) {
        const code = databaseCode(error);
        if (code !== undefined) span.setAttribute('db.response.status_code', code);
        throw error;
      }
    });
  }

  function traced(target: Database): Database {
    const result: Database = {
      ...target,
      read: (sql, params) => query(target.read, sql, params, () => {}),
      write: (sql, params) => query(target.write, sql, params, recordSync),

      // One span: on PostgreSQL, the insertion is a part of the statement.
      queryAndInsert(sql, params, insertion) {
        const both: Execute = (statement, values = []) => target.queryAndInsert(statement, values, insertion);
        return query(both, sql, params, recordSync);
      },

      transaction: (work, first) =>
        inSpan(tracer, 'transaction', { attributes: connection }, async () => {
          const caller = context.active();
          const result = await target.transaction((transaction) => {
            const queryable: Queryable = {
              read: (sql, params) => query(transaction.read, sql, params, () => {}),
              write: (sql, params) => query(transaction.write, sql, params, () => {}),
            };
            // On SQLite, another request may have started the batch in which the transaction runs.
            return context.with(caller, work, undefined, queryable);
          }, first);
          recordSync();
          return result;
        }),

      during(request) {
        const own = target.during(request);
        return own === target ? result : traced(own);
      },
    };
    return result;
  }

  return traced(database);
}

/**
 * Returns the attributes of the connections to a database. Source: OpenTelemetry, semantic conventions for databases.
 *
 * @param url `sqlite:<path>` or `postgres://…`. Its password is not part of the result.
 */
export function connectionAttributes(url: string): Attributes {
  if (url.startsWith('sqlite:')) return { 'db.system.name': 'sqlite' };
  // With several hosts, the pool decides which of them executes a statement, and the URL is not one of RFC 3986.
  const [, hosts = '', database = ''] = /^\w+:\/\/(?:[^@/]*@)?([^/?]*)\/?([^?]*)/.exec(url) ?? [];
  const { hostname, port } = URL.parse(`postgres://${hosts}`) ?? {};
  return {
    'db.system.name': 'postgresql',
    'db.namespace': decodeURIComponent(database),
    ...(hostname &&
      !hosts.includes(',') && { 'server.address': hostname, 'server.port': Number(port || 5432) }),
  };
}

/** Returns a function that returns the name and the attributes of the span of a statement. */
function statementAttributes(connection: Attributes) {
  const known = new LRUCache<string, { readonly name: string; readonly attributes: Attributes }>({
    max: MAX_STATEMENTS,
  });
  return (sql: string) => {
    const cached = known.get(sql);
    if (cached !== undefined) return cached;
    const operation = sql.slice(0, sql.search(/\s|$/));
    const tables = new Set([...sql.matchAll(TABLE)].map(([, table]) => table));
    const name = [operation, ...tables].join(' ');
    const attributes = {
      ...connection,
      'db.operation.name': operation,
      'db.query.summary': name,
      'db.query.text': sql,
    };
    const created = { name, attributes };
    known.set(sql, created);
    return created;
  };
}

/** Returns the code of PostgreSQL (SQLSTATE) or of SQLite (extended result code) for an error, if it has one. */
function databaseCode(error: unknown): string | undefined {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return undefined;
  if ('errcode' in cause) return String(cause.errcode);
  return 'code' in cause ? String(cause.code) : undefined;
}
