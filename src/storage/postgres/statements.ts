import { createHash } from 'node:crypto';
import { type PoolClient, Query, type QueryResult } from 'pg';
import type { Row, Value } from '../database.ts';

type Statement = {
  /** The name under which it is prepared; undefined if it is not. */
  readonly name: string | undefined;
  readonly sql: string;
  readonly params: readonly Value[];
  /** The time after which the connection is closed if there is no result; undefined for no such limit. */
  readonly timeoutMs: number | undefined;
};

/**
 * Sends a statement. Statements that are sent in one turn of the event loop share a packet.
 *
 * The driver's own promises would keep the rows in memory for so long that collecting them takes a tenth of the time
 * of a page.
 */
export function sendStatement<R extends Row>(
  client: PoolClient,
  { name, sql, params, timeoutMs }: Statement,
): Promise<QueryResult<R>> {
  cork(client);
  return new Promise((resolve, reject) => {
    const query = new Query<R>(sql, [...params], (error, result) =>
      error ? reject(error) : resolve(result),
    );
    client.query(Object.assign(query, { name, query_timeout: timeoutMs }));
  });
}

/** Returns whether the server has prepared a statement on a connection. */
export function isPrepared({ connection }: PoolClient, name: string): boolean {
  // The types of the driver leave this field out.
  const { parsedStatements } = connection as unknown as {
    parsedStatements: Readonly<Record<string, string>>;
  };
  return Object.hasOwn(parsedStatements, name);
}

/** Lets a connection send everything that is written in this turn of the event loop at once. */
function cork({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

// Their end must not depend on a prepared statement, and several statements can't be prepared together.
const TRANSACTION_CONTROL = /^(BEGIN|COMMIT|ROLLBACK)\b/;

/**
 * Returns a function that derives the name of a prepared statement from the hash of its text. A name
 * thus has the same meaning on all connections of all instances. The beginning and the end of a transaction have no name.
 */
export function statementNames(): (sql: string) => string | undefined {
  const names = new Map<string, string>();
  return (sql) => {
    let name = names.get(sql);
    if (name === undefined) {
      if (TRANSACTION_CONTROL.test(sql)) return undefined;
      name = `paw_${createHash('sha256').update(sql).digest('hex').slice(0, 24)}`;
      names.set(sql, name);
    }
    return name;
  };
}
