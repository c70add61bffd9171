import type { Execute, Queryable, Row, Value } from '../database.ts';
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
  let begun: Promise<unknown> | undefined;
  const query: Execute = async <R extends Row>(sql: string, params?: readonly Value[]) => {
    opened ??= pool.acquire({ ...use, sql });
    const session = await opened;
    begun ??= session.query(begin);
    await begun;
    return session.query<R>(sql, params);
  };
  try {
    const result = await work({ read: query, write: query });
    await (await opened)?.commit('COMMIT');
    return result;
  } catch (error) {
    await opened?.then((session) => session.rollBack()).catch(() => {});
    throw error;
  } finally {
    await opened?.then((session) => session.release()).catch(() => {});
  }
}
