import { type Connection, Query, type QueryResult } from 'pg';
import type { Row, Statement } from '../../port/database.ts';

/** A statement, and the name under which it is prepared, if it is. */
export type NamedStatement = Statement & { readonly name: string | undefined };

// The types of the driver leave these parts out.
type GroupConnection = Connection & {
  parse(statement: { text: string; name: string | undefined }): void;
  bind(portal: { statement: string | undefined; values: readonly (string | null)[] }): void;
  describe(portal: { type: 'P' }): void;
  execute(portal: object): void;
  /** The texts of the prepared statements, and of those whose preparation the server has not confirmed, by name. */
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
};
type DriverQuery = {
  /** Of the statement whose messages come next; the driver notes that it is prepared. */
  text: string;
  name: string | undefined;
  handleCommandComplete(message: unknown, connection: Connection): void;
  handleError(error: Error, connection: GroupConnection): void;
};
const DriverQuery = Query as unknown as new (text: string, callback: DriverCallback) => DriverQuery;
type DriverCallback = (error: Error | null, results: QueryResult | readonly QueryResult[]) => void;

/**
 * Statements that are sent in one packet with one Sync message at the end. After a statement that fails, the server skips
 * the others: a statement after BEGIN can't be committed if BEGIN has failed, for example because it was cancelled.
 * Statements with a Sync message each would go on without the transaction.
 *
 * A pooler between has to keep the connection to the server up to the answer to a Sync message, so that it can't separate
 * them either. PgBouncer does so in its mode `transaction`. It refuses BEGIN in its mode `statement`, and loses nothing
 * but the connection.
 *
 * Source: PostgreSQL, section 54.2.3, extended query.
 */
export class StatementGroup<R extends Row> extends DriverQuery {
  readonly statements: readonly NamedStatement[];
  #doneCount = 0;

  /** @param callback is called with the rows of the last statement, or with the error of one */
  constructor(
    statements: readonly NamedStatement[],
    callback: (error: Error | null, rows: readonly R[]) => void,
  ) {
    const text = statements.map(({ sql }) => sql).join('; ');
    super(text, (error, results) => callback(error, [results].flat().at(-1)?.rows ?? []));
    this.statements = statements;
  }

  /** Whether all statements but the last one have succeeded. */
  get isAtLast(): boolean {
    return this.#doneCount >= this.statements.length - 1;
  }

  /** Is called by the driver. */
  submit(connection: GroupConnection): void {
    const { parsedStatements, submittedNamedStatements } = connection;
    for (const { name, sql, params } of this.statements) {
      const isKnown = name !== undefined && (name in parsedStatements || name in submittedNamedStatements);
      if (!isKnown) connection.parse({ text: sql, name });
      if (!isKnown && name !== undefined) submittedNamedStatements[name] = sql;
      const values = params.map((value) => (value === null ? null : String(value)));
      connection.bind({ statement: name, values });
      connection.describe({ type: 'P' });
      connection.execute({});
    }
    connection.sync();
    this.#expectNext();
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    super.handleCommandComplete(message, connection);
    this.#doneCount += 1;
    this.#expectNext();
  }

  override handleError(error: Error, connection: GroupConnection): void {
    // Those after it were not prepared.
    for (const { name } of this.statements.slice(this.#doneCount)) {
      if (name !== undefined) delete connection.submittedNamedStatements[name];
    }
    super.handleError(error, connection);
  }

  #expectNext(): void {
    const next = this.statements[this.#doneCount];
    if (next !== undefined) Object.assign(this, { text: next.sql, name: next.name });
  }
}
