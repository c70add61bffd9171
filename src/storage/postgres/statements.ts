import { hash } from 'node:crypto';
import { type PoolClient, Query, type QueryResult } from 'pg';
import type { Row, Value } from '../database.ts';

/**
 * Sends a statement, which is prepared under `name`. Statements that are sent in one turn of the event loop share a packet.
 *
 * The driver's own promises would keep the rows in memory for so long that collecting them takes a tenth of the time
 * of a page.
 */
export function sendStatement<R extends Row>(
  client: PoolClient,
  name: string | undefined,
  sql: string,
  params: readonly Value[],
): Promise<QueryResult<R>> {
  cork(client);
  return new Promise((resolve, reject) => {
    const query = new Query<R>(sql, [...params], (error, result) =>
      error ? reject(error) : resolve(result),
    );
    client.query(Object.assign(query, { name }));
  });
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
    const known = names.get(sql);
    if (known !== undefined || TRANSACTION_CONTROL.test(sql)) return known;
    const name = `paw_${hash('sha256', sql).slice(0, 24)}`;
    names.set(sql, name);
    return name;
  };
}
