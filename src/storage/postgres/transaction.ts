import type { Execute, Queryable, Row, Value } from '../database.ts';
import { commitError } from './errors.ts';
import type { ConnectionPool, Use } from './pool.ts';
import type { Session } from './session.ts';

/** A transaction, which takes its connection when its first statement is known: see `Use.sql`. */
export class Transaction {
  readonly #pool: ConnectionPool;
  readonly #use: Use;
  readonly #begin: string;
  #session: Promise<Session> | undefined;

  /** @param begin the statement that begins it */
  constructor(pool: ConnectionPool, use: Use, begin: string) {
    this.#pool = pool;
    this.#use = use;
    this.#begin = begin;
  }

  /** Runs work in the transaction, and commits it; rolls it back if the work rejects. */
  async run<T>(work: (transaction: Queryable) => Promise<T>): Promise<T> {
    try {
      const result = await work({ read: this.#query, write: this.#query });
      await (await this.#session)?.commit('COMMIT').catch((error: unknown) => {
        throw commitError(error);
      });
      return result;
    } catch (error) {
      await this.#end((session) => session.rollBack());
      throw error;
    } finally {
      await this.#end((session) => session.release());
    }
  }

  readonly #query: Execute = async <R extends Row>(sql: string, params?: readonly Value[]) => {
    this.#session ??= this.#open(sql);
    return (await this.#session).query<R>(sql, params);
  };

  async #open(sql: string): Promise<Session> {
    const session = await this.#pool.acquire({ ...this.#use, sql });
    try {
      await session.query(this.#begin);
      return session;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  /** Ends the session, if one was opened. */
  async #end(end: (session: Session) => void | Promise<void>): Promise<void> {
    await this.#session?.then(end, () => {});
  }
}
