import { AsyncLocalStorage } from 'node:async_hooks';
import { unavailable } from '../../model/api-error.ts';
import { retryConflicts } from '../conflicts.ts';
import type { DatabaseRequest, Row, Value } from '../database.ts';
import type { Connections } from './connections.ts';
import { isConflict, isLockTimeout, isMissingStatement, RequestTimeout } from './errors.ts';
import type { Connection } from './session.ts';
import type { Turns } from './turns.ts';

// A larger batch would serialize reads on one connection while other connections are idle.
const MAX_BATCH = 32;

// Reads whose deadline is earlier than that of their batch by less than this share it.
const DEADLINE_TOLERANCE_MS = 100;

/** A read, and the limits of its request. */
export type Read = {
  readonly sql: string;
  readonly params: readonly Value[];
  /** See `Use`. */
  readonly deadline: number;
  readonly request: DatabaseRequest | undefined;
};

type PendingRead = Read & {
  /** Calls a function in the async context of the request, by which traces know it. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Returns a query function that pipelines the reads of one event-loop turn over one connection.
 * Without it, event-loop turns, system calls and the checkout of connections take longer than
 * the queries.
 *
 * Each read has its own result: a failed read has no effect on the others. A statement that was blocked by a lock runs on
 * a connection of its own, in turns, until it succeeds.
 */
export function batchedReads(
  { use }: Pick<Connections, 'use'>,
  turns: Pick<Turns, 'block' | 'isBlocked'>,
): (read: Read) => Promise<readonly Row[]> {
  let pending: PendingRead[] = [];

  function readAlone({ sql, params, deadline, request }: Read, turn?: string): Promise<readonly Row[]> {
    // Reads lose conflicts as well, if transactions are serializable.
    return retryConflicts(
      () => use({ turn, deadline, request }, (connection) => connection.query(sql, params)),
      deadline,
    );
  }

  const retry = (read: PendingRead) => void readAlone(read).then(read.resolve, read.reject);

  function send(): void {
    const reads = pending.filter(({ request, reject }) => {
      if (request?.isGone) reject(unavailable());
      return !request?.isGone;
    });
    pending = [];
    for (let start = 0; start < reads.length; start += MAX_BATCH) {
      const batch = reads.slice(start, start + MAX_BATCH);
      const deadline = Math.max(...batch.map((read) => read.deadline));
      const timers = batch
        .filter((read) => read.deadline < deadline - DEADLINE_TOLERANCE_MS)
        .map((read) => setTimeout(fail, Math.max(read.deadline - performance.now(), 0), read));
      use({ deadline }, (connection) => runBatch(batch, connection, retry, turns))
        .catch((error: unknown) => {
          for (const { reject } of batch) reject(error);
        })
        .finally(() => {
          for (const timer of timers) clearTimeout(timer);
        });
    }
  }

  return (read) =>
    turns.isBlocked(read.sql)
      ? readAlone(read, read.sql)
      : new Promise((resolve, reject) => {
          if (pending.length === 0) setImmediate(send);
          pending.push({ ...read, inContext: AsyncLocalStorage.snapshot(), resolve, reject });
        });
}

/** Fails a read at its deadline. */
function fail({ reject }: PendingRead): void {
  reject(unavailable(new RequestTimeout(), 'overload'));
}

async function runBatch(
  batch: readonly PendingRead[],
  connection: Pick<Connection, 'query'>,
  retry: (read: PendingRead) => void,
  turns: Pick<Turns, 'block'>,
): Promise<void> {
  const unprepared: PendingRead[] = [];
  const unfinished = new Set(batch);
  await Promise.all(
    batch.map((read) =>
      read
        .inContext(() => connection.query(read.sql, read.params))
        .finally(() => unfinished.delete(read))
        .then(read.resolve, (error: unknown) => {
          if (isMissingStatement(error)) unprepared.push(read);
          else if (isConflict(error)) retry(read);
          else read.reject(error);
          if (!isLockTimeout(error)) return;
          turns.block(read.sql);
          // The statements behind it on the connection are not to wait for the same lock, so they are sent again.
          for (const other of unfinished) {
            unfinished.delete(other);
            if (other.sql !== read.sql) retry(other);
          }
        }),
    ),
  );
  // Sequentially, so that each read prepares its own statement.
  for (const { sql, params, resolve, reject } of unprepared) {
    await connection.query(sql, params).then(resolve, reject);
  }
}
