import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Client } from 'pg';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database, Queryable } from '../../src/storage/database.ts';
import { DatabaseError } from '../../src/storage/errors.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import type { PostgresSettings } from '../../src/storage/postgres/open-postgres.ts';
import { statementNames } from '../../src/storage/postgres/statements.ts';
import { RequestTransaction } from '../../src/storage/request-transaction.ts';
import { makeDatabase } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

// Creating a cluster takes long on a busy machine.
const SERVER_START_MS = 60_000;

const CREATE = 'CREATE TABLE item (id TEXT PRIMARY KEY, at BIGINT NOT NULL)';

const ADD = 'INSERT INTO item (id, at) VALUES ($1, $2)';

const BUMP = 'UPDATE item SET at = at + 1 WHERE id = $1';

const LIST = 'SELECT id, at FROM item ORDER BY id';

const SETTINGS: PostgresSettings = { poolSize: 4, timeoutMs: 5000 };

const POLL = { timeout: 30_000, interval: 10 };

let url: string;

beforeEach(async () => {
  const made = await makeDatabase();
  onTestFinished(made.remove);
  url = made.url;
});

/** Opens the test's database, and creates a table. */
async function openItems(settings: Partial<PostgresSettings> = {}): Promise<Database> {
  const database = open(url, settings);
  await (await database).write(CREATE);
  return database;
}

async function open(databaseUrl: string, settings: Partial<PostgresSettings> = {}): Promise<Database> {
  const database = await openDatabase(databaseUrl, { postgres: { ...SETTINGS, ...settings } });
  onTestFinished(() => database.close().catch(() => {}));
  return database;
}

/** A connection that does not go through the driver. */
async function connect(): Promise<Client> {
  const client = new Client({ connectionString: url, application_name: 'test' });
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function withParameters(databaseUrl: string, parameters: Readonly<Record<string, string>>): string {
  const changed = new URL(databaseUrl);
  for (const [name, value] of Object.entries(parameters)) changed.searchParams.set(name, value);
  return changed.href;
}

/** Returns the error that a promise is rejected with. */
async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable(),
    (error: unknown) => error,
  );
}

async function pidOf(queryable: Queryable): Promise<number> {
  const [row] = await queryable.read<{ pid: number }>('SELECT pg_backend_pid() AS pid');
  return row?.pid ?? Number.NaN;
}

/** Keeps a connection, in a transaction of a command, which has no deadline. */
function hold(database: Database, work: () => Promise<unknown>): Promise<void> {
  return database.transaction(async ({ read }) => {
    await read('SELECT 1');
    await work();
  });
}

/** Returns a barrier for `count` callers. */
function meetingOf(count: number): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let missing = count;
  return () => {
    missing -= 1;
    if (missing === 0) resolve();
    return promise;
  };
}

describe('a statement', () => {
  test('returns a BIGINT as a number: a column, a count, and a sum of integers', async () => {
    const database = await openItems();
    await database.write(ADD, ['a', Number.MAX_SAFE_INTEGER]);
    const rows = await database.read(
      'SELECT at, count(*) AS many, sum(1::integer) AS total, NULL::bigint AS none FROM item GROUP BY at',
    );
    expect(rows).toEqual([{ at: Number.MAX_SAFE_INTEGER, many: 1, total: 1, none: null }]);
  });

  test('is prepared once per connection, under its own name', async () => {
    const database = await openItems();
    const prepared = await database.transaction(async (transaction) => {
      for (const id of ['a', 'b', 'c']) {
        await transaction.write(ADD, [id, 1]);
        await transaction.read(LIST);
      }
      return transaction.read(
        `SELECT name, statement, generic_plans + custom_plans AS runs FROM pg_prepared_statements
        WHERE statement IN ($1, $2) ORDER BY statement`,
        [ADD, LIST],
      );
    });
    const name = expect.stringMatching(/^paw_[0-9a-f]{24}$/);
    expect(prepared).toEqual([
      { name, statement: ADD, runs: 3 },
      { name, statement: LIST, runs: 3 },
    ]);
    expect(new Set(prepared.map((row) => row['name'])).size).toBe(2);
  });

  test('has the same name on every connection', async () => {
    const FIND = `SELECT name FROM pg_prepared_statements WHERE statement = 'SELECT 1 AS one'`;
    const names = [];
    for (const _ of ['first', 'second']) {
      const database = await open(url);
      names.push(
        await database.transaction(async (transaction) => {
          await transaction.read('SELECT 1 AS one');
          return transaction.read(FIND);
        }),
      );
    }
    expect(names[0]).toHaveLength(1);
    expect(names[1]).toEqual(names[0]);
  });

  test.each([
    ['true', []],
    ['prepared', [{ statement: 'SELECT 1 AS one' }]],
  ])(
    'behind a pooler with pgbouncer=%s is prepared as %j, and the session is not changed',
    async (pgbouncer, names) => {
      const database = await open(withParameters(url, { pgbouncer }), { timeoutMs: 7000 });
      await database.read('SELECT 1 AS one');
      await database.transaction(async (transaction) => {
        await transaction.read('SELECT 1 AS one');
        const FIND =
          "SELECT statement FROM pg_prepared_statements WHERE name <> '' AND statement NOT LIKE '%name%'";
        expect(await transaction.read(FIND)).toEqual(names);
      });
      expect(await database.write('SHOW statement_timeout')).toEqual([{ statement_timeout: '0' }]);
    },
  );

  test('that violates a constraint is not an outage, and its connection is used again', async () => {
    const database = await openItems({ poolSize: 1 });
    const pid = await pidOf(database);
    await database.write(ADD, ['a', 1]);
    const error = await errorOf(database.write(ADD, ['a', 2]));
    expect(error).not.toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ code: '23505' });
    await database.write(ADD, ['b', 2]);
    expect(await database.read(LIST)).toEqual([
      { id: 'a', at: 1 },
      { id: 'b', at: 2 },
    ]);
    expect(await pidOf(database)).toBe(pid);
  });

  test('that could not be prepared runs when its table exists', async () => {
    const database = await open(url, { poolSize: 1 });
    const error = await errorOf(database.read(LIST));
    expect(error).not.toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ code: '42P01' });
    await database.write(CREATE);
    expect(await database.read(LIST)).toEqual([]);
  });

  test('that could not be prepared is not prepared again on the same connection of a pooler', async () => {
    const database = await open(withParameters(url, { pgbouncer: 'prepared' }), { poolSize: 1 });
    const first = await pidOf(database);
    expect(await errorOf(database.read(LIST))).toMatchObject({ code: '42P01' });
    const second = await pidOf(database);
    expect(second).not.toBe(first);
    await database.write(CREATE);
    await database.write(ADD, ['a', 1]);
    expect(await errorOf(database.write(ADD, ['a', 1]))).toMatchObject({ code: '23505' });
    expect(await pidOf(database)).toBe(second);
  });

  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['a read', (database) => database.read(LIST)],
    ['a write', (database) => database.write(ADD, ['a', 1])],
    ['a transaction', (database) => database.transaction(({ write }) => write(ADD, ['a', 1]))],
  ])(
    '%s behind a pooler that has lost or mixed up names is not executed, and is UNAVAILABLE',
    async (_, run) => {
      await openItems();
      const openPrepared = () => open(withParameters(url, { pgbouncer: 'prepared' }), { poolSize: 1 });
      const isRefused = async (database: Database, code: string) => {
        expect(await errorOf(run(database))).toMatchObject({
          reason: 'UNAVAILABLE',
          cause: { code },
        });
        // On another connection.
        expect(await database.read(LIST)).toEqual([]);
      };

      const lost = await openPrepared();
      await run(lost);
      await lost.write('DELETE FROM item');
      await lost.write('DEALLOCATE ALL');
      await isRefused(lost, '26000');

      const taken = await openPrepared();
      const nameOf = statementNames();
      for (const sql of [ADD, LIST]) await taken.write(`PREPARE ${nameOf(sql)} AS SELECT 1`);
      await isRefused(taken, '42P05');
    },
  );

  test.each([
    ['53100', 'the disk is full'],
    ['53300', 'there are too many connections'],
    ['57014', 'it took too long'],
    ['57P03', 'the server is starting'],
    ['55P03', 'a lock is not available in time'],
    ['58030', 'the disk does not answer'],
    ['25006', 'the database is read-only'],
  ])('fails with UNAVAILABLE on %s: %s', async (code) => {
    const database = await open(url);
    const raise = `DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '${code}'; END $$`;
    const error = await errorOf(database.write(raise));
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code } });
  });

  test.each(['40001', '40P01'])('with a conflict (%s) is tried again', async (code) => {
    const database = await openItems();
    await database.write('CREATE SEQUENCE attempt');
    const raise = `DO $$ BEGIN
      IF nextval('attempt') < 6 THEN RAISE EXCEPTION USING ERRCODE = '${code}'; END IF;
      INSERT INTO item (id, at) VALUES ('a', currval('attempt'));
    END $$`;
    await database.write(raise);
    expect(await database.read(LIST)).toEqual([{ id: 'a', at: 6 }]);
  });

  test('that reads and loses a conflict is tried again', async () => {
    const database = await open(url);
    await database.write('CREATE SEQUENCE attempt');
    await database.write(`CREATE FUNCTION work() RETURNS BIGINT LANGUAGE plpgsql AS $$ BEGIN
      IF nextval('attempt') < 3 THEN RAISE EXCEPTION USING ERRCODE = '40001'; END IF;
      RETURN currval('attempt');
    END $$`);
    const outcomes = await Promise.all([database.read('SELECT work()'), database.read('SELECT 1 AS one')]);
    expect(outcomes).toEqual([[{ work: 3 }], [{ one: 1 }]]);
  });

  test('with a result that the server does not know is RESULT_UNKNOWN, and is not tried again', async () => {
    const database = await open(url);
    await database.write('CREATE SEQUENCE attempt');
    const raise = `DO $$ BEGIN
      PERFORM nextval('attempt');
      RAISE EXCEPTION 'result is ambiguous' USING ERRCODE = '40003';
    END $$`;
    const error = await errorOf(database.write(raise));
    expect(error).toMatchObject({
      reason: 'RESULT_UNKNOWN',
      cause: { code: '40003' },
    });
    expect(await database.read('SELECT last_value FROM attempt')).toEqual([{ last_value: 1 }]);
  });

  test.each([
    ['read', 'SELECT pg_sleep(60)'],
    ['write', 'DO $$ BEGIN PERFORM pg_sleep(60); END $$'],
  ] as const)('is cancelled on the server after the timeout: a %s, %s', async (kind, sleep) => {
    // With a pooler, the session has no timeouts. Only the client can end the statement.
    const database = await open(withParameters(url, { pgbouncer: 'true' }), {
      poolSize: 1,
      timeoutMs: 1000,
    });
    const pid = await pidOf(database);
    const error = await errorOf(database[kind](sleep));
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '57014' } });
    // A cancellation that comes late must not hit the next statement.
    expect(await pidOf(database)).not.toBe(pid);
  });

  test('has a timeout on the server, for cancellations that are lost', async () => {
    const database = await open(url, { timeoutMs: 7000, lockTimeoutMs: 2000 });
    expect(await database.write('SHOW statement_timeout')).toEqual([{ statement_timeout: '7s' }]);
    expect(await database.write('SHOW lock_timeout')).toEqual([{ lock_timeout: '2s' }]);
  });

  test.each(['true', 'prepared'])(
    'in a transaction behind a pooler with pgbouncer=%s has the lock timeout, and the session has not',
    async (pgbouncer) => {
      const database = await open(withParameters(url, { pgbouncer }), { lockTimeoutMs: 2000 });
      const inside = database.transaction((transaction) => transaction.write('SHOW lock_timeout'));
      expect(await inside).toEqual([{ lock_timeout: '2s' }]);
      expect(await database.write('SHOW lock_timeout')).toEqual([{ lock_timeout: '0' }]);
    },
  );
});

describe('the pool', () => {
  test('uses as many connections as its size, and no more', async () => {
    const database = await open(url, { poolSize: 3 });
    const look = `SELECT pg_sleep(0.01) AS slept, pg_backend_pid() AS pid, (
      SELECT count(*) FROM pg_stat_activity WHERE application_name = 'paw-gateway' AND datname = current_database()
    ) AS connections`;
    const answers = await Promise.all(
      // More than three batches.
      Array.from({ length: 100 }, () => database.read<{ pid: number; connections: number }>(look)),
    );
    const rows = answers.flat();
    expect(rows).toHaveLength(100);
    expect(Math.max(...rows.map(({ connections }) => connections))).toBe(3);
    expect(new Set(rows.map(({ pid }) => pid)).size).toBe(3);
  });

  test('fails a request that waits for a connection longer than the timeout', async () => {
    const database = await open(url, { poolSize: 1, timeoutMs: 1000 });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const meet = meetingOf(2);
    const holder = database.transaction(async ({ read }) => {
      await read('SELECT 1');
      await Promise.all([meet(), released]);
    });
    await meet();
    // The connection is not released before the error.
    expect(await errorOf(database.read('SELECT 1'))).toMatchObject({
      reason: 'UNAVAILABLE',
      fault: 'overload',
    });
    release();
    await holder;
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('does not fail the writes that wait for their turn because a read has waited too long', async () => {
    const database = await openItems({ poolSize: 1, timeoutMs: 1000 });
    const held = Promise.withResolvers<void>();
    const meet = meetingOf(2);
    const holder = hold(database, () => Promise.all([meet(), held.promise]));
    await meet();
    expect(await errorOf(database.read(LIST))).toMatchObject({ reason: 'UNAVAILABLE' });
    const write = database.write(ADD, ['a', 1]);
    // The pool notices the timeout of the read slightly later.
    await delay(100);
    held.resolve();
    await Promise.all([holder, write]);
    expect(await database.read(LIST)).toEqual([{ id: 'a', at: 1 }]);
  });

  test.each([
    ['a statement', (database: Database) => database.read('SELECT 1 / 0')],
    ['a transaction', (database: Database) => database.transaction((each) => each.read('SELECT 1 / 0'))],
    [
      'a query in a transaction',
      (database: Database) => database.transaction(() => Promise.reject(new Error('mine'))),
    ],
  ])('uses the connection again after %s has failed', async (_, fail) => {
    const database = await open(url, { poolSize: 1 });
    const pid = await pidOf(database);
    for (let time = 1; time <= 3; time += 1) {
      expect(await errorOf(fail(database))).not.toBeInstanceOf(DatabaseError);
      expect(await pidOf(database)).toBe(pid);
    }
  });

  test('replaces idle connections that the server has closed', async () => {
    const database = await open(url, { poolSize: 2 });
    const administrator = await connect();
    const pids = await Promise.all([pidOf(database), pidOf(database)]);
    await administrator.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
    await expect.poll(() => connectionCount(administrator), POLL).toBe(0);
    // The server has closed all connections, but the client may not know it yet.
    const pid = await vi.waitFor(() => pidOf(database), POLL);
    expect(pids).not.toContain(pid);
  });

  test('completes running statements when it is closed, and then has no connection', async () => {
    const database = await open(url, { poolSize: 3 });
    const administrator = await connect();
    await Promise.all([pidOf(database), pidOf(database), pidOf(database)]);
    await administrator.query('SELECT pg_advisory_lock(1)');
    const running = database.read("SELECT pg_advisory_lock(1)::text AS lock, 'done' AS work");
    await expect.poll(() => connectionCount(administrator, "wait_event_type = 'Lock'"), POLL).toBe(1);
    const closed = database.close();
    await administrator.query('SELECT pg_advisory_unlock(1)');
    await closed;
    expect(await running).toEqual([{ lock: '', work: 'done' }]);
    await expect.poll(() => connectionCount(administrator), POLL).toBe(0);
    await expect(database.read('SELECT 1')).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  });

  async function connectionCount(administrator: Client, condition = 'true'): Promise<number> {
    const { rows } = await administrator.query(
      `SELECT pid FROM pg_stat_activity
      WHERE application_name = 'paw-gateway' AND datname = current_database() AND ${condition}`,
    );
    return rows.length;
  }
});

describe('a transaction', () => {
  test('that fails is rolled back, and its connection is used again', async () => {
    const database = await openItems({ poolSize: 1 });
    const mine = new Error('mine');
    const failed = database.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      throw mine;
    });
    expect(await errorOf(failed)).toBe(mine);
    const refused = database.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      await transaction.write(ADD, ['a', 1]);
    });
    expect(await errorOf(refused)).toMatchObject({ code: '23505' });
    expect(await database.read(LIST)).toEqual([]);
    await database.transaction((transaction) => transaction.write(ADD, ['b', 1]));
    expect(await database.read(LIST)).toEqual([{ id: 'b', at: 1 }]);
  });

  test('is invisible to others before its commit', async () => {
    const database = await openItems();
    await database.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      expect(await database.read(LIST)).toEqual([]);
    });
    expect(await database.read(LIST)).toEqual([{ id: 'a', at: 1 }]);
  });

  test('in a deadlock is tried again, and both transactions are committed', async () => {
    await (await connect()).query(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET deadlock_timeout = '50ms'`,
    );
    const database = await openItems();
    for (const id of ['a', 'b']) await database.write(ADD, [id, 0]);
    const meet = meetingOf(2);
    const bump = async (first: string, second: string) => {
      let attempts = 0;
      await database.transaction(async (transaction) => {
        attempts += 1;
        await transaction.write(BUMP, [first]);
        if (attempts === 1) await meet();
        await transaction.write(BUMP, [second]);
      });
      return attempts;
    };
    const attempts = await Promise.all([bump('a', 'b'), bump('b', 'a')]);
    // The server chooses which transaction to abort, and how often.
    expect(Math.max(...attempts)).toBeGreaterThan(1);
    expect(await database.read(LIST)).toEqual([
      { id: 'a', at: 2 },
      { id: 'b', at: 2 },
    ]);
  });

  test('that cannot be serialized is tried again, and both transactions are committed', async () => {
    const database = await openItems();
    await database.write(ADD, ['a', 0]);
    let attempts = 0;
    await database.transaction(async (transaction) => {
      attempts += 1;
      await transaction.write('SET TRANSACTION ISOLATION LEVEL SERIALIZABLE');
      const [row] = await transaction.read<{ at: number }>('SELECT at FROM item WHERE id = $1', ['a']);
      if (attempts === 1) await database.write(BUMP, ['a']);
      await transaction.write('UPDATE item SET at = $2 WHERE id = $1', ['a', (row?.at ?? Number.NaN) + 1]);
    });
    expect(attempts).toBe(2);
    expect(await database.read(LIST)).toEqual([{ id: 'a', at: 2 }]);
  });

  test('with a conflict at each attempt fails with UNAVAILABLE and is rolled back', async () => {
    const database = await openItems({ timeoutMs: 1000 });
    let attempts = 0;
    const always = database.transaction(async (transaction) => {
      attempts += 1;
      await transaction.write(ADD, ['a', attempts]);
      await transaction.write("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$");
    });
    expect(await errorOf(always)).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '40001' } });
    expect(attempts).toBeGreaterThan(1);
    expect(await database.read(LIST)).toEqual([]);
  });

  test('whose connection ends between two statements fails with UNAVAILABLE and is rolled back', async () => {
    const database = await openItems({ poolSize: 1 });
    const administrator = await connect();
    const cut = database.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      const pid = await pidOf(transaction);
      await administrator.query('SELECT pg_terminate_backend($1)', [pid]);
      const alive = 'SELECT pid FROM pg_stat_activity WHERE pid = $1';
      await expect.poll(async () => (await administrator.query(alive, [pid])).rows, POLL).toEqual([]);
      await transaction.write(ADD, ['b', 1]);
    });
    expect(await errorOf(cut)).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await database.read(LIST)).toEqual([]);
  });
});

describe('the statements of one request', () => {
  const ABANDONED = 'abandoned';

  /** A request that has a second left of a minute. */
  const lateRequest = () => ({ startMs: performance.now() - 59_000, isGone: false });

  const sleepTwice = async ({ read }: Queryable) => {
    for (const _ of ['first', 'second']) await read('SELECT pg_sleep(0.7)');
  };

  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['a read', (database) => database.read('SELECT pg_sleep(60)')],
    ['a write', (database) => database.write('DO $$ BEGIN PERFORM pg_sleep(60); END $$')],
    ['a transaction', (database) => database.transaction(sleepTwice)],
  ])('share their timeout: %s is cancelled on the server', async (_, work) => {
    const database = await open(url, { poolSize: 1, timeoutMs: 60_000 });
    const error = await errorOf(work(database.during(lateRequest())));
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '57014' } });
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('are not begun after the timeout, and nothing of their transaction is committed', async () => {
    const timeoutMs = 60_000;
    const database = await openItems({ poolSize: 1, timeoutMs });
    const late = lateRequest();
    const request = database.during(late);
    const failed = request.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      await expect.poll(() => errorOf(request.read(LIST)), POLL).toMatchObject({ reason: 'UNAVAILABLE' });
      // Timers can end a moment too early.
      await expect.poll(() => performance.now() - late.startMs, POLL).toBeGreaterThan(timeoutMs);
    });
    expect(await errorOf(failed)).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await errorOf(request.write(ADD, ['b', 1]))).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await database.read(LIST)).toEqual([]);
  });

  test('share their timeout with the wait for a connection, in a batch with reads that have more time', async () => {
    const database = await open(url, { poolSize: 1, timeoutMs: 60_000 });
    const held = Promise.withResolvers<void>();
    const meet = meetingOf(2);
    const holder = hold(database, () => Promise.all([meet(), held.promise]));
    await meet();
    const others = database.read('SELECT 1 AS one');
    expect(await errorOf(database.during(lateRequest()).read('SELECT 2 AS two'))).toMatchObject({
      reason: 'UNAVAILABLE',
    });
    held.resolve();
    await holder;
    expect(await others).toEqual([{ one: 1 }]);
  });

  test('are dropped if the client goes before they have begun', async () => {
    const database = await openItems({ poolSize: 1 });
    const request = { startMs: performance.now(), isGone: false };
    const { read, write, transaction } = database.during(request);
    const held = Promise.withResolvers<void>();
    const meet = meetingOf(2);
    const holder = hold(database, () => Promise.all([meet(), held.promise]));
    await meet();
    const dropped = [write(ADD, ['a', 1]), transaction((each) => each.write(ADD, ['b', 1])), read(LIST)].map(
      (work) =>
        work.then(
          () => 'done',
          () => ABANDONED,
        ),
    );
    request.isGone = true;
    held.resolve();
    await holder;
    expect(await Promise.all(dropped)).toEqual([ABANDONED, ABANDONED, ABANDONED]);
    expect(await database.read(LIST)).toEqual([]);
  });
});

describe('an unreachable server', () => {
  test.each([
    ['at an unknown host name', (target: URL) => Object.assign(target, { hostname: 'database.invalid' })],
    ['at a port without a listener', (target: URL) => Object.assign(target, { port: '1' })],
    ['with an unknown database', (target: URL) => Object.assign(target, { pathname: 'nowhere' })],
    ['with a wrong password', (target: URL) => target],
  ])('%s is UNAVAILABLE, and the error does not contain the password', async (_, change) => {
    const target = new URL(url);
    const password = randomBytes(12).toString('hex');
    target.password = password;
    const database = await open(change(target).href);
    for (const attempt of [
      () => database.read('SELECT 1'),
      () => database.transaction((each) => each.read('SELECT 1')),
    ]) {
      const error = await errorOf(attempt());
      expect(error).toBeInstanceOf(DatabaseError);
      expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: expect.any(Error) });
      expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
    }
  });
});

test('a transaction of a request that loses a conflict is refused, and not committed without its statements', async () => {
  const options = '-c default_transaction_isolation=serializable';
  const database = await open(withParameters(url, { options }));
  await database.write('CREATE TABLE slot (id INTEGER)');
  const [first, second] = [new RequestTransaction(database), new RequestTransaction(database)];
  for (const [index, { database: transaction }] of [first, second].entries()) {
    await transaction.write('INSERT INTO slot (id) VALUES ($1)', [index]);
    await transaction.read('SELECT COUNT(*) AS slots FROM slot');
  }
  await first.commit();
  await expect(second.commit()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  expect(await database.read('SELECT id FROM slot')).toEqual([{ id: 0 }]);
});

describe('a server that encrypts', () => {
  const certificate = fileURLToPath(new URL('tls/server.crt', import.meta.url));
  const key = fileURLToPath(new URL('tls/server.key', import.meta.url));

  let server: PostgresServer;

  beforeAll(async () => {
    server = await startPostgres('listen_addresses=localhost,127.0.0.2');
    const administrator = new Client({ connectionString: server.urlOf('postgres') });
    await administrator.connect();
    const { rows } = await administrator.query('SHOW data_directory');
    const folder: string = rows[0].data_directory;
    const { uid, gid } = statSync(folder);
    for (const file of [certificate, key]) {
      const copy = join(folder, file === key ? 'server.key' : 'server.crt');
      // The server refuses a key file that other users can read.
      writeFileSync(copy, readFileSync(file), { mode: 0o600 });
      chownSync(copy, uid, gid);
    }
    await administrator.query('ALTER SYSTEM SET ssl = on');
    await administrator.query('SELECT pg_reload_conf()');
    await vi.waitFor(async () => {
      expect((await administrator.query('SHOW ssl')).rows).toEqual([{ ssl: 'on' }]);
    }, POLL);
    await administrator.end();
    return server.stop;
  }, SERVER_START_MS);

  async function isEncrypted(host: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const target = new URL(withParameters(server.urlOf('postgres'), parameters));
    target.hostname = host;
    const database = await open(target.href);
    const [row] = await database.read('SELECT ssl::int AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return row?.['ssl'] === 1;
  }

  test.each(['localhost', '127.0.0.1'])(
    'is used without encryption at %s with sslmode=disable',
    async (host) => {
      expect(await isEncrypted(host, { sslmode: 'disable' })).toBe(false);
    },
  );

  test('is accepted with any certificate with sslmode=require', async () => {
    expect(await isEncrypted('localhost', { sslmode: 'require' })).toBe(true);
  });

  test.each(['localhost', '127.0.0.1'])(
    'is verified at %s by the certificate of sslrootcert with sslmode=verify-full',
    async (host) => {
      expect(await isEncrypted(host, { sslmode: 'verify-full', sslrootcert: certificate })).toBe(true);
    },
  );

  test('is refused with sslmode=verify-full and a self-signed certificate', async () => {
    const error = await errorOf(isEncrypted('localhost', { sslmode: 'verify-full' }));
    expect(error).toBeInstanceOf(DatabaseError);
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' } });
  });

  test('is refused with sslmode=verify-full if its host name is not in its certificate', async () => {
    const parameters = { sslmode: 'verify-full', sslrootcert: certificate };
    const error = await errorOf(isEncrypted('127.0.0.2', parameters));
    expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  test('is refused with sslmode=require if it does not encrypt', async () => {
    const database = await open(withParameters(url, { sslmode: 'require' }));
    expect(await errorOf(database.read('SELECT 1'))).toMatchObject({ reason: 'UNAVAILABLE' });
  });
});

describe('concurrent reads', () => {
  test('have their own results, and one that fails has no effect on the others', async () => {
    const database = await openItems({ poolSize: 2 });
    for (let times = 0; times < 5; times += 1) {
      const reads = Array.from({ length: 60 }, (_, n) =>
        n % 3 === 0 ? database.read('SELECT nothing FROM item') : database.read('SELECT $1::int AS n', [n]),
      );
      const outcomes = await Promise.allSettled(reads);
      for (const [n, outcome] of outcomes.entries()) {
        if (n % 3 === 0) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '42703' } });
        else expect(outcome).toEqual({ status: 'fulfilled', value: [{ n }] });
      }
    }
    expect(await database.read(LIST)).toEqual([]);
  });

  test('are sent together on one connection', async () => {
    const database = await open(url, { poolSize: 10 });
    const pids = await Promise.all(
      Array.from({ length: 16 }, () => database.read<{ pid: number }>('SELECT pg_backend_pid() AS pid')),
    );
    expect(new Set(pids.flat().map(({ pid }) => pid)).size).toBe(1);
  });

  test('are all UNAVAILABLE if their connection ends, and later ones use another', async () => {
    const database = await open(url, { poolSize: 1 });
    const [{ pid } = { pid: 0 }] = await database.read<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const other = await connect();
    const reads = Array.from({ length: 5 }, () => errorOf(database.read('SELECT pg_sleep(60)')));
    const active = "SELECT count(*)::int AS n FROM pg_stat_activity WHERE pid = $1 AND state = 'active'";
    await expect.poll(async () => (await other.query(active, [pid])).rows[0].n, POLL).toBe(1);
    await other.query('SELECT pg_terminate_backend($1)', [pid]);
    for (const error of await Promise.all(reads)) expect(error).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});
