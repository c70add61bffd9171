import type { Database, Queryable } from './database.ts';

/** A part of the schema, such as `column wallet.title`, and its definition, in equal words on both engines. */
export type SchemaObject = { readonly name: string; readonly definition: string };

/**
 * The methods that migrations use to change a schema. During a transaction or the creation of an index, no other process
 * begins one.
 */
export type SchemaChanges = {
  /**
   * Runs `work` in a transaction. On PostgreSQL, its statements may take as long as they need, and wait a second for a lock.
   *
   * @throws UNAVAILABLE with the outage `lock` if a lock was not free, or another process migrates
   * @throws Error if the role does not have the rights of the tables' owner
   */
  transaction<T>(work: (transaction: Queryable) => Promise<T>): Promise<T>;
  /**
   * Creates an index, unless it exists. A different index of its table with its name is replaced. On PostgreSQL, others
   * write meanwhile; on SQLite, they wait.
   *
   * @throws UNAVAILABLE as a transaction does, and while another session creates an index of the table
   * @throws the reason of the signal
   */
  createIndex(index: Index, creation: IndexCreation): Promise<void>;
};

export type IndexCreation = {
  /** Is asked before the creation, which may not be needed any more. */
  isMissing(transaction: Queryable): Promise<boolean>;
  /** Cancels the creation. */
  readonly signal?: AbortSignal | undefined;
  /** Is called while it waits for another session, with a text that names it. */
  readonly onWait?: ((text: string) => void) | undefined;
};

export type Index = {
  readonly name: string;
  readonly isUnique: boolean;
  readonly table: string;
  /** The columns and what follows, such as `(account_id, id) WHERE id IS NOT NULL`. */
  readonly columns: string;
};

/**
 * Returns whether an index has the definition that a database prints. It is false for some equal ones: a database can print
 * a condition in other words.
 */
export function isDefinedAs({ isUnique, columns }: Index, printed: string): boolean {
  const definition = `${isUnique ? 'UNIQUE ' : ''}${columns}`;
  const withoutNames = printed.replace(/^CREATE (UNIQUE )?INDEX \S+ ON \S+ (?:USING btree )?/, '$1');
  return canonical(definition) === canonical(withoutNames);
}

/** Removes white space, and the parentheses and types that PostgreSQL adds. */
function canonical(definition: string): string {
  return definition.replaceAll(/::[a-z]+|[\s()]/g, '');
}

/**
 * The port of the server, the commands and the jobs to the database: the operations' port, and the differences of the
 * engines.
 */
export type Engine = Database & {
  /**
   * Checks that every table has its columns, and on SQLite can be read, that the database can be written, and that its
   * schema is current or compatible, on a connection that is used for nothing else. The result is remembered for a second.
   *
   * @throws UNAVAILABLE otherwise, with the reason as the cause
   */
  checkReady(): Promise<void>;
  readonly schema: SchemaChanges;
  /** The type of the texts of a table, which are compared by their bytes. */
  readonly textType: string;
  /** Checks that the database can have the tables. @throws Error if it can't store every text */
  assertEncoding(): Promise<void>;
  /**
   * Distributes the tables that are not distributed yet over the nodes of Citus, by the account. SQLite has none.
   *
   * @param shardCount the number of shards of each table; undefined to do nothing unless the others are distributed
   * @returns the names of the tables that were not distributed before
   * @throws Error if the server is not the coordinator of Citus
   */
  distribute(transaction: Queryable, shardCount?: number): Promise<readonly string[]>;
  /** Returns whether each worker of Citus accepts connections, by its host and port; nothing on other engines. */
  nodes(): Promise<ReadonlyMap<string, boolean>>;
  /** A query for the tables, columns, indexes and keys, each a `SchemaObject`. */
  readonly schemaObjects: string;
  /** Resolves when all that reads have returned is durable. On SQLite, they can see a change shortly before it is on disk. */
  synced(): Promise<void>;
  /**
   * Returns the time by which rows expire, in Unix milliseconds: on PostgreSQL the server's time, which the instances
   * share.
   *
   * @param clock returns the current time of this process, which SQLite uses
   */
  expiryTime(clock: () => number): Promise<number>;
  /**
   * Opens a connection to the server, which requests may not need for half an hour. Returns by how many seconds the clock
   * of this process is ahead of the server's; undefined if the server has no connection left. SQLite has no such check.
   *
   * @throws UNAVAILABLE if no connection can be opened, or it does not work
   */
  checkConnection?(clock: () => number): Promise<number | undefined>;
  /** Closes all connections after their running statements have finished. */
  close(): Promise<void>;
};
