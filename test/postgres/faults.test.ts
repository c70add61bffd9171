import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { Changes } from '../support/acknowledged-changes.ts';
import { type Api, bothApis, type Outcome, postGraphql, send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, migrateDatabase, seedTenant, type Tenant, testGateway } from '../support/gateway.ts';
import { pawProcess, startServerProcess } from '../support/paw.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { startProxy } from '../support/proxy.ts';

// Creating a cluster takes long on a busy machine.
const SERVER_START_MS = 60_000;

const ANY_OUTAGE = expect.stringMatching(/^(UNAVAILABLE|RESULT_UNKNOWN)$/);

// What a server sends when it ends a session: the type, the length and the fields of an error.
// Source: PostgreSQL, section 54.7.
const SHUTDOWN = 'E\0\0\0\x22SFATAL\0C57P01\0Mshutting down\0\0';

let server: PostgresServer;
let databaseUrl: string;
let database: string;
/** The test's own connection, without a transaction. */
let administrator: Client;
/** The URL of the gateway of the test. */
let url: string;

const APIS = bothApis(() => url);

beforeAll(async () => {
  server = await startPostgres();
  return server.stop;
}, SERVER_START_MS);

beforeEach(async () => {
  database = `paw_${randomUUID().replaceAll('-', '')}`;
  administrator = await connect(server.urlOf('postgres'));
  await administrator.query(`CREATE DATABASE ${database}`);
  databaseUrl = server.urlOf(database);
});

async function connect(target: string): Promise<Client> {
  const client = new Client({ connectionString: target, application_name: 'test' });
  // Some tests stop the server while it is connected.
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** Starts a gateway on the database of the test. */
async function serve(settings: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const gateway = await testGateway({ DATABASE_URL: databaseUrl, ...settings });
  url = gateway.url;
  return gateway;
}

/** Returns the rows of a statement on the test's own connection. */
async function look(sql: string, params: readonly unknown[] = []): Promise<readonly unknown[]> {
  const client = await connect(databaseUrl);
  const { rows } = await client.query(sql, [...params]);
  await client.end();
  return rows;
}

/** Runs a statement in the test's own transaction, which keeps its locks until it is released. */
async function hold(sql: string, params: readonly unknown[] = []) {
  const client = await connect(databaseUrl);
  await client.query('BEGIN');
  await client.query(sql, [...params]);
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const waiting = async (): Promise<readonly number[]> => {
    const blocked = await administrator.query(
      'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
      [rows[0].pid],
    );
    return blocked.rows.map(({ pid }) => pid);
  };
  return {
    /** Waits until other connections wait for the locks, and returns their processes. */
    async waited(count = 1): Promise<readonly number[]> {
      await expect.poll(waiting).toHaveLength(count);
      return waiting();
    },
    release: () => client.query('ROLLBACK'),
  };
}

async function terminate(pids: readonly number[]): Promise<void> {
  await administrator.query('SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [pids]);
  const alive = 'SELECT pid FROM pg_stat_activity WHERE pid = ANY ($1)';
  await expect.poll(async () => (await administrator.query(alive, [pids])).rows).toEqual([]);
}

/** Terminates all connections of the program to the test's database. */
async function terminateAll(): Promise<void> {
  const all = "SELECT pid FROM pg_stat_activity WHERE application_name = 'paw-gateway' AND datname = $1";
  const { rows } = await administrator.query(all, [database]);
  await terminate(rows.map(({ pid }) => pid));
}

async function readiness(): Promise<number> {
  return (await send(`${url}/readyz`, 'GET')).status;
}

/** Checks that an operation failed with UNAVAILABLE. */
function expectUnavailable(
  api: Api,
  { value, error, response }: Outcome<unknown>,
  reason: unknown = 'UNAVAILABLE',
): void {
  expect(value).toBeUndefined();
  expect(error).toMatchObject({ status: 'UNAVAILABLE', reason, fields: [] });
  // The status of an operation that GraphQL has begun to execute is always 200.
  if (api.name === 'GraphQL' && response.status === 200) return;
  expect(response.status).toBe(503);
  expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
}

function expectGood<T>({ value, error }: Outcome<T>): T {
  expect(error).toBeUndefined();
  return value ?? expect.unreachable();
}

test.each(APIS)(
  'a connection that is terminated while $name signs in leaves no token, and the next sign-in succeeds',
  async (api) => {
    const tenant = await seedTenant(await serve());
    const { name, privateKey } = expectGood(
      await api.createApp(tenant.token, { title: 'App', active: true }),
    );
    const before = await look('SELECT id FROM token ORDER BY id');
    const held = await hold('LOCK TABLE token IN EXCLUSIVE MODE');
    const signIn = api.signIn(tenant.token, { name, privateKey });
    await terminate(await held.waited());
    expectUnavailable(api, await signIn);
    await held.release();
    expect(await look('SELECT id FROM token ORDER BY id')).toEqual(before);

    const { accessToken } = expectGood(await api.signIn(tenant.token, { name, privateKey }));
    expect(expectGood(await api.listProjects(accessToken)).projects).toHaveLength(1);
  },
);

describe('a connection that is lost while a change is committed', () => {
  let cut: (text: string, message?: string) => void;
  let tenant: Tenant;

  beforeEach(async () => {
    const proxy = await startProxy(server.port);
    onTestFinished(proxy.stop);
    cut = proxy.cutAfter;
    await migrateDatabase(databaseUrl);
    const target = Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href;
    tenant = await seedTenant(await serve({ DATABASE_URL: target, PAW_POSTGRES_POOL: '1' }), { wallets: 1 });
  });

  test.each(APIS)('by $name, is RESULT_UNKNOWN for an update and for a sign-in', async (api) => {
    const [wallet = ''] = tenant.wallets;
    cut('UPDATE wallet');
    expectUnavailable(
      api,
      await api.updateWallet(tenant.token, wallet, { title: 'Renamed' }),
      'RESULT_UNKNOWN',
    );
    expect(await look('SELECT title FROM wallet')).toEqual([{ title: 'Renamed' }]);

    const app = expectGood(await api.createApp(tenant.token, { title: 'App', active: true }));
    cut('INSERT INTO token');
    const { name, privateKey } = app;
    const signIn = await api.signIn(tenant.token, { name, privateKey });
    expectUnavailable(api, signIn, 'RESULT_UNKNOWN');
    expect(signIn.error?.message).toContain('may have been made');
    expect(await look('SELECT count(*)::int AS tokens FROM token')).toEqual([{ tokens: 2 }]);
  });

  /** Renames the wallet in a transaction. */
  async function rename() {
    const path = `${url}/wallet/${tenant.wallets[0]}`;
    const headers = { 'idempotency-key': 'rename' };
    const response = await send(path, 'PATCH', tenant.token, { title: 'Renamed' }, headers);
    const { title, error } = JSON.parse(response.text);
    const isReplayed = response.headers.get('idempotency-replayed') === 'true';
    return { title, reason: error?.details[0].reason, isReplayed };
  }

  test('with an Idempotency-Key, a repeated request has the first response', async () => {
    cut('COMMIT');
    expect(await rename()).toMatchObject({ reason: 'RESULT_UNKNOWN' });
    expect(await rename()).toMatchObject({ title: 'Renamed', isReplayed: true });
  });

  test('because the server ends the session, is RESULT_UNKNOWN', async () => {
    cut('COMMIT', SHUTDOWN);
    expect(await rename()).toMatchObject({ reason: 'RESULT_UNKNOWN' });
    expect(await look('SELECT title FROM wallet')).toEqual([{ title: 'Renamed' }]);
  });

  test('before the commit, has changed nothing', async () => {
    cut('UPDATE wallet');
    expect(await rename()).toMatchObject({ reason: 'UNAVAILABLE' });
    expect(await look('SELECT title FROM wallet')).toEqual([{ title: 'Wallet 1' }]);
  });
});

test('a change that is followed by a read which fails is RESULT_UNKNOWN, unless it is undone', async () => {
  const { token } = await seedTenant(await serve());
  const [api] = APIS;
  const app = expectGood(
    await (api ?? expect.unreachable()).createApp(token, { title: 'First', active: true }),
  );
  const held = await hold('LOCK TABLE project');
  const rename = async (title: string, headers = {}) => {
    const document = `mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { project { title } } } }`;
    const { text } = await postGraphql(url, token, document, { input: { name: app.name, title } }, headers);
    return JSON.parse(text).errors.map(
      ({ extensions }: { extensions: { reason: string } }) => extensions.reason,
    );
  };
  const titles = () => look('SELECT title FROM app');
  expect([await rename('Second'), await titles()]).toEqual([['RESULT_UNKNOWN'], [{ title: 'Second' }]]);
  const undone = await rename('Third', { 'idempotency-key': 'third' });
  expect([undone, await titles()]).toEqual([['UNAVAILABLE'], [{ title: 'Second' }]]);
  await held.release();
});

describe('a server that does not respond any more, without closing its connections,', () => {
  let freeze: (on?: boolean) => void;
  let target: string;

  beforeEach(async () => {
    const proxy = await startProxy(server.port);
    onTestFinished(proxy.stop);
    freeze = proxy.freeze;
    await migrateDatabase(databaseUrl);
    target = Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href;
  });

  test('fails each request when its time is over, and is used again afterwards', async () => {
    const gateway = await serve({ DATABASE_URL: target, PAW_REQUEST_TIMEOUT: '1s' });
    const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
    const [wallet = ''] = wallets;
    const [api] = APIS;
    const { name, privateKey } = expectGood(
      await (api ?? expect.unreachable()).createApp(token, { title: 'App', active: true }),
    );
    freeze();
    await Promise.all(
      APIS.flatMap((each) => [
        each.listProjects(token).then((outcome) => expectUnavailable(each, outcome)),
        each
          .updateWallet(token, wallet, { title: 'Lost' })
          .then((outcome) => expectUnavailable(each, outcome)),
        each.signIn(token, { name, privateKey }).then((outcome) => expectUnavailable(each, outcome)),
      ]),
    );
    freeze(false);
    for (const each of APIS) {
      await expect
        .poll(async () => (await each.updateWallet(token, wallet, { title: each.name })).value?.title)
        .toBe(each.name);
    }
  });

  test('fails a statement of a transaction, of a request and of a command', async () => {
    const database = await openDatabase(target, { postgres: { poolSize: 4, timeoutMs: 1000 } });
    onTestFinished(database.close);
    const meet = Promise.withResolvers<void>();
    const transactions = [database.during({ startMs: performance.now() }), database].map((each, n) =>
      each.transaction(async ({ read }) => {
        // Transactions that begin with one statement on one row would have a quarter of the pool.
        await read('SELECT $1::text', [`${n}`]);
        await meet.promise;
        await read('SELECT 1');
      }),
    );
    await expect
      .poll(() => look("SELECT 1 FROM pg_stat_activity WHERE state = 'idle in transaction'"))
      .toHaveLength(2);
    freeze();
    meet.resolve();
    for (const outcome of await Promise.allSettled(transactions)) {
      expect(outcome).toMatchObject({ reason: { reason: 'UNAVAILABLE' } });
    }
    freeze(false);
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('does not keep the program from ending', async () => {
    const program = await startServerProcess({ DATABASE_URL: target, PAW_REQUEST_TIMEOUT: '1s' });
    expect((await send(`${program.url}/readyz`, 'GET')).status).toBe(200);
    freeze();
    expect(await program.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  });
});

test('a gateway whose machine is lost during a request with an Idempotency-Key leaves no row locked', async () => {
  const proxy = await startProxy(server.port);
  onTestFinished(proxy.stop);
  await migrateDatabase(databaseUrl);
  const { token, wallets } = await seedTenant(await serve(), { wallets: 2 });
  const [api] = APIS;
  const lost = await testGateway({
    DATABASE_URL: Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href,
    PAW_REQUEST_TIMEOUT: '2s',
  });
  const [first = '', second = ''] = wallets;
  const held = await hold('SELECT id FROM wallet WHERE id = $1 FOR UPDATE', [
    second.slice('wallets/'.length),
  ]);
  const rename = (name: string, of: string) =>
    `${name}: updateWallet(input: { name: "${of}", title: "Lost" }) { wallet { name } }`;
  const document = `mutation { ${rename('a', first)} ${rename('b', second)} }`;
  const keyed = postGraphql(lost.url, token, document, {}, { 'idempotency-key': 'lost' });
  await held.waited();
  proxy.freeze();
  await held.release();
  await keyed;
  // The server has not heard from its client since.
  const update = async () => (await api?.updateWallet(token, first, { title: 'Free' }))?.value?.title;
  await expect.poll(update).toBe('Free');
});

test('a database that becomes read-only is still read, and no restart is needed when it is writable again', async () => {
  const { token, wallets, projects } = await seedTenant(await serve(), { projects: 2, wallets: 1 });
  const [wallet = ''] = wallets;
  const [creator] = APIS;
  const { name, privateKey } = expectGood(
    await (creator ?? expect.unreachable()).createApp(token, { title: 'App', active: true }),
  );
  const state = `SELECT (SELECT title FROM wallet) AS title, (SELECT count(*)::int FROM app) AS apps,
    (SELECT count(*)::int FROM token) AS tokens`;
  const before = await look(state);
  expect(await readiness()).toBe(200);

  await administrator.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await terminateAll();
  for (const api of APIS) {
    expectUnavailable(api, await api.updateWallet(token, wallet, { title: 'Renamed' }));
    expectUnavailable(api, await api.createApp(token, { title: 'Another', active: true }));
    expectUnavailable(api, await api.signIn(token, { name, privateKey }));
    const listed = expectGood(await api.listProjects(token)).projects;
    expect(listed.map((project) => project.name)).toEqual(projects);
    expect(expectGood(await api.updateWallet(token, wallet, {})).title).toBe('Wallet 1');
  }
  expect(await look(state)).toEqual(before);
  await expect.poll(readiness).toBe(503);

  await administrator.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
  await expect.poll(readiness).toBe(200);
  for (const api of APIS) {
    // Each connection that was opened earlier may fail once.
    await expect
      .poll(async () => (await api.updateWallet(token, wallet, { title: api.name })).value?.title)
      .toBe(api.name);
  }
});

test('a server that is unreachable at the start ends the program with status 1 and one line without the password', async () => {
  const port = await freePort();
  const result = await pawProcess(['serve'], {
    DATABASE_URL: `postgres://paw:hidden@127.0.0.1:${port}/paw`,
    PORT: '0',
  });
  expect(result).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^paw: The database is unavailable: .+\n$/),
  });
  expect(result.stderr).not.toContain('hidden');
});

test('a server that crashes under load loses no acknowledged update, and is used again without a restart', async () => {
  const { token, wallets } = await seedTenant(await serve(), { wallets: 8 });
  const changes = new Changes(token, wallets);
  const loaded = Promise.withResolvers<void>();

  async function writeUntilItFails(api: Api): Promise<void> {
    for (let status = 'ok'; status === 'ok'; ) {
      status = await changes.updateWallet(url, api.name);
      if (status !== 'ok') expect(status).toEqual(ANY_OUTAGE);
      if (changes.updates >= 24) loaded.resolve();
    }
  }

  const writers = wallets.map((_, n) => writeUntilItFails(APIS[n % 2] ?? expect.unreachable()));
  await Promise.all([...writers, loaded.promise.then(server.crash)]);
  for (const api of APIS) {
    expectUnavailable(api, await api.listProjects(token));
    expectUnavailable(api, await api.createApp(token, { title: 'App', active: true }));
  }
  expect(await readiness()).toBe(503);
  expect((await send(`${url}/healthz`, 'GET')).status).toBe(200);

  await server.restart();
  await expect.poll(readiness).toBe(200);
  expect(await changes.countLost(url)).toBe(0);
}, 60_000);
