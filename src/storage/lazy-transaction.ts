import { unavailable } from '../model/api-error.ts';
import { type Database, type Queryable, queryThenInsert } from './database.ts';

/** A transaction that operations can use as their database. */
export type LazyTransaction = {
  readonly database: Database;
  /** Returns whether a write has begun the transaction. */
  hasBegun(): boolean;
  /** Runs `work` as the last part of the transaction, and commits it. Rolls it back if `work` rejects. */
  commit(work: (transaction: Queryable) => Promise<void>): Promise<void>;
  /** Rolls everything back that was not committed. */
  rollBack(): Promise<void>;
};

/** Ends a transaction that is rolled back. */
class RolledBack extends Error {}

/**
 * Returns a transaction that begins with its first write, and from then on contains all statements. What comes before,
 * such as the hash of the first password, thus holds neither a lock nor a connection.
 *
 * Other than `Database.transaction`, it is not retried after a conflict.
 */
export function lazyTransaction(database: Database): LazyTransaction {
  const end = Promise.withResolvers<void>();
  // A transaction that never begins has nobody who waits for its end.
  end.promise.catch(() => {});
  let begun: Promise<Queryable> | undefined;
  let committed: Promise<void> = Promise.resolve();
  let isEnded = false;

  async function begin(): Promise<Queryable> {
    // On SQLite, a statement after the end would be a transaction of its own.
    if (isEnded) throw new Error('The transaction has ended.');
    begun ??= new Promise((resolve, reject) => {
      let runs = 0;
      committed = database.transaction(async (transaction) => {
        runs += 1;
        // A retry would commit an empty transaction.
        if (runs > 1) throw unavailable();
        resolve(transaction);
        await end.promise;
      });
      committed.catch(reject);
    });
    return begun;
  }

  async function rollBack(): Promise<void> {
    isEnded = true;
    end.reject(new RolledBack());
    await committed.catch(() => {});
  }

  return {
    hasBegun: () => begun !== undefined,
    database: {
      ...database,
      query: async (sql, params) =>
        begun === undefined && sql.startsWith('SELECT')
          ? database.query(sql, params)
          : (await begin()).query(sql, params),
      transaction: async (work) => work(await begin()),
      queryAndInsert: async (sql, params, insertion) =>
        queryThenInsert(await begin(), sql, params, insertion),
    },
    async commit(work) {
      try {
        await work(await begin());
      } catch (error) {
        await rollBack();
        throw error;
      }
      isEnded = true;
      end.resolve();
      await committed;
    },
    rollBack,
  };
}
