import { retryConflicts } from './conflicts.ts';
import type { Queryable, Row, Value } from './database.ts';
import { isConflict, isMissingStatement } from './postgres-errors.ts';

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
 * @param timeoutMs see `retryConflicts`
 */
export function batchedReads(
  withConnection: <T>(work: (connection: Queryable) => Promise<T>) => Promise<T>,
  timeoutMs: number,
): Queryable['query'] {
  let pending: PendingRead[] = [];

  // Reads lose conflicts as well, if transactions are serializable.
  function retry({ sql, params, resolve, reject }: PendingRead): void {
    retryConflicts(() => withConnection((connection) => connection.query(sql, params)), timeoutMs).then(
      resolve,
      reject,
    );
  }

  function send(): void {
    const reads = pending;
    pending = [];
    for (let start = 0; start < reads.length; start += MAX_BATCH) {
      const batch = reads.slice(start, start + MAX_BATCH);
      withConnection((connection) => runBatch(batch, connection, retry)).catch((error: unknown) => {
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

async function runBatch(
  batch: readonly PendingRead[],
  connection: Queryable,
  retry: (read: PendingRead) => void,
): Promise<void> {
  const unprepared: PendingRead[] = [];
  await Promise.all(
    batch.map((read) =>
      connection.query(read.sql, read.params).then(read.resolve, (error: unknown) => {
        if (isMissingStatement(error)) unprepared.push(read);
        else if (isConflict(error)) retry(read);
        else read.reject(error);
      }),
    ),
  );
  // Sequentially, so that each read prepares its own statement.
  for (const { sql, params, resolve, reject } of unprepared) {
    await connection.query(sql, params).then(resolve, reject);
  }
}
