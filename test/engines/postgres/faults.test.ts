import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ERRORS } from '../../../src/model/errors.ts';
import type { Database } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import {
  type Api,
  bothApis,
  mutationDocument,
  type Outcome,
  postGraphql,
  readiness,
  send,
} from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { freePort } from '../../support/free-port.ts';
import {
  type Gateway,
  migrateDatabase,
  seedTenant,
  type Tenant,
  testGateway,
} from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { startProxy } from '../../support/proxy.ts';
import { createApp, keyOf, resultOf, signIn } from '../../support/requests.ts';
import { contentsOf, lockRow, rowOf, rowsOf } from '../../support/rows.ts';
import { startServerProcess } from '../../support/run-command.ts';

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
});

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

/** Starts a proxy to the server, and returns it with the URL of the test's database through it. */
async function viaProxy() {
  const proxy = await startProxy(server.port);
  onTestFinished(proxy.stop);
  await migrateDatabase(databaseUrl);
  return { proxy, target: Object.assign(new URL(databaseUrl), { port: String(proxy.port) }).href };
}

/** Returns the title of a wallet or an app, on a connection of its own. */
const titleOf = (name: string) => onDatabase(databaseUrl, async (own) => (await rowOf(own, name))['title']);

const tokenIds = () =>
  onDatabase(databaseUrl, async (own) => (await rowsOf(own, 'token')).map(({ id }) => id));

/** Takes locks in the test's own transaction, which keeps them until it is released. */
async function hold(lock: (transaction: Pick<Database, 'write'>) => Promise<unknown>) {
  const client = await connect(databaseUrl);
  await client.query('BEGIN');
  await lock({ write: async (sql, params = []) => (await client.query(sql, [...params])).rows });
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const waiting = async (): Promise<readonly number[]> => {
    const blocked = await administrator.query(
      'SELECT pid FROM pg_stat_activity WHERE $1 = ANY (pg_blocking_pids(pid))',
      [rows[0].pid],
    );
    return blocked.rows.map(({ pid }) => pid);
  };
  return {
    /**
     * Sends a request that waits for the locks until it fails. Repeats it until its connection, and no other, is seen to
     * wait, and returns the process of the connection, and the outcome.
     */
    async waitedFor<T>(send: () => Promise<T>) {
      for (;;) {
        let isOver = false;
        const outcome = send().finally(() => {
          isOver = true;
        });
        while (!isOver) {
          const pids = await waiting();
          if (pids.length === 1) return { pids, outcome };
        }
      }
    },
    release: () => client.query('ROLLBACK'),
  };
}

/** Terminates connections of the program to the test's database, by default all. */
async function terminate(pids?: readonly number[]): Promise<void> {
  const sql = `SELECT pg_terminate_backend(pid, 30000) FROM pg_stat_activity
    WHERE application_name = 'paw-gateway' AND datname = $1 AND ($2::int[] IS NULL OR pid = ANY ($2))`;
  await administrator.query(sql, [database, pids]);
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

/** Waits until an update of a wallet succeeds by each API. */
async function updatesSucceed(token: string, wallet: string): Promise<void> {
  for (const api of APIS) {
    const update = async () => (await api.updateWallet(token, wallet, { title: api.name })).value?.title;
    await expect.poll(update).toBe(api.name);
  }
}

test.each(APIS)(
  'a connection that is terminated while $name signs in leaves no token, and the next sign-in succeeds',
  async (api) => {
    const { token } = await seedTenant(await serve());
    const app = keyOf(await createApp(api, token));
    const before = await tokenIds();
    const held = await hold(({ write }) => write('LOCK TABLE token IN EXCLUSIVE MODE'));
    const { pids, outcome } = await held.waitedFor(() => api.signIn(token, app));
    await terminate(pids);
    expectUnavailable(api, await outcome);
    await held.release();
    expect(await tokenIds()).toEqual(before);
    const { accessToken } = await signIn(api, token, app);
    expect((await resultOf(api.listProjects(accessToken))).projects).toHaveLength(1);
  },
);

test('a wait for a lock ends long before the timeout of the request, and also behind another request', async () => {
  const port = await freePort();
  const gateway = await serve({ PAW_METRICS_PORT: String(port) });
  const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
  const held = await hold((transaction) => lockRow(transaction, wallet));
  const refused = async (api: Api) =>
    expectUnavailable(api, await api.updateWallet(token, wallet, { title: 'Late' }));
  await Promise.all([...APIS, ...APIS, ...APIS].map(refused));
  // Some waited for the others: one row can have a quarter of the connections. The pool had connections for them.
  expect(await readMetric(port, 'paw_postgres_wait_timeouts_total')).toEqual({ '': 0 });
  await held.release();
});

describe('a connection that is lost while a change is committed', () => {
  let cut: (text: string, message?: string) => void;
  let tenant: Tenant;
  let wallet: string;

  beforeEach(async () => {
    const { proxy, target } = await viaProxy();
    cut = proxy.cutAfter;
    tenant = await seedTenant(await serve({ DATABASE_URL: target, PAW_POSTGRES_POOL: '1' }), { wallets: 1 });
    [wallet = ''] = tenant.wallets;
  });

  test.each(APIS)('by $name, is RESULT_UNKNOWN for an update and for a sign-in', async (api) => {
    cut('UPDATE wallet');
    const updated = await api.updateWallet(tenant.token, wallet, { title: 'Renamed' });
    expectUnavailable(api, updated, 'RESULT_UNKNOWN');
    expect(await titleOf(wallet)).toBe('Renamed');

    const app = keyOf(await createApp(api, tenant.token));
    cut('INSERT INTO token');
    const signedIn = await api.signIn(tenant.token, app);
    expectUnavailable(api, signedIn, 'RESULT_UNKNOWN');
    expect(signedIn.error?.message).toBe(ERRORS.RESULT_UNKNOWN[1]);
    expect(await tokenIds()).toHaveLength(2);
  });

  /** Renames the wallet in a transaction. */
  async function rename() {
    const headers = { 'idempotency-key': 'rename' };
    const response = await send(
      `${url}/wallet/${wallet}`,
      'PATCH',
      tenant.token,
      { title: 'Renamed' },
      headers,
    );
    const { title, error } = JSON.parse(response.text);
    const isReplayed = response.headers.get('idempotency-replayed') === 'true';
    return { title, reason: error?.details[0].reason, isReplayed };
  }

  test.each([
    ['a COMMIT', 'COMMIT', '', 'RESULT_UNKNOWN', 'Renamed'],
    ['a COMMIT whose session the server ends', 'COMMIT', SHUTDOWN, 'RESULT_UNKNOWN', 'Renamed'],
    ['a statement before the COMMIT', 'UPDATE wallet', '', 'UNAVAILABLE', 'Wallet 1'],
  ])('in %s with an Idempotency-Key, can be repeated', async (_, sent, message, reason, title) => {
    cut(sent, message);
    expect(await rename()).toMatchObject({ reason });
    expect(await titleOf(wallet)).toBe(title);
    expect(await rename()).toMatchObject({ title: 'Renamed', isReplayed: title === 'Renamed' });
  });
});

test('a change that is followed by a read which fails is RESULT_UNKNOWN, unless it is undone', async () => {
  const { token } = await seedTenant(await serve());
  const { name } = await createApp(APIS[0], token);
  const held = await hold(({ write }) => write('LOCK TABLE project'));
  const document = mutationDocument('updateApp', 'app { project { title } }');
  const rename = async (title: string, headers = {}) => {
    const { text } = await postGraphql(url, token, document, { input: { name, title } }, headers);
    return [JSON.parse(text).errors[0].extensions.reason, await titleOf(name)];
  };
  expect(await rename('Second')).toEqual(['RESULT_UNKNOWN', 'Second']);
  expect(await rename('Third', { 'idempotency-key': 'third' })).toEqual(['UNAVAILABLE', 'Second']);
  await held.release();
});

describe('a server that does not respond any more, without closing its connections,', () => {
  let freeze: (on?: boolean) => void;
  let target: string;

  beforeEach(async () => {
    const via = await viaProxy();
    ({ freeze } = via.proxy);
    ({ target } = via);
  });

  test('fails each request when its time is over, and is used again afterwards', async () => {
    const gateway = await serve({ DATABASE_URL: target, PAW_REQUEST_TIMEOUT: '3s' });
    const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
    const app = keyOf(await createApp(APIS[0], token));
    freeze();
    await Promise.all(
      APIS.flatMap((api) =>
        [
          api.listProjects(token),
          api.updateWallet(token, wallet, { title: 'Lost' }),
          api.signIn(token, app),
        ].map(async (outcome) => expectUnavailable(api, await outcome)),
      ),
    );
    freeze(false);
    await updatesSucceed(token, wallet);
  });

  test('fails a statement of a transaction, of a request and of a command', async () => {
    const database = await openDatabase(target, { postgres: { poolSize: 4, timeoutMs: 3000 } });
    onTestFinished(database.close);
    const meet = Promise.withResolvers<void>();
    const transactions = [database.forRequest({ startMs: performance.now() }), database].map((each, n) =>
      each.transaction(async ({ read }) => {
        // Transactions that begin with one statement on one row would have a quarter of the pool.
        await read('SELECT $1::text', [`${n}`]);
        await meet.promise;
        await read('SELECT 1');
      }),
    );
    const idle = "SELECT pid FROM pg_stat_activity WHERE state = 'idle in transaction'";
    await expect.poll(async () => (await administrator.query(idle)).rows).toHaveLength(2);
    freeze();
    meet.resolve();
    for (const outcome of await Promise.allSettled(transactions)) {
      expect(outcome).toMatchObject({ reason: { reason: 'UNAVAILABLE' } });
    }
    freeze(false);
    expect(await database.read('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('does not keep the program from ending', async () => {
    const program = await startServerProcess({ DATABASE_URL: target, PAW_REQUEST_TIMEOUT: '3s' });
    expect(await readiness(program.url)).toBe(200);
    freeze();
    expect(await program.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  });
});

test('a gateway whose machine is lost during a request with an Idempotency-Key leaves no row locked', async () => {
  const { proxy, target } = await viaProxy();
  const { token, wallets } = await seedTenant(await serve(), { wallets: 2 });
  const lost = await testGateway({ DATABASE_URL: target, PAW_REQUEST_TIMEOUT: '3s' });
  const [first = '', second = ''] = wallets;
  const held = await hold((transaction) => lockRow(transaction, second));
  const rename = (name: string, of: string) =>
    `${name}: updateWallet(input: { name: "${of}", title: "Lost" }) { wallet { name } }`;
  const document = `mutation { ${rename('a', first)} ${rename('b', second)} }`;
  const { outcome } = await held.waitedFor(() =>
    postGraphql(lost.url, token, document, {}, { 'idempotency-key': 'lost' }),
  );
  proxy.freeze();
  await held.release();
  await outcome;
  // The server has not heard from its client since.
  await updatesSucceed(token, first);
});

test('a database that becomes read-only is still read, and no restart is needed when it is writable again', async () => {
  const gateway = await serve();
  const { token, wallet, projects } = await seedTenant(gateway, { projects: 2, wallets: 1 });
  const app = keyOf(await createApp(APIS[0], token));
  const contents = () => onDatabase(databaseUrl, (own) => contentsOf(own, gateway.clock()));
  const before = await contents();
  expect(await readiness(url)).toBe(200);

  await administrator.query(`ALTER DATABASE ${database} SET default_transaction_read_only = on`);
  await terminate();
  for (const api of APIS) {
    expectUnavailable(api, await api.updateWallet(token, wallet, { title: 'Renamed' }));
    expectUnavailable(api, await api.createApp(token, { title: 'Another', active: true }));
    expectUnavailable(api, await api.signIn(token, app));
    const listed = (await resultOf(api.listProjects(token))).projects;
    expect(listed.map((project) => project.name)).toEqual(projects);
    expect((await resultOf(api.updateWallet(token, wallet, {}))).title).toBe('Wallet 1');
  }
  expect(await contents()).toEqual(before);
  await expect.poll(() => readiness(url)).toBe(503);

  await administrator.query(`ALTER DATABASE ${database} RESET default_transaction_read_only`);
  await expect.poll(() => readiness(url)).toBe(200);
  // Each connection that was opened earlier may fail once.
  await updatesSucceed(token, wallet);
});
