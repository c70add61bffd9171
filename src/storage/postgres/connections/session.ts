import type { PoolClient } from 'pg';
import type { Execute, Row, Statement } from '../../interface/database.ts';
import { resultUnknown } from '../../interface/database-error.ts';
import {
  endsConnection,
  hasCode,
  LOCK_TIMEOUT,
  MISSING_TABLE,
  startTimeout,
  statementError,
} from '../sqlstates.ts';
import { cancelStatement } from './cancel.ts';
import type { UseResult } from './connection-turns.ts';
import { isCitusClient } from './hosts.ts';
import { sendStatements } from './statements.ts';

/** How the statements of a pool are executed. */
export type StatementSettings = {
  readonly timeoutMs: number;
  /** Returns the name under which a statement is prepared; undefined if it is not. */
  readonly statementName: (sql: string) => string | undefined;
  /** Whether a pooler is between, which has its own names for prepared statements. */
  readonly hasPooler: boolean;
  readonly begin: (isCitus: boolean) => readonly Statement[];
  /** Is called if Citus has not found the table of a shard, which may have been moved without the node's knowledge. */
  readonly onMissingShard?: () => void;
};

type Commits = Parameters<typeof statementError>[1];

type SessionSettings = StatementSettings & {
  /** The end of the use, as `performance.now()`; undefined if each statement has its own timeout. */
  readonly deadline: number | undefined;
  readonly onRelease: (result: UseResult) => void;
};

// The server reports a commit that no standby has confirmed as a success after a warning. The warning has no separate
// code, and its text depends on the locale, but not the name of the function that waits.
const STANDBY_WAIT = 'SyncRepWaitForLSN';

const ROLLBACK: Statement = { sql: 'ROLLBACK', params: [] };

const COMMIT: Statement = { sql: 'COMMIT', params: [] };

// A server that does not respond to a cancellation within this time has been lost.
const CANCEL_TIMEOUT_MS = 250;

/** The use of a connection of a pool. */
export class Session {
  readonly #client: PoolClient;
  readonly #settings: SessionSettings;
  #result: UseResult = 'done';
  #runningCount = 0;
  #isBroken = false;
  #lossTimer: NodeJS.Timeout | undefined;

  constructor(client: PoolClient, settings: SessionSettings) {
    this.#client = client;
    this.#settings = settings;
  }

  /** Whether the tables are distributed by Citus. */
  get isCitus(): boolean {
    return isCitusClient(this.#client);
  }

  readonly query: Execute = (sql, params = []) => this.#execute([{ sql, params }], 'nothing');

  /** Begins a transaction with its first statement. */
  readonly begin: Execute = (sql, params = []) =>
    this.#execute([...this.#settings.begin(this.isCitus), { sql, params }], 'nothing');

  /** Executes a statement that is its own transaction. @throws RESULT_UNKNOWN if its change may have been applied */
  readonly commit: Execute = (sql, params = []) => this.#commit([{ sql, params }], 'itself');

  /** Commits a transaction, after its last statements. @throws RESULT_UNKNOWN if it may be committed */
  async commitTransaction(statements: readonly Statement[] = []): Promise<void> {
    await this.#commit([...statements, COMMIT], 'transaction');
  }

  /** Rolls a transaction back, even after the deadline. */
  async rollBack(): Promise<void> {
    // It fails on a broken connection, whose transaction the server rolls back itself.
    await this.#execute([ROLLBACK], 'nothing').catch(() => {});
  }

  /** Ends the running statement, at the deadline. The connection is closed if the server does not respond. */
  expire(): void {
    if (this.#runningCount > 0) {
      // It can arrive after the statement, so the connection is not used again.
      this.#isBroken = true;
      this.#result = 'late';
      cancelStatement(this.#client, CANCEL_TIMEOUT_MS);
    }
    // Only a rollback can follow. The driver's own function would wait for the results of running statements.
    this.#lossTimer = setTimeout(() => this.#client.connection.stream.destroy(), CANCEL_TIMEOUT_MS);
  }

  /** Closes the connection when its use has ended. */
  discard(): void {
    this.#isBroken = true;
  }

  /** Gives the connection back to the pool, which closes it if it may be broken. */
  release(): void {
    clearTimeout(this.#lossTimer);
    this.#client.release(this.#isBroken);
    this.#settings.onRelease(this.#result);
  }

  async #commit<R extends Row>(statements: readonly Statement[], commits: Commits): Promise<readonly R[]> {
    let isConfirmed = true;
    const onNotice = ({ routine }: { readonly routine: string | undefined }) => {
      if (routine === STANDBY_WAIT) isConfirmed = false;
    };
    this.#client.on('notice', onNotice);
    try {
      const rows = await this.#execute<R>(statements, commits);
      if (!isConfirmed)
        throw resultUnknown(new Error('The wait for a standby has been cancelled.'), 'standby');
      return rows;
    } finally {
      this.#client.off('notice', onNotice);
    }
  }

  /** Executes statements in one round trip, and returns the rows of the last one. */
  async #execute<R extends Row>(statements: readonly Statement[], commits: Commits): Promise<readonly R[]> {
    const { statementName, hasPooler, deadline, timeoutMs } = this.#settings;
    const isLate = deadline !== undefined && performance.now() >= deadline;
    if (isLate && statements[0] !== ROLLBACK) throw startTimeout('overload');
    const named = statements.map((statement) => ({ ...statement, name: statementName(statement.sql) }));
    const timer = deadline === undefined ? setTimeout(() => this.expire(), timeoutMs) : undefined;
    this.#runningCount += 1;
    const sent = sendStatements<R>(this.#client, named);
    try {
      return await sent.rows;
    } catch (error) {
      const isLost = endsConnection(error);
      // The driver forgets a name that could not be prepared. A pooler does not, and closes a connection on which it is
      // prepared again.
      this.#isBroken ||= isLost || (hasPooler && named.some(({ name }) => name !== undefined));
      if (hasCode(error, LOCK_TIMEOUT)) this.#result = 'blocked';
      else if (isLost && this.#result === 'done') this.#result = 'lost';
      if (this.isCitus && hasCode(error, MISSING_TABLE)) this.#settings.onMissingShard?.();
      const committed = commits === 'transaction' && !sent.isAtLast() ? 'later' : commits;
      throw statementError(error, committed, statements);
    } finally {
      clearTimeout(timer);
      this.#runningCount -= 1;
    }
  }
}
