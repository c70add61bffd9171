// @module-tag needs/prometheus
// @module-tag night/deploy

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type Api, restApi, send } from '../support/both-apis.ts';
import { onDatabase } from '../support/engine.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, type Tenant, testFolder, testGateway } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { createApp, keyOf, withOtherSecret } from '../support/requests.ts';
import { lockRow } from '../support/rows.ts';
import { startBeforeAll } from '../support/start-before-all.ts';

const RULES = fileURLToPath(new URL('../../deploy/alerts.yml', import.meta.url));

// The event loop is that of the tests, and the clock of a test stands still.
const OF_THE_TEST = /^(?:nodejs|process)_|^paw_clock/;

let postgres: PostgresServer;

let databases = 0;

startBeforeAll(async (opening) => {
  postgres = await startPostgres();
  opening.defer(postgres.stop);
});

async function newDatabase(): Promise<string> {
  databases += 1;
  const name = `paw_${databases}`;
  await onDatabase(postgres.urlOf('postgres'), ({ write }) => write(`CREATE DATABASE ${name}`));
  return postgres.urlOf(name);
}

type Provoke = (api: Api, tenant: Tenant, gateway: Gateway) => Promise<unknown>;

const repeat = <T>(count: number, work: (n: number) => Promise<T>) =>
  Promise.all(Array.from({ length: count }, (_, n) => work(n)));

const update = (api: Api, { token, wallets: [wallet = ''] }: Tenant) =>
  api.updateWallet(token, wallet, { title: 'Late' });

/** Sets the standbys of PostgreSQL one of which has to confirm each commit. */
const requireStandby = (names: string) =>
  onDatabase(postgres.urlOf('postgres'), async ({ read }) => {
    await read(`ALTER SYSTEM SET synchronous_standby_names = ${names}`);
    await read('SELECT pg_reload_conf()');
  });

/** Updates a wallet whose row another session has locked. */
const updateLocked =
  (count: number): Provoke =>
  (api, tenant, { databaseUrl }) =>
    onDatabase(databaseUrl, (database) =>
      database.transaction(async (transaction) => {
        await lockRow(transaction, tenant.wallets[0] ?? '');
        await repeat(count, () => update(api, tenant));
      }),
    );

/** What goes wrong on an engine, and all alerts that fire if it goes on. */
const FAULTS: readonly {
  readonly name: string;
  readonly engine: 'sqlite' | 'postgres';
  readonly settings?: Readonly<Record<string, string>>;
  readonly addresses?: number;
  readonly provoke: Provoke;
  readonly alerts: readonly string[];
}[] = [
  { name: 'nothing', engine: 'sqlite', provoke: async () => {}, alerts: [] },
  { name: 'nothing', engine: 'postgres', provoke: async () => {}, alerts: [] },
  {
    name: 'a row that is locked',
    engine: 'postgres',
    provoke: updateLocked(30),
    alerts: ['PawLockTimeouts'],
  },
  {
    name: 'a table that is locked',
    engine: 'postgres',
    provoke: (api, tenant, { databaseUrl }) =>
      onDatabase(databaseUrl, (database) =>
        database.transaction(async ({ write }) => {
          await write('LOCK TABLE wallet IN EXCLUSIVE MODE');
          await repeat(30, () => update(api, tenant));
        }),
      ),
    alerts: ['PawLockTimeouts'],
  },
  {
    name: 'another process that writes',
    engine: 'sqlite',
    async provoke(api, tenant, { databaseUrl }) {
      const writer = new DatabaseSync(databaseUrl.replace(/^sqlite:/, ''));
      writer.exec('BEGIN IMMEDIATE');
      await repeat(10, () => update(api, tenant));
      writer.close();
    },
    alerts: ['PawLockTimeouts'],
  },
  {
    name: 'a pool that is used up',
    engine: 'postgres',
    // The time of a request ends before a lock is given up, and all others wait for the connection.
    settings: { PAW_POSTGRES_POOL: '1', PAW_REQUEST_TIMEOUT: '1s' },
    provoke: updateLocked(40),
    alerts: ['PawErrors', 'PawPoolTimeouts', 'PawPoolWaits', 'PawSlow', 'PawSlowDatabase'],
  },
  {
    name: 'a synchronous standby that is lost',
    engine: 'postgres',
    settings: { PAW_REQUEST_TIMEOUT: '1s' },
    async provoke(api, tenant) {
      await requireStandby("'lost'");
      // One change at a time has a connection of its own.
      for (let n = 0; n < 5; n += 1) await update(api, tenant);
      await requireStandby("''");
    },
    alerts: ['PawErrors', 'PawSlow', 'PawSlowDatabase', 'PawStandbyLost'],
  },
  {
    name: 'a database that accepts no connections',
    engine: 'postgres',
    async provoke(api, { token }, { databaseUrl, url }) {
      const name = new URL(databaseUrl).pathname.slice(1);
      await onDatabase(postgres.urlOf('postgres'), async ({ write, read }) => {
        await write(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`);
        await read('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name]);
      });
      await repeat(20, () => api.listProjects(token));
      await send(`${url}/readyz`, 'GET');
    },
    alerts: ['PawErrors', 'PawNotReady'],
  },
  {
    name: 'more requests than it works on',
    engine: 'sqlite',
    settings: { PAW_MAX_REQUESTS: '1' },
    provoke: (api, { token }) => repeat(50, () => api.listProjects(token)),
    alerts: ['PawOverloaded'],
  },
  {
    name: 'keys that are guessed',
    engine: 'sqlite',
    async provoke(api, { token }) {
      const { name, privateKey } = keyOf(await createApp(api, token));
      await repeat(70, () => api.signIn(token, { name, privateKey: withOtherSecret(privateKey) }));
    },
    alerts: ['PawFailedSignIns'],
  },
  {
    name: 'few addresses',
    engine: 'sqlite',
    // They are counted at the first reading.
    addresses: 99,
    provoke: async () => {},
    alerts: ['PawFewAddresses'],
  },
];

/** Returns the samples of a text of metrics by their series, and the names of the gauges. */
function parseMetrics(text: string) {
  const samples = new Map<string, number>();
  for (const [, series = '', value] of text.matchAll(/^(\w+(?:\{.*\})?) (\S+)$/gm)) {
    if (!OF_THE_TEST.test(series)) samples.set(series, Number(value));
  }
  return { samples, gauges: new Set([...text.matchAll(/^# TYPE (\w+) gauge$/gm)].map(([, name]) => name)) };
}

/** Tests which alerts fire if what has happened between two texts of metrics happens in each minute of half an hour. */
function testAlerts(before: string, after: string, alerts: readonly string[]) {
  const old = parseMetrics(before).samples;
  const { samples, gauges } = parseMetrics(after);
  const series = [...samples].map(([name, value]) => {
    const [, metric, labels] = /^(\w+)(?:\{(.*)\})?$/.exec(name) ?? [];
    const start = old.get(name) ?? 0;
    return {
      series: `${metric}{${labels === undefined ? '' : `${labels}, `}job="paw-gateway", instance="one"}`,
      values: gauges.has(metric) ? `${value}x30` : `${start}+${value - start}x30`,
    };
  });
  const file = join(testFolder(), 'alerts.yml');
  const firing = {
    expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
    eval_time: '25m',
    exp_samples: alerts.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
  };
  const tests = [{ interval: '1m', input_series: series, promql_expr_test: [firing] }];
  writeFileSync(file, stringify({ rule_files: [RULES], evaluation_interval: '1m', tests }));
  const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], { encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

test.each(FAULTS)('of all alerts, only those about its cause fire: $name on $engine', async (fault) => {
  const { engine, settings, addresses, provoke, alerts } = fault;
  const port = await freePort();
  const gateway = await testGateway({
    PAW_METRICS_PORT: String(port),
    PAW_REQUEST_TIMEOUT: '5s',
    ...(engine === 'postgres' && { DATABASE_URL: await newDatabase() }),
    ...settings,
  });
  const tenant = await seedTenant(gateway, { wallets: 1, ...(addresses && { addresses }) });
  const api = restApi(() => gateway.url);
  const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  // Opens the connections.
  await repeat(20, () => api.listProjects(tenant.token));
  const before = await read();
  await provoke(api, tenant, gateway);
  for (let n = 0; n < 15; n += 1) await repeat(20, () => api.listProjects(tenant.token));
  const after = await read();
  expect(testAlerts(before, after, alerts)).toEqual({
    status: 0,
    output: expect.stringContaining('SUCCESS'),
  });
});
