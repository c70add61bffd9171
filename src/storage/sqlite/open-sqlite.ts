import { closeSync, existsSync, mkdirSync, openSync, realpathSync, type Stats, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Execute, Queryable, Row, Value } from '../interface/database.ts';
import { unavailable } from '../interface/database-error.ts';
import { type Engine, isDefinedAs, type SchemaChanges } from '../interface/engine.ts';
import { READINESS_LIFETIME_MS } from '../tables/readiness.ts';
import { writeEach } from '../work/change.ts';
import { remembered } from '../work/remembered.ts';
import { type ObserveStatement, timedStatements } from '../work/statement-times.ts';
import { Checkpoints } from './checkpoints.ts';
import { BUSY_TIMEOUT_MS, GroupCommit } from './group-commit.ts';
import { isNamed, LogSync, type Sync } from './log-sync.ts';
import { hasLog, openReadOnly } from './open-read-only.ts';
import { ReadinessCheck } from './readiness.ts';
import { accountParameter, ReadTurns } from './reads.ts';
import { type RunStatement, statementRunner, translateErrors } from './statements.ts';
import { assertOwnFile, SCHEMA_OBJECTS } from './verify-file.ts';

/** Thrown if the file of a database does not exist. The message is one line. */
export class DatabaseMissingError extends Error {}

export type SqliteSettings = {
  /** Whether the file is only read, and no other file is changed. */
  readonly isReadOnly?: boolean | undefined;
  /** Whether to create the file if it does not exist. */
  readonly create: boolean;
  /** Is called when a sync has failed, or the file was deleted or replaced. All later writes are refused, and the process should end. */
  readonly onFailure?: ((error: Error) => void) | undefined;
  /** Is called after each sync of the write-ahead log. */
  readonly onSync?: ((sync: Sync) => void) | undefined;
  readonly onStatement?: ObserveStatement | undefined;
};

const ONE_FILE = {
  textType: 'TEXT',
  assertEncoding: async () => {},
  schemaObjects: SCHEMA_OBJECTS,
  nodes: async () => new Map(),
  distribute: async () => [],
} satisfies Partial<Engine>;

const FIND_INDEX = "SELECT sql FROM sqlite_schema WHERE type = 'index' AND name = $1 AND tbl_name = $2";

const SETTINGS = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };

/**
 * Opens a database in one SQLite file.
 *
 * There are two connections, one for writes and one for reads, so a read neither waits for an open
 * transaction nor sees its changes. A write resolves when it is on disk. Reads can see it shortly before. The
 * event loop never waits for the disk: the log is synced in the thread pool and checkpointed on a separate thread.
 *
 * @param link the file, or a symbolic link to it
 * @throws DatabaseMissingError if it does not exist and must not be created
 * @throws UNAVAILABLE if the file cannot be opened
 */
export function openSqlite(link: string, settings: SqliteSettings): Engine {
  const { create, onFailure, onSync, onStatement } = settings;
  if (settings.isReadOnly) return readOnlyEngine(realPath(link));
  if (create) createFile(link);
  const path = realPath(link);
  const file = statSync(path);
  const { writer, reader } = translateErrors(path, () => openConnections(path, file));
  const reads = new ReadTurns(reader);
  const execute = statementRunner(writer);
  const checkpoints = new Checkpoints(path);
  const log = new LogSync(path, file, {
    onSync(sync) {
      checkpoints.considerLog(sync.logBytes);
      onSync?.(sync);
    },
    onFailure,
  });
  const writes = new GroupCommit(writer, execute, log, checkpoints);
  const timed = timedStatements(onStatement);
  const readiness = new ReadinessCheck(path, () => writes.needsSpace);
  const transaction = inTransaction(writer, execute);

  const engine: Engine = {
    read: <R extends Row>(sql: string, params: readonly Value[] = []) =>
      timed('read', () => reads.read(sql, params)) as Promise<readonly R[]>,

    write: (sql, params) =>
      timed('write', () => writes.run('statement', accountParameter(params), () => execute(sql, params))),

    transaction: (work, account) =>
      timed('transaction', () => writes.run('transaction', account, () => work(transaction))),

    writeIfFirst: (changes) =>
      timed('write', () =>
        writes.run('statements', accountParameter(changes[0].params), () => writeEach(transaction, changes)),
      ),

    schema: schemaChanges((work) => engine.transaction(work)),
    forRequest: () => engine,
    synced: () => log.sync(),
    expiryTime: async (clock) => clock(),
    checkReady: remembered(async () => {
      log.checkFiles();
      readiness.run();
    }, READINESS_LIFETIME_MS),
    ...ONE_FILE,

    async close() {
      await writes.drain();
      await checkpoints.close();
      readiness.close();
      await log.close();
      reader.close();
      writer.close();
    },
  };
  return engine;
}

/** Returns the target of the statements of a transaction. */
function inTransaction(writer: DatabaseSync, execute: RunStatement): Queryable {
  const run: Execute = async (sql, params) => {
    // A full disk rolls the whole transaction back. The next statement would be a separate one.
    if (!writer.isTransaction) throw unavailable(new Error('The transaction was rolled back.'));
    return execute(sql, params);
  };
  return { read: run, write: run };
}

/** Returns a database that is read alone. A file without a log is read without locks, until a process makes one. */
function readOnlyEngine(path: string): Engine {
  const hadLog = hasLog(path);
  const reader = translateErrors(path, () => openReadOnly(path));
  const execute = statementRunner(reader);
  const read: Execute = async <R extends Row>(sql: string, params?: readonly Value[]) => {
    const rows = execute<R>(sql, params);
    if (!hadLog && hasLog(path)) throw unavailable(new Error(`another process began to use ${path}`), 'lock');
    return rows;
  };
  const refuse = () => Promise.reject(new Error('The database is open for reads only.'));
  const engine: Engine = {
    read,
    write: refuse,
    writeIfFirst: refuse,
    transaction: (work) => work({ read, write: refuse }),
    schema: { transaction: refuse, createIndex: refuse },
    forRequest: () => engine,
    synced: async () => {},
    expiryTime: async (clock) => clock(),
    checkReady: refuse,
    ...ONE_FILE,
    close: async () => reader.close(),
  };
  return engine;
}

/** Returns the file that a link leads to. SQLite names the log after it. */
function realPath(link: string): string {
  if (existsSync(link)) {
    const path = realpathSync(link);
    if (statSync(path).isDirectory())
      throw unavailable(new Error(`illegal operation on a directory. The file is ${path}`));
    return path;
  }
  throw new DatabaseMissingError(`The database file ${link} does not exist. Run "paw migrate".`);
}

/** See `Engine.schema`. A transaction keeps all others out. */
function schemaChanges(transaction: Database['transaction']): SchemaChanges {
  return {
    transaction,
    createIndex: (index, { isMissing }) =>
      transaction(async (to) => {
        const { name, isUnique, table, columns } = index;
        if (!(await isMissing(to))) return;
        const [found] = await to.read<{ sql: string }>(FIND_INDEX, [name, table]);
        if (found && isDefinedAs(index, found.sql)) return;
        if (found) await to.write(`DROP INDEX ${name}`);
        await to.write(`CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${name} ON ${table} ${columns}`);
      }),
  };
}

/** @param file the file's status before */
function openConnections(path: string, file: Stats): { writer: DatabaseSync; reader: DatabaseSync } {
  // Only while it opens may SQLite itself wait for a lock, since it blocks the event loop.
  const writer = new DatabaseSync(path, SETTINGS);
  writer.exec('PRAGMA page_count');
  try {
    // A log of the old file would be applied to the new one.
    if (!isNamed(file, path))
      throw unavailable(new Error(`The database file ${path} was replaced while it was being opened`));
    // Before it gets a log.
    assertOwnFile(writer, path);
  } catch (error) {
    writer.close();
    throw error;
  }
  writer.exec('PRAGMA journal_mode = WAL');
  // COMMIT writes to the page cache. The log is synced elsewhere.
  writer.exec('PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 0; PRAGMA busy_timeout = 0');
  // Deleted data is overwritten with zeros.
  writer.exec('PRAGMA secure_delete = ON');
  const reader = new DatabaseSync(path, { ...SETTINGS, readOnly: true });
  reader.exec('PRAGMA busy_timeout = 0');
  // The first read creates the log.
  reader.exec('PRAGMA schema_version');
  return { writer, reader };
}

/** Creates the file if it does not exist, readable by its owner only. SQLite gives its WAL files the same permissions. */
function createFile(path: string): void {
  try {
    createFolder(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unavailable(error);
  }
}

/**
 * Creates a folder and its parents, and returns those that did not exist, the inner ones first. In `/proc`, the recursive
 * `mkdir` of Node would never end.
 */
export function createFolder(path: string): readonly string[] {
  if (existsSync(path)) return [];
  const parents = createFolder(dirname(path));
  try {
    mkdirSync(path);
    return [path, ...parents];
  } catch (error) {
    // Another process may have been faster.
    if (!existsSync(path)) throw error;
    return parents;
  }
}
