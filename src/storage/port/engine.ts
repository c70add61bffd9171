import type { Database, Queryable } from './database.ts';

/** A part of the schema, such as `column wallet.title`, and what it has to be like, in equal words on both engines. */
export type SchemaObject = { readonly name: string; readonly definition: string };

/** What a migration does to a database. Its statements may take as long as they need. */
export type SchemaChanges = Pick<Database, 'transaction'> & {
  /** Creates an index, also after an interrupted attempt. On PostgreSQL, others write meanwhile; on SQLite, they wait. */
  createIndex(index: Index): Promise<void>;
};

/** An index by its name and its statement, such as `CREATE INDEX wallet_by_title ON wallet (title)`. */
export type Index = { readonly name: string; readonly sql: string };

/** The port of the server, the commands and the jobs to the database: that of the operations, and what the engines differ in. */
export type Engine = Database & {
  /**
   * Checks that every table has its columns, and on SQLite can be read, that the database can be written, and that its
   * schema is current or compatible, on a connection that is used for nothing else. The result is remembered for a second.
   *
   * @throws UNAVAILABLE otherwise, with a `DatabaseVersionError` as the cause if the program can't use the schema
   */
  checkReady(): Promise<void>;
  /**
   * Runs `work` with what changes the schema. On PostgreSQL, no other process migrates meanwhile; it waits for one that does,
   * as long as it takes. On SQLite, only a transaction keeps others out.
   */
  migrating<T>(work: (schema: SchemaChanges) => Promise<T>): Promise<T>;
  /** The type of the texts of a table, which are compared by their bytes. */
  readonly textType: string;
  /** Checks that the database can have the tables. @throws EncodingError if it can't store every text */
  assertEncoding(): Promise<void>;
  /**
   * Distributes the tables that are not distributed yet over the nodes of Citus, by the account.
   *
   * @param shardCount the number of shards of each table; undefined to do nothing unless the others are distributed
   * @returns the names of the tables that were not distributed before
   * @throws DistributionError if the engine can't distribute them
   */
  distribute(transaction: Queryable, shardCount?: number): Promise<readonly string[]>;
  /** Returns whether each worker of Citus accepts connections, by its host and port; nothing on other engines. */
  nodes(): Promise<ReadonlyMap<string, boolean>>;
  /** A query for the tables, columns, indexes and keys, each a `SchemaObject`. */
  readonly schemaObjects: string;
  /** Resolves when all that reads have returned is durable. On SQLite, they can see a change shortly before it is on disk. */
  synced(): Promise<void>;
  /**
   * Returns the time by which rows expire, in Unix milliseconds: on PostgreSQL that of the server, which the instances share.
   *
   * @param clock returns the current time of this process, which SQLite uses
   */
  expiryTime(clock: () => number): Promise<number>;
  /**
   * Returns by how many seconds the clock of this process is ahead of that of the server, on a connection that is opened
   * for it: the others could serve for half an hour while no new one can be opened. 0 on SQLite.
   *
   * @throws UNAVAILABLE if no connection can be opened
   */
  compareClocks(clock: () => number): Promise<number>;
  /** Closes all connections after their running statements have finished. */
  close(): Promise<void>;
};
