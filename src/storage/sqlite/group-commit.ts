import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { AccountTurns, type OfAccount } from '../../model/account-turns.ts';
import { DatabaseError, unavailable } from '../interface/database-error.ts';
import { PendingCount } from '../work/pending-count.ts';
import type { Checkpoints } from './checkpoints.ts';
import type { LogSync } from './log-sync.ts';
import { isDiskError, type RunStatement } from './statements.ts';

/** How long a write waits for other processes' locks. */
export const BUSY_TIMEOUT_MS = 2000;

// A process that tried the lock less often than others would get it less often.
const BUSY_INTERVAL_MS = 1;

// The number of batches after a wait for the lock that are gathered.
const GATHERED_BATCHES = 16;

// In this time, clients that have got their responses send the next requests.
const GATHER_MS = 1;

// The time of the writes of a slice before the last one.
const MAX_SLICE_MS = 3;

/**
 * A statement, which SQLite undoes by itself if it fails; statements, which are undone with their batch if one fails, and then
 * repeated with it as transactions; or a transaction, which is undone alone. Statements take four fifths of the time, because
 * SQLite copies each page that is changed after a savepoint.
 */
type WriteKind = 'statement' | 'statements' | 'transaction';

/** A write that waits for its turn. */
type PendingWrite = OfAccount & {
  readonly work: () => unknown;
  kind: WriteKind;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** When the wait for other processes ends, as `performance.now()`. */
  readonly deadline: number;
};

/** Thrown if one of the statements of a batch has failed, which are then repeated. */
const REPEATED = new Error('The batch is repeated.');

/** Settles a write after its batch was committed. @param failure the error of the sync, if it has failed */
type Settle = (failure?: unknown) => void;

/**
 * Runs writes, and commits the writes of one iteration of the event loop together. The rest waits for the next turns of
 * the accounts. A write that fails is undone alone. A write resolves when a sync that began after its commit has ended;
 * the next writes are committed meanwhile.
 */
export class GroupCommit {
  readonly #writer: DatabaseSync;
  readonly #log: Pick<LogSync, 'assertUsable' | 'sync'>;
  readonly #checkpoints: Pick<Checkpoints, 'isRunning'>;
  readonly #turns = new AccountTurns<PendingWrite>(MAX_SLICE_MS);
  readonly #unfinished = new PendingCount();
  readonly #execute: RunStatement;
  #isScheduled = false;
  #needsSpace = false;
  /** The number of the next batches that are gathered. */
  #toGather = 0;
  #lastSync: Promise<void> = Promise.resolve();

  /**
   * @param execute executes statements on `writer`
   * @param log puts commits on disk
   * @param checkpoints the checkpoints of this process
   */
  constructor(
    writer: DatabaseSync,
    execute: RunStatement,
    log: Pick<LogSync, 'assertUsable' | 'sync'>,
    checkpoints: Pick<Checkpoints, 'isRunning'>,
  ) {
    this.#writer = writer;
    this.#execute = execute;
    this.#log = log;
    this.#checkpoints = checkpoints;
  }

  /** Runs a write. @throws RESULT_UNKNOWN if it was committed, and could not be put on disk */
  run<T>(kind: WriteKind, account: unknown, work: () => T | Promise<T>): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const deadline = performance.now() + BUSY_TIMEOUT_MS;
    this.#turns.add({ account, kind, work, resolve, reject, deadline });
    this.#schedule();
    return this.#unfinished.track(promise as Promise<T>);
  }

  /** Whether the disk has refused the last commit. */
  get needsSpace(): boolean {
    return this.#needsSpace;
  }

  /** Resolves when no write is waiting or running. */
  drain(): Promise<void> {
    return this.#unfinished.end();
  }

  #schedule(): void {
    if (this.#isScheduled || this.#turns.size === 0) return;
    this.#isScheduled = true;
    // After all requests of the iteration have been read.
    setImmediate(async () => {
      if (this.#toGather > 0) await this.#gather();
      if (await this.#begin()) await this.#commitBatch();
      this.#isScheduled = false;
      this.#schedule();
    });
  }

  async #commitBatch(): Promise<void> {
    const writes: PendingWrite[] = [];
    const settlements: Settle[] = [];
    let hasTransaction = false;
    try {
      for (const write of this.#turns.take()) {
        // The work of a keyed request can't be repeated.
        if (write.kind === 'statements' && hasTransaction) write.kind = 'transaction';
        hasTransaction ||= write.kind === 'transaction';
        writes.push(write);
        settlements.push(await this.#runWrite(write, writes.length > 1 || this.#turns.size > 0));
      }
      // A sync can have failed during a transaction.
      this.#log.assertUsable();
      this.#execute('COMMIT');
    } catch (error) {
      this.#needsSpace ||= isDiskError(error);
      this.#rollBack();
      for (const write of writes) {
        if (error !== REPEATED) write.reject(error);
        else this.#turns.add({ ...write, kind: write.kind === 'statement' ? 'statement' : 'transaction' });
      }
      return;
    }
    this.#needsSpace = false;
    const settle: Settle = (failure) => {
      for (const each of settlements) each(failure);
    };
    this.#lastSync = this.#log.sync().then(() => settle(), settle);
  }

  /**
   * Waits for writes that can share the next batch, because another process has had the lock. Each batch reads the pages
   * again that others have changed, so fewer and larger batches take less time, and leave the lock to the others.
   */
  async #gather(): Promise<void> {
    this.#toGather -= 1;
    await this.#lastSync;
    await delay(GATHER_MS);
  }

  /** Begins a transaction when no other process holds the lock. Returns false if no write waits so long. */
  async #begin(): Promise<boolean> {
    for (;;) {
      try {
        this.#log.assertUsable();
        this.#execute('BEGIN IMMEDIATE');
        return true;
      } catch (error) {
        const isBusy = error instanceof DatabaseError && error.outage === 'lock';
        const now = performance.now();
        for (const { reject } of this.#turns.remove(({ deadline }) => !isBusy || now > deadline))
          reject(error);
        if (this.#turns.size === 0) return false;
        // The lock of a checkpoint of this process says nothing about others.
        if (!this.#checkpoints.isRunning) this.#toGather = GATHERED_BATCHES;
        await delay(BUSY_INTERVAL_MS);
      }
    }
  }

  /**
   * Runs one write of a batch.
   *
   * @param isShared whether the batch can have other writes
   * @throws UNAVAILABLE if the whole batch was undone, or `REPEATED` if it must be
   */
  async #runWrite({ kind, work, resolve, reject }: PendingWrite, isShared: boolean): Promise<Settle> {
    const needsSavepoint = isShared && kind === 'transaction';
    if (needsSavepoint) this.#execute('SAVEPOINT write');
    try {
      const result = kind === 'statement' ? work() : await work();
      if (needsSavepoint) this.#execute('RELEASE write');
      return (failure) => (failure === undefined ? resolve(result) : reject(failure));
    } catch (error) {
      if (!isShared) throw error;
      if (!this.#writer.isTransaction) {
        // Some errors, such as a full disk, undo the whole transaction. The other writes did not cause it.
        reject(error);
        throw unavailable(error instanceof DatabaseError ? error.cause : error);
      }
      if (needsSavepoint) {
        this.#execute('ROLLBACK TO write');
        this.#execute('RELEASE write');
      } else if (kind === 'statements') throw REPEATED;
      return () => reject(error);
    }
  }

  #rollBack(): void {
    try {
      if (this.#writer.isTransaction) this.#writer.exec('ROLLBACK');
    } catch {
      // The next BEGIN fails and names the cause.
    }
  }
}
