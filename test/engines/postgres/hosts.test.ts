import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database, Row } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { bothApis, readiness, send } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { type Gateway, seedTenant, startGateway } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { type PostgresServer, startPostgres } from '../../support/postgres-server.ts';
import { rowOf } from '../../support/rows.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

let primary: PostgresServer;
let standby: PostgresServer;

startBeforeAll(async (opening) => {
  primary = await startPostgres();
  opening.defer(primary.stop);
  standby = await primary.startStandby();
  opening.defer(standby.stop);
});

/** Returns the URL of several ports of this machine. */
function urlOf(ports: readonly number[], query: string): string {
  const hosts = ports.map((port) => `127.0.0.1:${port}`).join();
  const { username, password } = new URL(primary.urlOf('postgres'));
  return `postgres://${username}:${password}@${hosts}/postgres?${query}`;
}

async function open(ports: readonly number[], query: string): Promise<Database> {
  const database = await openDatabase(urlOf(ports, query), LONG_TIMEOUT);
  onTestFinished(() => database.close());
  return database;
}

/** Runs a statement on a server, and returns the rows. */
function lookAt(server: PostgresServer, sql: string): Promise<readonly Row[]> {
  return onDatabase(server.urlOf('postgres'), (database) => database.read(sql));
}

async function portOf(database: Database): Promise<unknown> {
  const [row] = await database.read('SELECT inet_server_port() AS port');
  return row?.['port'];
}

test('target_session_attrs=any takes the first of the hosts', async () => {
  for (const [first, second] of [
    [primary, standby],
    [standby, primary],
  ] as const) {
    const database = await open([first.port, second.port], 'target_session_attrs=any');
    expect(await portOf(database)).toBe(first.port);
  }
});

test('a session that cannot write is UNAVAILABLE, and the error names each host', async () => {
  // Nothing listens at this port.
  const database = await open([standby.port, 1], 'target_session_attrs=read-write');
  await expect(database.read('SELECT 1')).rejects.toMatchObject({
    reason: 'UNAVAILABLE',
    cause: {
      message: expect.stringMatching(
        new RegExp(`^127.0.0.1:${standby.port}: .+ not read-write.; 127.0.0.1:1: .+ECONNREFUSED`),
      ),
    },
  });
});

test('target_session_attrs=read-write finds the primary, also behind a host that does not answer', async () => {
  const silent = createServer(() => {}).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  onTestFinished(() => void silent.close());
  const { port } = silent.address() as AddressInfo;
  const database = await open(
    [port, standby.port, primary.port],
    'target_session_attrs=read-write&connect_timeout=2',
  );
  expect(await portOf(database)).toBe(primary.port);
});

describe('a commit that waits for a synchronous standby', () => {
  beforeAll(async () => {
    await requireStandby("'nobody'");
    return () => requireStandby("''");
  });

  async function requireStandby(name: string): Promise<void> {
    await lookAt(primary, `ALTER SYSTEM SET synchronous_standby_names = ${name}`);
    await lookAt(primary, 'SELECT pg_reload_conf()');
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
        await expect.poll(() => administrator.read(waiting)).toHaveLength(1);
        const outage = end === 'pg_cancel_backend' ? 'standby' : 'down';
        expect(await outcome).toMatchObject({ reason: 'RESULT_UNKNOWN', outage });
      }
      expect(await database.read(`SELECT id FROM ${end}_item`)).toEqual([{ id: 1 }]);
    },
  );
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
    wallet = tenant.wallet;
    return gateway.stop;
  });

  const apis = bothApis(() => gateway.url);

  /** Waits until updates succeed by both APIs, and are made on a server. */
  async function updatesSucceedOn(server: PostgresServer, round: string): Promise<void> {
    for (const api of apis) {
      const title = `${round} by ${api.name}`;
      await expect
        .poll(async () => (await api.updateWallet(token, wallet, { title })).value?.title)
        .toBe(title);
      const row = await onDatabase(server.urlOf('postgres'), (database) => rowOf(database, wallet));
      expect(row).toMatchObject({ title });
    }
  }

  const promote = (server: PostgresServer) => lookAt(server, 'SELECT pg_promote()');

  test('uses the new primary after a failover, and leaves the old one when it returns as a standby', async () => {
    await updatesSucceedOn(primary, 'Before');
    await primary.pause();
    for (const api of apis) {
      expect((await api.updateWallet(token, wallet, { title: 'Lost' })).error?.status).toBe('UNAVAILABLE');
    }
    await expect.poll(() => readiness(gateway.url)).toBe(503);
    expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
    await promote(standby);
    await updatesSucceedOn(standby, 'Promoted');
    await expect.poll(() => readiness(gateway.url)).toBe(200);

    primary.follow(standby);
    await primary.restart();
    await updatesSucceedOn(standby, 'Returned');
    // A planned change back.
    await expect.poll(() => lookAt(standby, 'SELECT pid FROM pg_stat_replication')).toHaveLength(1);
    await standby.pause();
    await promote(primary);
    await updatesSucceedOn(primary, 'Back');
  });
});
