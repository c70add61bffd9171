import { DatabaseError } from 'pg';
import type { Queryable, Row, Value } from './database.ts';

// More would wait for each other on one connection where others are free.
const MAX_BATCH = 16;

type PendingRead = {
  readonly sql: string;
  readonly params: readonly Value[];
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Sends the reads that come in the same turn of the event loop over one connection, one
 * after another without waiting for the answers. The turns, the system calls and the
 * hand-over of connections take more time than the server does.
 *
 * Each read has its own result: one that fails has no effect on the others.
 *
 * @param withConnection runs work on a connection of the pool; it fails if none is free in time
 */
export function batchedReads(
  withConnection: (work: (connection: Queryable) => Promise<unknown>) => Promise<unknown>,
): Queryable['query'] {
  let waiting: PendingRead[] = [];

  function send(): void {
    const reads = waiting;
    waiting = [];
    for (let start = 0; start < reads.length; start += MAX_BATCH) {
      const batch = reads.slice(start, start + MAX_BATCH);
      withConnection((connection) => runBatch(batch, connection)).catch((error: unknown) => {
        for (const { reject } of batch) reject(error);
      });
    }
  }

  return <R extends Row>(sql: string, params: readonly Value[] = []) =>
    new Promise<readonly R[]>((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ sql, params, resolve: resolve as PendingRead['resolve'], reject });
    });
}

async function runBatch(batch: readonly PendingRead[], connection: Queryable): Promise<void> {
  const unprepared: PendingRead[] = [];
  await Promise.all(
    batch.map((read) =>
      connection.query(read.sql, read.params).then(read.resolve, (error: unknown) => {
        if (isUnprepared(error)) unprepared.push(read);
        else read.reject(error);
      }),
    ),
  );
  // One after another, so that each prepares its statement by itself.
  for (const { sql, params, resolve, reject } of unprepared) {
    await connection.query(sql, params).then(resolve, reject);
  }
}

/**
 * Whether a read relied on another of its batch to prepare their statement, which failed. Sent
 * again, it says why. Source: PostgreSQL, appendix A, invalid_sql_statement_name.
 */
function isUnprepared(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '26000';
}
