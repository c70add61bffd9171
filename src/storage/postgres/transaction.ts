import type { Execute, Queryable, Row, Value } from '../database.ts';
import { commitError } from './errors.ts';
import type { ConnectionPool, Use } from './pool.ts';
import type { Session } from './session.ts';

/**
 * Runs work in a transaction, and commits it; rolls it back if the work rejects. The transaction takes its connection when
 * its first statement is known: see `Use.sql`.
 *
 * @param begin the statement that begins it
 */
export async function inTransaction<T>(
  pool: ConnectionPool,
  use: Use,
  begin: string,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  let opened: Promise<Session> | undefined;
  const query: Execute = async <R extends Row>(sql: string, params?: readonly Value[]) => {
    opened ??= open(pool, { ...use, sql }, begin);
    return (await opened).query<R>(sql, params);
  };
  try {
    const result = await work({ read: query, write: query });
    await (await opened)?.commit('COMMIT').catch((error: unknown) => {
      throw commitError(error);
    });
    return result;
  } catch (error) {
    await opened?.then((session) => session.rollBack()).catch(() => {});
    throw error;
  } finally {
    await opened?.then((session) => session.release()).catch(() => {});
  }
}

async function open(pool: ConnectionPool, use: Use, begin: string): Promise<Session> {
  const session = await pool.acquire(use);
  try {
    await session.query(begin);
    return session;
  } catch (error) {
    session.release();
    throw error;
  }
}
