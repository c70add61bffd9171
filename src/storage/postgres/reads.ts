import { AsyncLocalStorage } from 'node:async_hooks';
import type { DatabaseRequest, Row, Value } from '../database.ts';
import { unavailable } from '../errors.ts';
import { retryConflicts } from './conflicts.ts';
import { CONFLICT, hasCode, LOCK_TIMEOUT, MISSING_STATEMENT, requestTimeout } from './errors.ts';
import type { ConnectionPool } from './pool.ts';
import type { Session } from './session.ts';

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
    if (this.#pool.limits.blocked.has(read.sql)) return this.#readAlone(read, read.sql);
    return new Promise((resolve, reject) => {
      if (this.#pending.length === 0) setImmediate(() => this.#send());
      this.#pending.push({ ...read, inContext: AsyncLocalStorage.snapshot(), resolve, reject });
    });
  }

  /** @param limited the statement, if it is blocked */
  #readAlone({ sql, params, deadline, request }: Read, limited?: string): Promise<readonly Row[]> {
    // Reads lose conflicts as well, if transactions are serializable.
    return retryConflicts(
      () => this.#pool.use({ sql: limited, deadline, request }, (session) => session.query(sql, params)),
      deadline,
    );
  }

  #send(): void {
    const reads = this.#pending;
    this.#pending = [];
    const live = reads.filter(({ request }) => !request?.isGone);
    for (const { request, reject } of reads) if (request?.isGone) reject(unavailable());
    for (let start = 0; start < live.length; start += MAX_BATCH) {
      void this.#sendBatch(live.slice(start, start + MAX_BATCH));
    }
  }

  async #sendBatch(batch: readonly PendingRead[]): Promise<void> {
    const deadline = Math.max(...batch.map((read) => read.deadline));
    const timers = batch
      .filter((read) => read.deadline < deadline - DEADLINE_TOLERANCE_MS)
      .map((read) =>
        setTimeout(() => read.reject(requestTimeout()), Math.max(read.deadline - performance.now(), 0)),
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
    const unprepared: PendingRead[] = [];
    const unfinished = new Set(batch);
    const run = async (read: PendingRead) => {
      try {
        read.resolve(await read.inContext(() => session.query(read.sql, read.params)));
      } catch (error) {
        if (hasCode(error, MISSING_STATEMENT)) unprepared.push(read);
        else if (hasCode(error, CONFLICT)) this.#retry(read);
        else read.reject(error);
        if (hasCode(error, LOCK_TIMEOUT)) this.#retryBehind(read, unfinished);
      } finally {
        unfinished.delete(read);
      }
    };
    await Promise.all(batch.map(run));
    // Sequentially, so that each read prepares its own statement.
    for (const { sql, params, resolve, reject } of unprepared) {
      await session.query(sql, params).then(resolve, reject);
    }
  }

  /** Sends the reads behind a blocked one on its connection again, which are not to wait for the same lock. */
  #retryBehind({ sql }: PendingRead, unfinished: Set<PendingRead>): void {
    this.#pool.limits.blocked.add(sql);
    for (const other of unfinished) {
      unfinished.delete(other);
      if (other.sql !== sql) this.#retry(other);
    }
  }

  #retry(read: PendingRead): void {
    this.#readAlone(read).then(read.resolve, read.reject);
  }
}
