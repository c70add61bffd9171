import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { bothApis, send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';

// Creating a cluster takes long on a busy machine.
const SERVER_START_MS = 60_000;

const POLL = { timeout: 30_000, interval: 20 };

let primary: PostgresServer;
let standby: PostgresServer;

beforeAll(async () => {
  primary = await startPostgres();
  standby = await primary.startStandby();
  return async () => {
    await primary.stop();
    await standby.stop();
  };
}, SERVER_START_MS);

/** Returns the URL of several ports of this machine. */
function urlOf(ports: readonly number[], query: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  const { username, password } = new URL(primary.urlOf('postgres'));
  return `postgres://${username}:${password}@${hosts}/postgres?${query}`;
}

async function open(
  ports: readonly number[],
  query: string,
  timeoutMs = 5000,
  poolSize = 1,
): Promise<Database> {
  const database = await openDatabase(urlOf(ports, query), { postgres: { poolSize, timeoutMs } });
  onTestFinished(() => database.close());
  return database;
}

async function portOf(database: Database): Promise<unknown> {
  const [row] = await database.read('SELECT inet_server_port() AS port');
  return row?.['port'];
}

describe.each([
  ['the primary first', () => [primary, standby] as const],
  ['the standby first', () => [standby, primary] as const],
])('two hosts, %s', (_, order) => {
  const ports = () => order().map(({ port }) => port);

  test.each([
    ['any', () => order()[0]],
    ['read-write', () => primary],
  ])('target_session_attrs=%s selects the session', async (attributes, expected) => {
    const database = await open(ports(), `target_session_attrs=${attributes}`);
    expect(await portOf(database)).toBe(expected().port);
  });
});

test('a session that cannot write is UNAVAILABLE, and the error names each host', async () => {
  const closed = await freePort();
  const database = await open([standby.port, closed], 'target_session_attrs=read-write');
  await expect(database.read('SELECT 1')).rejects.toMatchObject({
    reason: 'UNAVAILABLE',
    cause: {
      message: expect.stringMatching(
        new RegExp(`^127.0.0.1:${standby.port}: .+ not read-write.; 127.0.0.1:${closed}: .+ECONNREFUSED`),
      ),
    },
  });
});

test('a host that does not answer leaves time for the others', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const database = await open([port, standby.port, primary.port], 'target_session_attrs=read-write', 3000);
  expect(await portOf(database)).toBe(primary.port);
});

describe('a commit that waits for a synchronous standby', () => {
  beforeAll(async () => {
    await requireStandby("'nobody'");
    return () => requireStandby("''");
  });

  async function requireStandby(name: string): Promise<void> {
    const administrator = await openDatabase(primary.urlOf('postgres'));
    await administrator.write(`ALTER SYSTEM SET synchronous_standby_names = ${name}`);
    await administrator.read('SELECT pg_reload_conf()');
    await administrator.close();
  }

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'is RESULT_UNKNOWN if %s ends the wait, for a statement and for a transaction',
    async (end) => {
      const database = await open([primary.port], '');
      const administrator = await open([primary.port], '');
      const create = `CREATE TABLE ${end}_item (id INTEGER)`;
      for (const change of [
        () => database.write(create),
        () => database.transaction((transaction) => transaction.write(`INSERT INTO ${end}_item VALUES (1)`)),
      ]) {
        const outcome = change().catch((error: unknown) => error);
        const waiting = `SELECT ${end}(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'`;
        await expect.poll(() => administrator.read(waiting), POLL).toHaveLength(1);
        expect(await outcome).toMatchObject({ reason: 'RESULT_UNKNOWN' });
      }
      expect(await database.read(`SELECT id FROM ${end}_item`)).toEqual([{ id: 1 }]);
    },
  );
});

test('all sessions that a failover left read-only are replaced when one is found', async () => {
  const database = await open([primary.port], '', 5000, 3);
  const administrator = await open([primary.port], '');
  const readOnly = (value: string) =>
    administrator.write(`ALTER ROLE paw SET default_transaction_read_only = ${value}`);
  await administrator.write('CREATE TABLE item (id INTEGER)');
  await readOnly('on');
  const sessions = Array.from({ length: 3 }, () => database.write('SHOW transaction_read_only'));
  expect((await Promise.all(sessions)).flat()).toEqual(Array(3).fill({ transaction_read_only: 'on' }));
  await administrator.write('SET default_transaction_read_only = off');
  await readOnly('off');
  await expect(database.write('INSERT INTO item VALUES (1)')).rejects.toMatchObject({
    reason: 'UNAVAILABLE',
  });
  for (let times = 0; times < 3; times += 1) {
    await Promise.all(Array.from({ length: 3 }, () => database.write('INSERT INTO item VALUES (1)')));
  }
  expect(await database.read('SELECT count(*) AS items FROM item')).toEqual([{ items: 9 }]);
});

describe('a gateway on two hosts', () => {
  let gateway: Gateway;
  let token: string;
  let wallet: string;

  beforeAll(async () => {
    const url = urlOf([primary.port, standby.port], 'target_session_attrs=read-write');
    gateway = await startGateway({ DATABASE_URL: url });
    const tenant = await seedTenant(gateway, { wallets: 1 });
    token = tenant.token;
    wallet = tenant.wallets[0] ?? '';
    return gateway.stop;
  });

  const apis = bothApis(() => gateway.url);

  /** Waits until updates succeed by both APIs, and are made on a server. */
  async function updatesSucceedOn(server: PostgresServer, round: string): Promise<void> {
    for (const api of apis) {
      const title = `${round} by ${api.name}`;
      await expect
        .poll(async () => (await api.updateWallet(token, wallet, { title })).value?.title, POLL)
        .toBe(title);
      const direct = await openDatabase(server.urlOf('postgres'));
      expect(await direct.read('SELECT title FROM wallet')).toEqual([{ title }]);
      await direct.close();
    }
  }

  async function promote(server: PostgresServer): Promise<void> {
    const direct = await openDatabase(server.urlOf('postgres'));
    await direct.read('SELECT pg_promote()');
    await direct.close();
  }

  test('uses the new primary after a failover, and leaves the old one when it returns as a standby', async () => {
    await updatesSucceedOn(primary, 'Before');
    await primary.pause();
    for (const api of apis) {
      expect((await api.updateWallet(token, wallet, { title: 'Lost' })).error?.status).toBe('UNAVAILABLE');
    }
    await expect.poll(async () => (await send(`${gateway.url}/readyz`, 'GET')).status, POLL).toBe(503);
    await promote(standby);
    await updatesSucceedOn(standby, 'Promoted');
    await expect.poll(async () => (await send(`${gateway.url}/readyz`, 'GET')).status, POLL).toBe(200);

    primary.follow(standby);
    await primary.restart();
    await updatesSucceedOn(standby, 'Returned');
    // A planned change back.
    await expect.poll(() => replicas(standby), POLL).toBe(1);
    await standby.pause();
    await promote(primary);
    await updatesSucceedOn(primary, 'Back');
  });

  async function replicas(server: PostgresServer): Promise<number> {
    const direct = await openDatabase(server.urlOf('postgres'));
    const rows = await direct.read('SELECT pid FROM pg_stat_replication');
    await direct.close();
    return rows.length;
  }
});
