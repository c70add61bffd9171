import { randomBytes } from 'node:crypto';
import { chownSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import { Client, type PoolClient } from 'pg';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Database, Queryable } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { Session } from '../../../src/storage/postgres/connections/session.ts';
import { statementNames } from '../../../src/storage/postgres/connections/statements.ts';
import type { PostgresSettings } from '../../../src/storage/postgres/open-postgres.ts';
import { GatewayClient } from '../../support/engine.ts';
import { testDatabase } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const CREATE = 'CREATE TABLE item (id TEXT PRIMARY KEY, at BIGINT NOT NULL)';

const ADD = 'INSERT INTO item (id, at) VALUES ($1, $2)';

const LIST = 'SELECT id, at FROM item ORDER BY id';

const SETTINGS: PostgresSettings = { ...LONG_TIMEOUT.postgres, poolSize: 4 };

let url: string;

beforeEach(async () => {
  const made = await testDatabase();
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
  onTestFinished(database.close);
  return database;
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

describe.each([
  // Whether statements are prepared, and the timeouts of the session, and of a transaction.
  ['false', true, ['7s', '2s', '7s'], ['7s', '2s', '7s']],
  ['true', false, ['0', '0', '0'], ['0', '2s', '7s']],
  ['prepared', true, ['0', '0', '0'], ['0', '2s', '7s']],
] as const)('with pgbouncer=%s', (pgbouncer, isPrepared, session, transaction) => {
  const openSession = () =>
    open(withParameters(url, { pgbouncer }), { poolSize: 1, timeoutMs: 7000, lockTimeoutMs: 2000 });

  const timeoutsOf = async ({ read }: Queryable) => {
    const names = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'];
    return Promise.all(names.map(async (name) => (await read(`SHOW ${name}`))[0]?.[name]));
  };

  test('a statement is prepared once per connection, under a name that is the same on all', async () => {
    const prepared = [];
    for (const database of [await openSession(), await openSession()]) {
      const runs = await database.transaction(async ({ read }) => {
        for (const n of [1, 2, 3]) await read('SELECT $1::int AS n', [n]);
        return read(
          `SELECT name, generic_plans + custom_plans AS runs FROM pg_prepared_statements
           WHERE statement = 'SELECT $1::int AS n' AND name <> ''`,
        );
      });
      prepared.push(runs);
    }
    const name = statementNames()('SELECT $1::int AS n');
    expect(prepared).toEqual(Array(2).fill(isPrepared ? [{ name, runs: 3 }] : []));
  });

  test('the session and a transaction have the timeouts that the pooler allows', async () => {
    const database = await openSession();
    expect(await timeoutsOf(database)).toEqual(session);
    expect(await database.transaction(timeoutsOf)).toEqual(transaction);
    expect(await timeoutsOf(database)).toEqual(session);
  });
});

test('the server ends a session whose client was lost, unless the URL has other options', async () => {
  const settingsOf = async (address: string) => {
    const names = ['tcp_user_timeout', 'tcp_keepalives_idle', 'tcp_keepalives_interval'];
    const { read } = await open(address, { poolSize: 1, timeoutMs: 10_000 });
    return Promise.all(names.map(async (name) => (await read(`SHOW ${name}`))[0]?.[name]));
  };
  expect(await settingsOf(url)).toEqual(['10000', '2', '2']);
  const options = '-c tcp_keepalives_idle=7';
  expect(await settingsOf(withParameters(url, { options }))).toEqual(['10000', '7', '2']);
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['a write', (database) => database.write(ADD, ['a', 1])],
  ['a transaction', (database) => database.transaction(({ write }) => write(ADD, ['a', 1]))],
])(
  '%s behind a pooler that has lost or mixed up names is not executed, and is UNAVAILABLE',
  async (_, run) => {
    await openItems();
    const openPrepared = () => open(withParameters(url, { pgbouncer: 'prepared' }), { poolSize: 1 });
    const isRefused = async (database: Database, code: string) => {
      expect(await errorOf(run(database))).toMatchObject({ reason: 'UNAVAILABLE', cause: { code } });
      // On another connection.
      expect(await database.read(LIST)).toEqual([]);
    };
    const lost = await openPrepared();
    await run(lost);
    await lost.write('DELETE FROM item');
    await lost.write('DEALLOCATE ALL');
    await isRefused(lost, '26000');

    const taken = await openPrepared();
    await taken.write(`PREPARE ${statementNames()(ADD)} AS SELECT 1`);
    await isRefused(taken, '42P05');
  },
);

async function connect(): Promise<PoolClient> {
  const client = new GatewayClient({ connectionString: url, pipeline: true });
  await client.connect();
  onTestFinished(() => client.end());
  return client as PoolClient;
}

test('the first statement of a transaction is not executed if its BEGIN fails, nor the others before a COMMIT', async () => {
  const { read } = await openItems();
  const client = await connect();
  const begin = [{ sql: 'BEGIN', params: [] }];
  const fail = { sql: 'SELECT 1 / 0', params: [] };
  const settings = { timeoutMs: 5000, deadline: undefined, hasPooler: false, onRelease: () => {} };
  const sessionWith = (...statements: (typeof fail)[]) => {
    const statementName = statementNames();
    return new Session(client, { ...settings, statementName, begin: () => statements });
  };
  await expect(sessionWith(fail).begin(ADD, ['a', 1])).rejects.toMatchObject({ code: '22012' });
  expect(await read(LIST)).toEqual([]);

  const session = sessionWith(...begin);
  expect(await session.begin(`${ADD} RETURNING id`, ['a', 1])).toEqual([{ id: 'a' }]);
  await expect(session.commitTransaction([fail, { sql: ADD, params: ['b', 2] }])).rejects.toMatchObject({
    code: '22012',
  });
  await session.rollBack();
  expect(await read(LIST)).toEqual([]);

  // The names of what was skipped are prepared now.
  await session.begin(ADD, ['a', 1]);
  await session.commitTransaction([{ sql: ADD, params: ['b', 2] }]);
  expect(await read(LIST)).toEqual([
    { id: 'a', at: 1 },
    { id: 'b', at: 2 },
  ]);
});

test('a conflict at each attempt fails with UNAVAILABLE, and is rolled back', async () => {
  const database = await openItems();
  let attempts = 0;
  let nowMs = performance.now();
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => clock.mockRestore());
  const always = database.transaction(async (transaction) => {
    attempts += 1;
    // The time is over in the third attempt.
    if (attempts === 3) nowMs += LONG_TIMEOUT.postgres.timeoutMs;
    await transaction.write(ADD, ['a', attempts]);
    await transaction.write("DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = '40001'; END $$");
  });
  expect(await errorOf(always)).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '40001' } });
  expect(attempts).toBe(3);
  expect(await database.read(LIST)).toEqual([]);
});

/** A request that has a second left of a minute. */
const lateRequest = () => ({ startMs: performance.now() - 59_000 });

/** Stops the clock. Returns a function that lets the second pass. */
function stopClock(): () => void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  return () => vi.advanceTimersByTime(1000);
}

/** Waits until a statement of the database sleeps. */
async function isSleeping(other: Database): Promise<void> {
  const find = `SELECT count(*) AS sleeping FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'PgSleep'`;
  await expect.poll(() => other.read(find)).toEqual([{ sleeping: 1 }]);
}

describe('the statements of one request', () => {
  test.each<[string, (database: Database) => Promise<unknown>]>([
    ['a read', (database) => database.read('SELECT pg_sleep(3600)')],
    ['a write', (database) => database.write('DO $$ BEGIN PERFORM pg_sleep(3600); END $$')],
    [
      'a transaction',
      (database) =>
        database.transaction(async ({ read }) => {
          await read('SELECT 1');
          await read('SELECT pg_sleep(3600)');
        }),
    ],
  ])('share their timeout: %s is cancelled on the server, and its connection replaced', async (_, work) => {
    const other = await open(url);
    // The session has no timeouts. Only the client can end the statement.
    const database = await open(withParameters(url, { pgbouncer: 'true' }), { poolSize: 1 });
    const pid = () => database.read('SELECT pg_backend_pid() AS pid');
    const before = await pid();
    const passSecond = stopClock();
    const error = errorOf(work(database.forRequest(lateRequest())));
    await isSleeping(other);
    passSecond();
    expect(await error).toMatchObject({ reason: 'UNAVAILABLE', cause: { code: '57014' } });
    // A cancellation that comes late must not hit the next statement.
    expect(await pid()).not.toEqual(before);
  });

  test('are not begun after the timeout, and nothing of their transaction is committed', async () => {
    const database = await openItems({ poolSize: 1 });
    const passSecond = stopClock();
    const request = database.forRequest(lateRequest());
    const failed = request.transaction(async (transaction) => {
      await transaction.write(ADD, ['a', 1]);
      passSecond();
    });
    expect(await errorOf(failed)).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await errorOf(request.read(LIST))).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await errorOf(request.write(ADD, ['b', 1]))).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await database.read(LIST)).toEqual([]);
  });

  test('share their timeout with the wait for a connection, in a batch with reads that have more time', async () => {
    const database = await open(url, { poolSize: 1 });
    const others = await database.transaction(async (transaction) => {
      // It has the only connection.
      await transaction.read('SELECT 1');
      const others = database.read('SELECT 1 AS one');
      const late = database.forRequest(lateRequest()).read('SELECT 2 AS two');
      expect(await errorOf(late)).toMatchObject({ reason: 'UNAVAILABLE', outage: 'overload' });
      return [others];
    });
    expect(await others[0]).toEqual([{ one: 1 }]);
  });
});

test('a transaction whose connection ends before COMMIT is sent is UNAVAILABLE', async () => {
  const [database, other] = [await openItems({ poolSize: 1 }), await open(url)];
  const cut = database.transaction(async ({ read, write }) => {
    await write(ADD, ['a', 1]);
    const pids = (await read('SELECT pg_backend_pid() AS pid')).map(({ pid }) => pid ?? 0);
    await other.read('SELECT pg_terminate_backend($1)', pids);
    const alive = () => other.read('SELECT pid FROM pg_stat_activity WHERE pid = $1', pids);
    await expect.poll(alive).toEqual([]);
    // The end of the connection has arrived as well, and is read in this turn.
    await turn();
  });
  expect(await errorOf(cut)).toMatchObject({ reason: 'UNAVAILABLE' });
  expect(await database.read(LIST)).toEqual([]);
});

test('concurrent reads have their own results, and one that fails has no effect on the others', async () => {
  const database = await openItems({ poolSize: 2 });
  const reads = Array.from({ length: 60 }, (_, n) =>
    n % 3 === 0 ? database.read('SELECT nothing FROM item') : database.read('SELECT $1::int AS n', [n]),
  );
  for (const [n, outcome] of (await Promise.allSettled(reads)).entries()) {
    if (n % 3 === 0) expect(outcome).toMatchObject({ status: 'rejected', reason: { code: '42703' } });
    else expect(outcome).toEqual({ status: 'fulfilled', value: [{ n }] });
  }
});

test.each([
  ['at an unknown host name', { hostname: 'database.invalid' }],
  ['at a port without a listener', { port: '1' }],
  ['with an unknown database', { pathname: 'nowhere' }],
  ['with a wrong password', {}],
])('a server %s is UNAVAILABLE, and the error does not contain the password', async (_, change) => {
  const password = randomBytes(12).toString('hex');
  const database = await open(Object.assign(new URL(url), { password, ...change }).href);
  const error = await errorOf(database.read('SELECT 1'));
  expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: expect.any(Error) });
  expect(inspect(error, { depth: 10, showHidden: true })).not.toContain(password);
});

describe('a server that encrypts', () => {
  const certificate = fileURLToPath(new URL('tls/server.crt', import.meta.url));
  const key = fileURLToPath(new URL('tls/server.key', import.meta.url));

  let server: PostgresServer;

  startBeforeAll(async (opening) => {
    server = await startPostgres('listen_addresses=localhost,127.0.0.2');
    opening.defer(server.stop);
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
    const isOn = async () => (await administrator.query('SHOW ssl')).rows[0].ssl === 'on';
    await vi.waitUntil(isOn, { timeout: 30_000 });
    await administrator.end();
  });

  /** Returns whether a connection is encrypted, or the code of the error. */
  async function encryption(host: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const target = Object.assign(new URL(withParameters(server.urlOf('postgres'), parameters)), {
      hostname: host,
    });
    const database = await open(target.href);
    const find = 'SELECT ssl::int AS ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
    return database.read(find).then(
      ([row]) => row?.['ssl'] === 1,
      (error) => error.cause.code,
    );
  }

  test.each([
    ['localhost', { sslmode: 'disable' }, false],
    ['localhost', { sslmode: 'require' }, true],
    ['localhost', { sslmode: 'verify-full', sslrootcert: certificate }, true],
    ['127.0.0.1', { sslmode: 'verify-full', sslrootcert: certificate }, true],
    ['localhost', { sslmode: 'verify-full' }, 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    // The name is not in the certificate.
    ['127.0.0.2', { sslmode: 'verify-full', sslrootcert: certificate }, 'ERR_TLS_CERT_ALTNAME_INVALID'],
  ])('at %s, with %j: %s', async (host, parameters, expected) => {
    expect(await encryption(host, parameters)).toBe(expected);
  });

  test('is required by sslmode=require', async () => {
    const database = await open(withParameters(url, { sslmode: 'require' }));
    expect(await errorOf(database.read('SELECT 1'))).toMatchObject({ reason: 'UNAVAILABLE' });
  });

  test('takes the cancellation of a statement', async () => {
    const target = withParameters(server.urlOf('postgres'), { sslmode: 'require', pgbouncer: 'true' });
    const [database, other] = [await open(target), await open(server.urlOf('postgres'))];
    const passSecond = stopClock();
    const error = errorOf(database.forRequest(lateRequest()).read('SELECT pg_sleep(3600)'));
    await isSleeping(other);
    passSecond();
    expect(await error).toMatchObject({ cause: { code: '57014' } });
  });
});
