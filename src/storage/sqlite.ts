import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { ApiError, unavailable } from '../model/api-error.ts';
import { LruCache } from '../model/lru-cache.ts';
import type { Database, Queryable, Row, Value } from './database.ts';

// Result codes by which SQLite says that it cannot answer, not that it was
// asked wrongly. Source: sqlite.org/rescode.html.
const OUTAGES = new Set([
  5, // BUSY
  6, // LOCKED
  7, // NOMEM
  8, // READONLY
  10, // IOERR
  11, // CORRUPT
  13, // FULL
  14, // CANTOPEN
  15, // PROTOCOL
  26, // NOTADB
]);

// How long a write may wait for another process's, and how often it looks whether it may.
const BUSY_TIMEOUT_MS = 2000;
const BUSY_INTERVAL_MS = 1;

const BUSY = 5;

const MOST_TOGETHER = 100;

// Some 10 MB, with short texts and what is made of them.
const MOST_ROWS_KEPT = 10_000;

/**
 * Opens a database in one SQLite file, which is made if it is missing.
 *
 * There are two connections: what is written goes through the one, and reads through
 * the other, so that a read neither waits for an open transaction nor sees into it.
 * A commit is on disk when its promise resolves.
 *
 * @param path the file
 * @throws UNAVAILABLE if the file cannot be opened
 */
export function openSqlite(path: string): Database {
  makeFile(path);
  const { writer, reader } = withOutages(() => {
    // Only while it opens may SQLite itself wait for a lock, since it blocks the event loop.
    const settings = { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true };
    const writer = new DatabaseSync(path, settings);
    writer.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 0');
    const reader = new DatabaseSync(path, { ...settings, readOnly: true });
    reader.exec('PRAGMA busy_timeout = 0');
    return { writer, reader };
  });
  const reads = remembered(reader);
  const write = runner(writer);
  const writes = sharedCommits(writer, reads.expire);

  const transaction: Queryable = {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      return write(sql, params) as readonly R[];
    },
  };

  return {
    async query<R extends Row>(sql: string, params: readonly Value[] = []) {
      const rows = sql.startsWith('SELECT')
        ? reads.query(sql, params)
        : writes.add(async () => write(sql, params));
      return (await rows) as readonly R[];
    },

    transaction: (work) => writes.add(() => work(transaction)),

    dataVersion: reads.version,

    async close() {
      await writes.add(async () => {});
      reader.close();
      writer.close();
    },
  };
}

/** A piece of work that writes, and what waits for it. */
type Job = {
  readonly work: () => Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
  /** Until when it may wait for another process, in the time of `performance`. */
  readonly deadline: number;
};

/**
 * Does what is to be written in the order in which it comes, all that has come
 * together in one transaction: it is the commit, on its way to the disk, that takes
 * the time. Each is undone alone if it fails, and nobody hears of theirs before it
 * is on disk with all the others.
 *
 * @param onCommit is called before anybody hears of it
 */
function sharedCommits(
  writer: DatabaseSync,
  onCommit: () => void,
): { add<T>(work: () => Promise<T>): Promise<T> } {
  const exec = (sql: string) => withOutages(() => writer.exec(sql));
  const waiting: Job[] = [];
  let isScheduled = false;

  // When everything has been heard that came in at the same time.
  function schedule(): void {
    if (isScheduled || waiting.length === 0) return;
    isScheduled = true;
    setImmediate(async () => {
      await commitTogether(waiting.splice(0, MOST_TOGETHER));
      isScheduled = false;
      schedule();
    });
  }

  async function commitTogether(jobs: readonly Job[]): Promise<void> {
    const begun = await begin(jobs);
    if (begun.length === 0) return;
    const settlements: (() => void)[] = [];
    try {
      for (const job of begun) settlements.push(await attempt(job, begun.length > 1));
      exec('COMMIT');
      onCommit();
    } catch (error) {
      if (writer.isTransaction) writer.exec('ROLLBACK');
      for (const { reject } of begun) reject(error);
      return;
    }
    for (const settle of settlements) settle();
  }

  /** Begins a transaction as soon as no other process holds the lock, and returns those who could wait so long. */
  async function begin(jobs: readonly Job[]): Promise<readonly Job[]> {
    for (let patient = jobs; ; ) {
      try {
        exec('BEGIN IMMEDIATE');
        return patient;
      } catch (error) {
        const isBusy = error instanceof ApiError && primaryCode(error.cause) === BUSY;
        const now = performance.now();
        for (const { deadline, reject } of patient) if (!isBusy || now > deadline) reject(error);
        patient = isBusy ? patient.filter(({ deadline }) => now <= deadline) : [];
        if (patient.length === 0) return patient;
        await delay(BUSY_INTERVAL_MS);
      }
    }
  }

  /** Does one of several. What is thrown means that all of them are undone. */
  async function attempt({ work, resolve, reject }: Job, isOneOfSeveral: boolean): Promise<() => void> {
    if (isOneOfSeveral) exec('SAVEPOINT job');
    try {
      const value = await work();
      if (isOneOfSeveral) exec('RELEASE job');
      return () => resolve(value);
    } catch (error) {
      // Some errors, such as a full disk, end the whole transaction.
      if (!isOneOfSeveral || !writer.isTransaction) throw error;
      exec('ROLLBACK TO job; RELEASE job');
      return () => reject(error);
    }
  }

  return {
    add: <T>(work: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const deadline = performance.now() + BUSY_TIMEOUT_MS;
        waiting.push({ work, resolve: resolve as Job['resolve'], reject, deadline });
        schedule();
      }),
  };
}

type Runner = (sql: string, params: readonly Value[]) => readonly Row[];

/** Makes the file if it is missing, for nobody else to read. SQLite makes those beside it alike. */
function makeFile(path: string): void {
  try {
    mkdirSync(dirname(path), { recursive: true });
    closeSync(openSync(path, 'a', 0o600));
  } catch (error) {
    throw unavailable(error);
  }
}

/** Runs statements on one connection, each prepared once. */
function runner(connection: DatabaseSync): Runner {
  const statements = new Map<string, (params: readonly Value[]) => readonly Row[]>();
  return (sql, params) =>
    withOutages(() => {
      let run = statements.get(sql);
      if (run === undefined) {
        run = prepare(connection, sql);
        statements.set(sql, run);
      }
      return run(params);
    });
}

/**
 * Keeps in memory what was read lately, for as long as nobody has committed anything:
 * SQLite tells by the data version whether any other connection has, in this process
 * or another, and nothing is written through this one. Source: sqlite.org/pragma.html.
 *
 * It is asked once for all that is wanted at the same time, after the last of it was,
 * and its word is taken for no longer than until all that was waiting for it has run.
 */
function remembered(reader: DatabaseSync): {
  query(sql: string, params: readonly Value[]): Promise<readonly Row[]>;
  /** Asks for the data version, or takes it as known. */
  version(): Promise<number>;
  /** Makes whoever reads from now on ask again. */
  expire(): void;
} {
  const read = runner(reader);
  const dataVersion = reader.prepare('PRAGMA data_version');
  dataVersion.setReturnArrays(true);
  const numbers = new Map<string, number>();
  const rowsOf = new LruCache<readonly Row[]>(MOST_ROWS_KEPT);
  let known = 0;
  let isCurrent = false;
  let asking: Promise<void> | undefined;

  const expire = () => {
    isCurrent = false;
  };

  function ask(): void {
    asking = undefined;
    // Before any rows are read: what is committed in between drops them.
    const [version] = withOutages(() => dataVersion.get() as unknown as [number]);
    if (version !== known) rowsOf.clear();
    known = version;
    isCurrent = true;
    // Node runs this after all promises that can be settled have been.
    queueMicrotask(() => process.nextTick(expire));
  }

  /** Asks after everything has been heard that has come in by now. */
  function heard(): Promise<void> {
    asking ??= new Promise<void>((resolve) => setImmediate(resolve)).then(ask);
    return asking;
  }

  return {
    async version() {
      if (!isCurrent) await heard();
      return known;
    },

    async query(sql, params) {
      if (!isCurrent) await heard();
      // The number stands for the statement, whose text is long.
      let number = numbers.get(sql);
      if (number === undefined) {
        number = numbers.size;
        numbers.set(sql, number);
      }
      const key = `${number}${JSON.stringify(params)}`;
      let rows = rowsOf.get(key);
      if (rows === undefined) {
        rows = read(sql, params);
        rowsOf.set(key, rows, rows.length + 1);
      }
      return rows;
    },
    expire,
  };
}

function prepare(connection: DatabaseSync, sql: string): (params: readonly Value[]) => readonly Row[] {
  const statement = connection.prepare(sql.replace(/\$(\d+)/g, '?$1'));
  const columns = statement.columns().map(({ name }) => name);
  // Rows of its own making are objects without a prototype, which V8 is slow with.
  statement.setReturnArrays(true);
  return (params) =>
    (statement.all(...params) as unknown as readonly Value[][]).map((values) => rowOf(columns, values));
}

function rowOf(columns: readonly string[], values: readonly Value[]): Row {
  const row: Record<string, Value> = {};
  for (let n = 0; n < columns.length; n += 1) row[columns[n] as string] = values[n] as Value;
  return row;
}

function withOutages<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw OUTAGES.has(primaryCode(error)) ? unavailable(error) : error;
  }
}

/** The low byte of an error's result code; the rest only says more about it. */
function primaryCode(error: unknown): number {
  return error instanceof Error && 'errcode' in error ? Number(error.errcode) & 0xff : 0;
}
