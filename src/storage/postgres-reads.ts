import { DatabaseError } from 'pg';
import type { Queryable, Row, Value } from './database.ts';

// A larger batch would serialize reads on one connection while other connections are idle.
const MAX_BATCH = 16;

type PendingRead = {
  readonly sql: string;
  readonly params: readonly Value[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Returns a query function that pipelines the reads of one event-loop turn over one connection.
 * Without it, event-loop turns, system calls and the checkout of connections take longer than
 * the queries.
 *
 * Each read has its own result: a failed read has no effect on the others.
 *
 * @param withConnection runs work on a connection of the pool; rejects if no connection is available in time
 */
export function batchedReads(
  withConnection: (work: (connection: Queryable) => Promise<unknown>) => Promise<unknown>,
): Queryable['query'] {
  let pending: PendingRead[] = [];

  function send(): void {
    const reads = pending;
    pending = [];
    for (let start = 0; start < reads.length; start += MAX_BATCH) {
      const batch = reads.slice(start, start + MAX_BATCH);
      withConnection((connection) => runBatch(batch, connection)).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
  }

  return <R extends Row>(sql: string, params: readonly Value[] = []) =>
    new Promise<readonly R[]>((resolve, reject) => {
      if (pending.length === 0) setImmediate(send);
      pending.push({ sql, params, resolve: resolve as PendingRead['resolve'], reject });
    });
}

async function runBatch(batch: readonly PendingRead[], connection: Queryable): Promise<void> {
  const unprepared: PendingRead[] = [];
  await Promise.all(
    batch.map((read) =>
      connection.query(read.sql, read.params).then(read.resolve, (error: unknown) => {
        if (isMissingStatement(error)) unprepared.push(read);
        else read.reject(error);
      }),
    ),
  );
  // Sequentially, so that each read prepares its own statement.
  for (const { sql, params, resolve, reject } of unprepared) {
    await connection.query(sql, params).then(resolve, reject);
  }
}

/**
 * Returns whether a prepared statement does not exist, because another read of the batch failed
 * to prepare it. A retry of the read gives the original error.
 * Source: PostgreSQL, appendix A, invalid_sql_statement_name.
 */
function isMissingStatement(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '26000';
}
