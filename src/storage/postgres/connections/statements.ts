import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import type { Row } from '../../interface/database.ts';
import { type NamedStatement, StatementGroup } from './statement-group.ts';

/** The sent statements. */
export type SentStatements<R extends Row> = {
  /** The rows of the last statement. */
  readonly rows: Promise<readonly R[]>;
  /** Returns whether all statements but the last one have succeeded. */
  isAtLast(): boolean;
};

/**
 * Sends statements. Statements of one iteration of the event loop share a packet.
 *
 * The driver's own promises would keep the rows in memory for so long that collecting them takes a tenth of the time
 * of a page.
 */
export function sendStatements<R extends Row>(
  client: PoolClient,
  statements: readonly NamedStatement[],
): SentStatements<R> {
  cork(client);
  const { promise, resolve, reject } = Promise.withResolvers<readonly R[]>();
  const group = new StatementGroup<R>(client, statements, (error, rows) =>
    error ? reject(error) : resolve(rows),
  );
  client.query(group);
  return { rows: promise, isAtLast: () => group.isAtLast };
}

/** Makes a connection send everything that is written in this iteration of the event loop together. */
function cork({ connection: { stream } }: PoolClient): void {
  if (stream.writableCorked > 0) return;
  stream.cork();
  process.nextTick(() => stream.uncork());
}

// Their end must not depend on a prepared statement, and several statements can't be prepared together.
const TRANSACTION_CONTROL = /^(BEGIN|SET LOCAL|COMMIT|ROLLBACK)\b/;

/**
 * Returns a function that derives the name of a prepared statement from the hash of its text. A name thus has the same
 * meaning on all connections of all instances. The statements that begin and end a transaction have no name.
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
