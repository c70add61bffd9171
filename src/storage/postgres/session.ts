import type { PoolClient } from 'pg';
import type { Execute, Row, Value } from '../database.ts';
import { resultUnknown, unavailable } from '../errors.ts';
import { cancelStatement } from './cancel.ts';
import {
  endsConnection,
  hasCode,
  LOCK_TIMEOUT,
  MISSING_STATEMENT,
  READ_ONLY,
  requestTimeout,
  statementError,
} from './errors.ts';
import type { UseResult } from './lock-limits.ts';
import { isPrepared, sendStatement } from './statements.ts';

/** How the statements of a pool are executed. */
export type StatementSettings = {
  readonly timeoutMs: number;
  /** Returns the name under which a statement is prepared; undefined if it is not. */
  readonly statementName: (sql: string) => string | undefined;
  /** Whether a pooler is between, which has names of its own for prepared statements. */
  readonly hasPooler: boolean;
};

type SessionSettings = StatementSettings & {
  /** The end of the use, as `performance.now()`; undefined if each statement has a timeout of its own. */
  readonly deadline: number | undefined;
  /** Is called when the session turns out to be read-only. */
  readonly onReadOnly: () => void;
  readonly onRelease: (result: UseResult) => void;
};

// The server reports a commit that no standby has confirmed as a success after a warning. The warning has no code of its
// own, and its text depends on the locale, but not the name of the function that waits.
const STANDBY_WAIT = 'SyncRepWaitForLSN';

// A server that does not respond to a cancellation within this time has been lost.
const CANCEL_TIMEOUT_MS = 250;

// The timeout of a single statement is longer than the server's. It applies if the server no longer responds.
const TIMEOUT_MARGIN_MS = 1000;

/** The use of a connection of a pool. */
export class Session {
  readonly #client: PoolClient;
  readonly #settings: SessionSettings;
  #result: UseResult = 'done';
  #runningCount = 0;
  #isBroken = false;
  #lossTimer: NodeJS.Timeout | undefined;
  /** An error between two statements, which thus were not sent. */
  #loss: Error | undefined;

  constructor(client: PoolClient, settings: SessionSettings) {
    this.#client = client;
    this.#settings = settings;
    client.on('error', this.#onError);
  }

  readonly query: Execute = async (sql, params = []) => {
    this.#assertInTime();
    return this.#execute(sql, params, false);
  };

  /** Executes a statement that commits a change. @throws RESULT_UNKNOWN if the change may have been made */
  readonly commit: Execute = async <R extends Row>(sql: string, params: readonly Value[] = []) => {
    this.#assertInTime();
    let isConfirmed = true;
    const onNotice = ({ routine }: { readonly routine: string | undefined }) => {
      if (routine === STANDBY_WAIT) isConfirmed = false;
    };
    this.#client.on('notice', onNotice);
    try {
      const rows = await this.#execute<R>(sql, params, true);
      if (!isConfirmed) throw resultUnknown(new Error('The wait for a standby has been cancelled.'));
      return rows;
    } finally {
      this.#client.off('notice', onNotice);
    }
  };

  /** Rolls a transaction back, also after the deadline. */
  async rollBack(): Promise<void> {
    // It fails on a broken connection, whose transaction the server rolls back itself.
    await this.#execute('ROLLBACK', [], false).catch(() => {});
  }

  /** Ends the running statement, at the deadline. The connection is closed if the server does not respond. */
  expire(): void {
    if (this.#runningCount > 0) {
      // It can arrive after the statement, so the connection is not used again.
      this.#isBroken = true;
      this.#result = 'blocked';
      cancelStatement(this.#client, CANCEL_TIMEOUT_MS);
    }
    // Only a rollback can follow. The driver's own function would wait for the results of running statements.
    this.#lossTimer = setTimeout(() => this.#client.connection.stream.destroy(), CANCEL_TIMEOUT_MS);
  }

  /** Gives the connection back to the pool, which closes it if it may be broken. */
  release(): void {
    clearTimeout(this.#lossTimer);
    this.#client.off('error', this.#onError);
    this.#client.release(this.#isBroken || this.#loss !== undefined);
    this.#settings.onRelease(this.#result);
  }

  readonly #onError = (error: Error): void => {
    this.#loss = error;
  };

  #assertInTime(): void {
    const { deadline } = this.#settings;
    if (deadline !== undefined && performance.now() >= deadline) throw requestTimeout();
  }

  async #execute<R extends Row>(
    sql: string,
    params: readonly Value[],
    commits: boolean,
  ): Promise<readonly R[]> {
    if (this.#loss !== undefined) throw unavailable(this.#loss);
    const { statementName, deadline, timeoutMs } = this.#settings;
    const name = statementName(sql);
    const ownTimeoutMs = deadline === undefined ? timeoutMs + TIMEOUT_MARGIN_MS : undefined;
    const statement = { name, sql, params, timeoutMs: ownTimeoutMs };
    this.#runningCount += 1;
    try {
      const { rows } = await sendStatement<R>(this.#client, statement);
      return rows;
    } catch (error) {
      this.#noteError(error, name);
      throw statementError(error, commits);
    } finally {
      this.#runningCount -= 1;
    }
  }

  #noteError(error: unknown, name: string | undefined): void {
    const isLost = endsConnection(error);
    // The driver forgets a name that could not be prepared. A pooler does not, and closes a connection on which it is
    // prepared again.
    const isNameLost =
      this.#settings.hasPooler &&
      name !== undefined &&
      (hasCode(error, MISSING_STATEMENT) || !isPrepared(this.#client, name));
    this.#isBroken ||= isLost || isNameLost;
    if (hasCode(error, LOCK_TIMEOUT)) this.#result = 'blocked';
    else if (isLost && this.#result === 'done') this.#result = 'lost';
    if (hasCode(error, READ_ONLY)) this.#settings.onReadOnly();
  }
}
