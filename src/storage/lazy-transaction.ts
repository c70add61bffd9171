import { isDeepStrictEqual } from 'node:util';
import { unavailable } from '../model/api-error.ts';
import { type Database, type Queryable, RolledBack, type Row, type Value, writeEach } from './database.ts';
import { isConflict } from './postgres/errors.ts';

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

/** A statement of the transaction, and its result. */
type Statement = {
  readonly kind: keyof Queryable;
  readonly sql: string;
  readonly params: readonly Value[];
  readonly rows: readonly Row[];
};

/** An attempt at the transaction. */
type Run = { readonly transaction: Queryable; readonly fail: (error: unknown) => void };

/**
 * Returns a transaction that begins with its first write, and from then on contains all statements. What comes before,
 * such as the hash of the first password, thus holds neither a lock nor a connection.
 *
 * After a lost conflict, its statements are executed again. If one of them then has another result, the operations
 * have continued with a wrong one, and the transaction fails with UNAVAILABLE.
 */
export function lazyTransaction(database: Database): LazyTransaction {
  const end = Promise.withResolvers<void>();
  // A transaction that never begins has nobody who waits for its end.
  end.promise.catch(() => {});
  const statements: Statement[] = [];
  let run: PromiseWithResolvers<Run> | undefined;
  let committed: Promise<void> = Promise.resolve();
  let isEnded = false;

  function begin(): PromiseWithResolvers<Run> {
    // On SQLite, a statement after the end would be a transaction of its own.
    if (isEnded) throw new Error('The transaction has ended.');
    if (run !== undefined) return run;
    const firstRun = newRun();
    run = firstRun;
    committed = database.transaction(async (transaction) => {
      const failure = Promise.withResolvers<never>();
      await repeat(statements, transaction);
      run?.resolve({ transaction, fail: failure.reject });
      await Promise.race([end.promise, failure.promise]);
    });
    committed.catch((error: unknown) => run?.reject(error));
    return firstRun;
  }

  async function execute<R extends Row>(
    kind: keyof Queryable,
    sql: string,
    params: readonly Value[] = [],
  ): Promise<readonly R[]> {
    for (;;) {
      const current = begin();
      const { transaction, fail } = await current.promise;
      try {
        const rows = await transaction[kind]<R>(sql, params);
        statements.push({ kind, sql, params, rows });
        return rows;
      } catch (error) {
        // The conflict of another statement ends the attempt for this one, too.
        if (run === current && !isConflict(error)) throw error;
        if (run === current) {
          run = newRun();
          fail(error);
        }
      }
    }
  }

  const inTransaction: Queryable = {
    read: (sql, params) => execute('read', sql, params),
    write: (sql, params) => execute('write', sql, params),
  };

  async function rollBack(): Promise<void> {
    isEnded = true;
    end.reject(new RolledBack());
    await committed.catch(() => {});
  }

  const own: Database = {
    ...database,
    read: (sql, params) => (run === undefined ? database : inTransaction).read(sql, params),
    write: inTransaction.write,
    transaction: (work) => work(inTransaction),
    writeAll: (statements) => writeEach(inTransaction, statements),
    // An attempt is a part of one request.
    during: () => own,
  };

  return {
    hasBegun: () => run !== undefined,
    database: own,
    async commit(work) {
      try {
        await begin().promise;
        await work(inTransaction);
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

function newRun(): PromiseWithResolvers<Run> {
  const run = Promise.withResolvers<Run>();
  // No statement may be waiting for it.
  run.promise.catch(() => {});
  return run;
}

/** Executes statements again. @throws UNAVAILABLE if one of them has another result than before */
async function repeat(statements: readonly Statement[], transaction: Queryable): Promise<void> {
  for (const { kind, sql, params, rows } of statements) {
    if (!isDeepStrictEqual(await transaction[kind](sql, params), rows)) throw unavailable();
  }
}
