import type { Queryable, Statement } from './interface/database.ts';

// Bounds the memory. A row that doesn't fit is written after a later request.
const MAX_WAITING = 1000;

/** The last use of a token, or the last sign-in of an app, is written at most once in this interval. */
export const LAST_USE_INTERVAL_MS = 3_600_000;

/**
 * Writes that no request waits for, such as the last use of a token. They are executed one after the other, so they
 * use one connection at most. A failure is ignored: a later request writes the same.
 */
export class BackgroundWrites {
  readonly #database: Pick<Queryable, 'write'>;
  readonly #onError: (error: unknown) => void;
  /** By the id of their row. */
  readonly #waiting = new Map<string, Statement>();
  #running: Promise<void> | undefined;
  #isClosed = false;

  /** @param onError is called with the error of each write that has failed */
  constructor(database: Pick<Queryable, 'write'>, onError: (error: unknown) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  /** Adds a write of a row, unless one of the same row is waiting. @param id the id of the row, in any table */
  add(id: string, statement: Statement): void {
    if (this.#isClosed || this.#waiting.size >= MAX_WAITING || this.#waiting.has(id)) return;
    this.#waiting.set(id, statement);
    if (this.#waiting.size === 1) this.#running = this.#run();
  }

  /** Drops the writes that wait, and resolves when a running one is done. To be called before the database is closed. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    // The loop includes writes that are added during it.
    for (const [id, { sql, params }] of this.#waiting) {
      await this.#database.write(sql, params).catch(this.#onError);
      this.#waiting.delete(id);
    }
  }
}
