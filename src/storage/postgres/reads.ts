import { AsyncLocalStorage } from 'node:async_hooks';
import type { Row, Statement } from '../port/database.ts';
import { retryConflicts } from './conflicts.ts';
import type { ConnectionPool } from './connections/pool.ts';
import type { Session } from './connections/session.ts';
import { CONFLICT, hasCode, LOCK_TIMEOUT, MISSING_STATEMENT, startTimeout } from './errors.ts';

// A larger batch would serialize reads on one connection while other connections are idle.
const MAX_BATCH = 32;

// Reads whose deadline is earlier than that of their batch by less than this share it.
const DEADLINE_TOLERANCE_MS = 100;

/** A read, and the deadline of its request. */
type Read = Statement & {
  /** See `Use`. */
  readonly deadline: number;
};

type PendingRead = Read & {
  /** Calls a function in the async context of the request, which traces need. */
  readonly inContext: ReturnType<typeof AsyncLocalStorage.snapshot>;
  readonly resolve: (rows: readonly Row[]) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Pipelines the reads of one event-loop turn over one connection. Without it, event-loop turns, system calls and the
 * checkout of connections take longer than the queries.
 *
 * Each read has its own result: a failed read has no effect on the others. A statement that was blocked by a lock runs on
 * a connection of its own until it succeeds.
 */
export class ReadBatches {
  readonly #pool: ConnectionPool;
  #pending: PendingRead[] = [];

  constructor(pool: ConnectionPool) {
    this.#pool = pool;
  }

  read(read: Read): Promise<readonly Row[]> {
    if (this.#pool.limits.isBlocked(read.sql)) return this.#readAlone(read, read);
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#send());
      this.#pending.push({ ...read, inContext: AsyncLocalStorage.snapshot(), resolve, reject });
    });
  }

  /** @param statement the statement, if it is blocked */
  #readAlone({ sql, params, deadline }: Read, statement?: Statement): Promise<readonly Row[]> {
    // Reads lose conflicts as well, if transactions are serializable.
    return retryConflicts(
      () => this.#pool.use({ statement, deadline }, (session) => session.query(sql, params)),
      deadline,
    );
  }

  #send(): void {
    const reads = this.#pending;
    this.#pending = [];
    for (let start = 0; start < reads.length; start += MAX_BATCH) {
      void this.#sendBatch(reads.slice(start, start + MAX_BATCH));
    }
  }

  async #sendBatch(batch: readonly PendingRead[]): Promise<void> {
    const deadline = Math.max(...batch.map((read) => read.deadline));
    const timers = batch
      .filter((read) => read.deadline < deadline - DEADLINE_TOLERANCE_MS)
      .map((read) =>
        setTimeout(
          () => read.reject(startTimeout('overload')),
          Math.max(read.deadline - performance.now(), 0),
        ),
      );
    try {
      await this.#pool.use({ deadline }, (session) => this.#runBatch(batch, session));
    } catch (error) {
      for (const { reject } of batch) reject(error);
    } finally {
      for (const timer of timers) clearTimeout(timer);
    }
  }

  async #runBatch(batch: readonly PendingRead[], session: Session): Promise<void> {
    const unfinished = new Set(batch);
    const run = async (read: PendingRead) => {
      try {
        read.resolve(await read.inContext(() => session.query(read.sql, read.params)));
      } catch (error) {
        // A read that was to prepare the statement may have failed.
        if (hasCode(error, MISSING_STATEMENT) || hasCode(error, CONFLICT)) this.#retry(read);
        else read.reject(error);
        if (!hasCode(error, LOCK_TIMEOUT)) return;
        this.#pool.limits.block(read.sql);
        // The reads behind it are not to wait for the same lock.
        for (const other of unfinished) if (other.sql !== read.sql) this.#retry(other);
        unfinished.clear();
      } finally {
        unfinished.delete(read);
      }
    };
    await Promise.all(batch.map(run));
  }

  /** Sends a read again, on another connection. */
  #retry(read: PendingRead): void {
    this.#readAlone(read).then(read.resolve, read.reject);
  }
}
