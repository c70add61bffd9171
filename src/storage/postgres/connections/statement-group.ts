import { type Connection, type PoolClient, Query, type QueryResult } from 'pg';
import type { Row, Statement, Value } from '../../interface/database.ts';

/** A statement, and the name under which it is prepared, if it is. */
export type NamedStatement = Statement & { readonly name: string | undefined };

/** A column of a result: its name, and the parser of its values. */
type Column = { readonly name: string; parse(text: string): Value };

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

/** Is called with the rows of the last statement, or with the error of one. */
type Callback<R extends Row> = (error: Error | null, rows: readonly R[]) => void;

/**
 * The columns of the prepared statements of a connection, by name. The server describes them once, because the driver takes
 * longer for a description than for a row. A prepared statement whose columns have changed fails.
 */
const COLUMNS = new WeakMap<PoolClient, Map<string, readonly Column[]>>();

/**
 * One or more statements that are sent in one packet with one Sync message at the end. After a statement that fails, the
 * server skips the others: a statement after BEGIN can't be committed if BEGIN has failed, for example because it was
 * cancelled. Statements with a Sync message each would continue without the transaction.
 *
 * A pooler between must keep the connection to the server until the response to a Sync message, so it can't separate
 * them either. PgBouncer does so in its mode `transaction`. It refuses BEGIN in its mode `statement`, and loses nothing
 * but the connection.
 *
 * Source: PostgreSQL, section 54.2.3, extended query.
 */
export class StatementGroup<R extends Row> {
  /** Of the statement whose messages come next; the driver notes that it is prepared. */
  text: string;
  name: string | undefined;
  /** Can be replaced by programs that trace. */
  callback: Callback<R>;
  /** Those that are sent. */
  statements: readonly NamedStatement[];
  readonly #count: number;
  readonly #client: PoolClient;
  readonly #known: Map<string, readonly Column[]>;
  #doneCount = 0;
  #columns: readonly Column[] = [];
  #rows: R[] = [];

  constructor(client: PoolClient, statements: readonly NamedStatement[], callback: Callback<R>) {
    this.text = statements.map(({ sql }) => sql).join('; ');
    this.callback = callback;
    this.#client = client;
    this.statements = statements;
    this.#count = statements.length;
    this.#known = COLUMNS.get(client) ?? new Map();
    COLUMNS.set(client, this.#known);
  }

  /** Whether all statements but the last one have succeeded. */
  get isAtLast(): boolean {
    return this.#doneCount >= this.#count - 1;
  }

  /** Is called by the driver, as are the methods below. */
  submit(connection: GroupConnection): void {
    const { parsedStatements, submittedNamedStatements } = connection;
    for (const { name, sql, params } of this.statements) {
      const isKnown = name !== undefined && (name in parsedStatements || name in submittedNamedStatements);
      if (!isKnown) connection.parse({ text: sql, name });
      if (!isKnown && name !== undefined) submittedNamedStatements[name] = sql;
      const values = params.map((value) => (value === null ? null : String(value)));
      connection.bind({ statement: name, values });
      if (name === undefined || !this.#known.has(name)) connection.describe({ type: 'P' });
      connection.execute({});
    }
    connection.sync();
    this.#expectNext();
  }

  handleRowDescription({ fields }: Pick<QueryResult, 'fields'>): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({
      name,
      parse: this.#client.getTypeParser(dataTypeID),
    }));
    if (this.name !== undefined) this.#known.set(this.name, this.#columns);
  }

  handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
    const row: Record<string, Value> = {};
    let index = 0;
    for (const { name, parse } of this.#columns) {
      const text = fields[index++] ?? null;
      row[name] = text === null ? null : parse(text);
    }
    this.#rows.push(row as R);
  }

  handleCommandComplete(): void {
    this.#doneCount += 1;
    this.#expectNext();
  }

  handleReadyForQuery(): void {
    this.#end(null, this.#rows);
  }

  handleError(error: Error, { submittedNamedStatements }: GroupConnection): void {
    // Those after it were not prepared.
    for (const { name } of this.statements.slice(this.#doneCount)) {
      if (name !== undefined) delete submittedNamedStatements[name];
    }
    this.#end(error, []);
  }

  #expectNext(): void {
    const next = this.statements[this.#doneCount];
    if (next === undefined) return;
    this.text = next.sql;
    this.name = next.name;
    this.#columns = (next.name !== undefined && this.#known.get(next.name)) || [];
    this.#rows = [];
  }

  /**
   * The driver's queue is an array, whose old copies keep the queries in memory. So a query that has ended holds no rows,
   * and no function or value of its request.
   */
  #end(error: Error | null, rows: readonly R[]): void {
    const { callback } = this;
    this.callback = () => {};
    this.#rows = [];
    this.statements = [];
    callback(error, rows);
  }
}

// The driver takes its own queries alone, whose constructor makes several objects that are not used here.
Object.setPrototypeOf(StatementGroup.prototype, Query.prototype);
