import type { PoolClient } from 'pg';
import { resultUnknown, unavailable } from '../../model/api-error.ts';
import type { Execute, Row, Value } from '../database.ts';
import { cancelStatement } from './cancel.ts';
import {
  endsConnection,
  isLockTimeout,
  isMissingStatement,
  isReadOnly,
  RequestTimeout,
  statementError,
} from './errors.ts';
import { isPrepared, sendStatement } from './statements.ts';
import type { UseResult } from './turns.ts';

/** A connection outside of a transaction, or in one. */
export type Connection = {
  readonly query: Execute;
  /** Executes a statement that commits a change. @throws RESULT_UNKNOWN if the change may have been made */
  readonly commit: Execute;
  /** Rolls a transaction back, also after the deadline. */
  rollBack(): Promise<void>;
  /** @throws UNAVAILABLE after the deadline */
  assertInTime(): void;
};

/** The use of a connection of a pool. */
export type Session = {
  readonly connection: Connection;
  /** Ends the running statement, at the deadline. The connection is closed if the server does not respond. */
  expire(): void;
  /** Gives the connection back to the pool, which closes it if it may be broken. Returns how its use has ended. */
  release(): UseResult;
};

type SessionSettings = {
  /** The end of the use, as `performance.now()`; undefined if each statement has a timeout of its own. */
  readonly deadline: number | undefined;
  /** Returns the name under which a statement is prepared; undefined if it is not. */
  readonly statementName: (sql: string) => string | undefined;
  /** Whether a pooler is between, which has names of its own for prepared statements. */
  readonly hasPooler: boolean;
  /** Is called before each statement. */
  readonly onStatement: () => void;
  /** Is called when the session turns out to be read-only. */
  readonly onReadOnly: () => void;
};

// The server reports a commit that no standby has confirmed as a success after a warning. The warning has no code of its
// own, and its text depends on the locale, but not the name of the function that waits.
const STANDBY_WAIT = 'SyncRepWaitForLSN';

// A server that does not respond to a cancellation within this time has been lost.
const CANCEL_TIMEOUT_MS = 250;

/** Begins the use of a connection. */
export function openSession(
  client: PoolClient,
  { deadline, statementName, hasPooler, onStatement, onReadOnly }: SessionSettings,
): Session {
  let result: UseResult = 'done';
  let runningCount = 0;
  let isBroken = false;
  let isCancelled = false;
  let lossTimer: NodeJS.Timeout | undefined;
  // An error between two statements, which thus were not sent.
  let loss: Error | undefined;
  const onError = (error: Error) => {
    loss = error;
  };
  client.on('error', onError);

  function assertInTime(): void {
    if (deadline !== undefined && performance.now() >= deadline)
      throw unavailable(new RequestTimeout(), 'overload');
  }

  async function execute<R extends Row>(
    sql: string,
    params: readonly Value[],
    commits: boolean,
  ): Promise<readonly R[]> {
    if (loss !== undefined) throw unavailable(loss);
    onStatement();
    const name = statementName(sql);
    runningCount += 1;
    try {
      const { rows } = await sendStatement<R>(client, name, sql, params);
      return rows;
    } catch (error) {
      noteError(error, name);
      throw statementError(error, commits);
    } finally {
      runningCount -= 1;
    }
  }

  function noteError(error: unknown, name: string | undefined): void {
    const isLost = endsConnection(error);
    isBroken ||= isLost || (hasPooler && name !== undefined && isNameLost(error, client, name));
    if (isLockTimeout(error)) result = 'blocked';
    if (isLost) result = 'lost';
    if (isReadOnly(error)) onReadOnly();
  }

  async function commit<R extends Row>(sql: string, params: readonly Value[] = []): Promise<readonly R[]> {
    let isConfirmed = true;
    const onNotice = ({ routine }: { readonly routine: string | undefined }) => {
      if (routine === STANDBY_WAIT) isConfirmed = false;
    };
    client.on('notice', onNotice);
    try {
      const rows = await execute<R>(sql, params, true);
      if (!isConfirmed) throw resultUnknown(new Error('The wait for a standby has been cancelled.'));
      return rows;
    } finally {
      client.off('notice', onNotice);
    }
  }

  return {
    connection: {
      async query(sql, params = []) {
        assertInTime();
        return execute(sql, params, false);
      },
      commit,
      // It fails on a broken connection, whose transaction the server rolls back itself.
      rollBack: () =>
        execute('ROLLBACK', [], false).then(
          () => {},
          () => {},
        ),
      assertInTime,
    },

    expire() {
      if (runningCount > 0) {
        // It can arrive after the statement, so the connection is not used again.
        isCancelled = true;
        cancelStatement(client, CANCEL_TIMEOUT_MS);
      } else if (deadline === undefined) {
        return;
      }
      // After a deadline, only a rollback can follow.
      lossTimer = setTimeout(disconnect, CANCEL_TIMEOUT_MS, client);
    },

    release() {
      clearTimeout(lossTimer);
      client.off('error', onError);
      client.release(isBroken || isCancelled || loss !== undefined);
      return isCancelled ? 'blocked' : result;
    },
  };
}

/**
 * Returns whether the driver and the pooler disagree about a prepared statement after an error. The driver forgets a name
 * that could not be prepared. A pooler does not, and closes a connection on which it is prepared again.
 */
function isNameLost(error: unknown, client: PoolClient, name: string): boolean {
  return isMissingStatement(error) || !isPrepared(client, name);
}

/**
 * Closes a connection at once. Its running statements fail. The driver's own function waits for their results, which a
 * server that does not respond never sends.
 */
function disconnect(client: PoolClient): void {
  client.connection.stream.destroy();
}
