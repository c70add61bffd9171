import type { Database, Execute, Queryable, Statement } from '../interface/database.ts';
import { unavailable } from '../interface/database-error.ts';
import { writeEach } from './change.ts';

/**
 * One transaction for all changes of a request. It begins with the first change, and then contains the reads as well.
 * Work before the first change, such as the hash of a password, holds neither a lock nor a connection.
 */
export class LazyTransaction {
  /** The database for the operations of the request. */
  readonly database: Database;
  readonly #outer: Database;
  readonly #account: string | undefined;
  readonly #first: Statement | undefined;
  readonly #end = Promise.withResolvers<void>();
  #transaction: Promise<Queryable> | undefined;
  #committed: Promise<void> | undefined;
  #isEnded = false;

  /**
   * @param account see `Database.transaction`
   * @param first a SELECT at the start of the transaction
   */
  constructor(outer: Database, account?: string, first?: Statement) {
    this.#outer = outer;
    this.#account = account;
    this.#first = first;
    const inside: Queryable = {
      read: async (sql, params) => (await this.#begin()).read(sql, params),
      write: async (sql, params) => (await this.#begin()).write(sql, params),
    };
    const read: Execute = (sql, params) => (this.hasBegun ? inside : outer).read(sql, params);
    this.database = {
      read,
      write: inside.write,
      transaction: (work) => work(inside),
      writeIfFirst: (changes) => writeEach(inside, changes),
      forRequest: () => this.database,
    };
  }

  /** Whether the request has changed something. */
  get hasBegun(): boolean {
    return this.#transaction !== undefined;
  }

  /** Commits the changes. @throws UNAVAILABLE if they lost a conflict: the whole request must be repeated */
  async commit(): Promise<void> {
    this.#isEnded = true;
    this.#end.resolve();
    await this.#committed;
  }

  /** Undoes everything that was not committed. */
  async rollBack(): Promise<void> {
    this.#isEnded = true;
    this.#end.reject(new Error('The request was rolled back.'));
    await Promise.allSettled([this.#end.promise, this.#committed]);
  }

  #begin(): Promise<Queryable> {
    // On SQLite, a statement after the end would be a separate transaction.
    if (this.#isEnded) throw new Error('The transaction has ended.');
    this.#transaction ??= new Promise((resolve, reject) => {
      let hasRun = false;
      this.#committed = this.#outer.transaction(async (transaction) => {
        // The operations have read results of the transaction that has lost a conflict.
        if (hasRun) throw unavailable();
        hasRun = true;
        if (this.#first !== undefined) await transaction.read(this.#first.sql, this.#first.params);
        resolve(transaction);
        await this.#end.promise;
      }, this.#account);
      this.#committed.catch(reject);
    });
    return this.#transaction;
  }
}
