import type { Change, Execute, Queryable, Row, Statement, Value } from '../interface/database.ts';
import { renderStatement } from '../work/change.ts';
import { connectionRequest } from './connections/connection-turns.ts';
import { withoutTransactionTimeout } from './connections/hosts.ts';
import type { ConnectionPool } from './connections/pool.ts';
import type { Session } from './connections/session.ts';

// A worker gets the lock timeout of a session by no other way. It comes with the BEGIN of the coordinator, so it costs
// no round trip, and a node that is added later needs nothing.
const PROPAGATE = "SET LOCAL citus.propagate_set_commands = 'local'";

// A command takes as long as it needs, regardless of the role.
const WITHOUT_TIMEOUTS = [
  'SET LOCAL idle_in_transaction_session_timeout = 0',
  `SELECT ${withoutTransactionTimeout('transaction')}`,
];

/**
 * Runs work in a transaction, and commits it; rolls it back if the work rejects. The transaction takes its connection when
 * its first statement is known, which names the account and the row.
 */
export async function inTransaction<T>(
  pool: ConnectionPool,
  deadline: number | undefined,
  work: (transaction: Queryable) => Promise<T>,
): Promise<T> {
  let opened: Promise<Session> | undefined;
  let begun: Promise<unknown> | undefined;
  const query: Execute = async <R extends Row>(sql: string, params: readonly Value[] = []) => {
    const isFirst = opened === undefined;
    opened ??= pool.acquire({ request: connectionRequest({ sql, params }, true), deadline });
    const session = await opened;
    if (isFirst) {
      const rows = session.begin<R>(sql, params);
      begun = rows;
      return rows;
    }
    // A statement must not be executed if the transaction has not begun.
    await begun;
    return session.query<R>(sql, params);
  };
  try {
    const result = await work({ read: query, write: query });
    await (await opened)?.commitTransaction();
    return result;
  } catch (error) {
    await opened?.then((session) => session.rollBack()).catch(() => {});
    throw error;
  } finally {
    await opened?.then((session) => session.release()).catch(() => {});
  }
}

/**
 * Executes the changes of `Database.writeIfFirst` in two packets, each with statements that Citus sends to one node. Citus
 * would send a statement with a changing WITH to all nodes, and commit it in two phases.
 */
export async function writeInTwoRoundTrips<R extends Row>(
  session: Session,
  first: Statement,
  others: readonly Change[],
): Promise<readonly R[]> {
  try {
    const rows = await session.begin<R>(first.sql, first.params);
    if (rows.length === 0 && others.length > 0) await session.rollBack();
    else await session.commitTransaction(others.map((other) => renderStatement(other, rows[0])));
    return rows;
  } catch (error) {
    await session.rollBack();
    throw error;
  }
}

export function transactionBegin(
  hasPooler: boolean,
  { timeoutMs, lockTimeoutMs }: { readonly timeoutMs: number; readonly lockTimeoutMs?: number | undefined },
): (isCitus: boolean) => readonly Statement[] {
  const begin = (...texts: string[]) => ['BEGIN', ...texts].map((sql) => ({ sql, params: [] }));
  // Behind a pooler, the session has no timeouts, or the role's.
  const command = hasPooler ? begin(...WITHOUT_TIMEOUTS) : begin();
  if (lockTimeoutMs === undefined) return () => command;
  const lock = `SET LOCAL lock_timeout = ${lockTimeoutMs}`;
  const idle = hasPooler ? [`SET LOCAL idle_in_transaction_session_timeout = ${timeoutMs}`] : [];
  const plain = hasPooler ? begin(lock, ...idle) : begin();
  const citus = begin(PROPAGATE, lock, ...idle);
  return (isCitus) => (isCitus ? citus : plain);
}
