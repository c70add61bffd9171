import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { parse, stringify } from 'yaml';
import { createApp, keyOf, withOtherSecret } from '../support/actors.ts';
import { bothApis, postGraphql, send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';
import { type Running, startProgram } from '../support/paw.ts';
import { startPostgres } from '../support/postgres-server.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

const RULE_TESTS = fileURLToPath(new URL('alerts.test.yml', import.meta.url));

const POLL = { timeout: 60_000 };

// Metrics of the gateway, as opposed to functions and labels of PromQL. `up` is of Prometheus itself.
const METRIC = /\b(?:http_server|db_client|paw|process|nodejs)_\w+\b/g;

type Rule = { readonly alert: string; readonly expr: string };

type Panel = { readonly targets: readonly { readonly expr: string }[] };

const shipped = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const rules: readonly Rule[] = parse(shipped('alerts.yml')).groups.flatMap(
  ({ rules: ofGroup }: { rules: readonly Rule[] }) => ofGroup,
);
const dashboard: { readonly panels: readonly Panel[] } = JSON.parse(shipped('grafana-dashboard.json'));
const panelQueries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** A gateway on each engine, and its metrics after requests of all kinds. */
const instances: { gateway: Gateway; metricsPort: number; text: string }[] = [];

beforeAll(async () => {
  const postgres = await startPostgres();
  for (const settings of [{}, { DATABASE_URL: postgres.urlOf('postgres') }]) {
    const metricsPort = await freePort();
    const gateway = await startGateway({ PAW_METRICS_PORT: String(metricsPort), ...settings });
    await sendRequests(gateway);
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    instances.push({ gateway, metricsPort, text });
  }
  return async () => {
    for (const { gateway } of instances) await gateway.stop();
    await postgres.stop();
  };
});

async function sendRequests(gateway: Gateway): Promise<void> {
  const { url } = gateway;
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  for (const api of bothApis(() => url)) {
    await api.listProjects(token);
    await api.listProjects(token, { first: 0 });
    await api.listProjects(withOtherSecret(token));
    await api.updateWallet(token, wallets[0] ?? '', { password: 'p'.repeat(32) });
    const app = keyOf(await createApp(api, token));
    await api.signIn(token, app);
    await api.signIn(token, { ...app, privateKey: withOtherSecret(app.privateKey) });
  }
  await postGraphql(url, token, 'query Named { __typename }');
  await send(`${url}/nothing`, 'GET');
  await send(`${url}/readyz`, 'GET');
}

/** Runs promtool. */
function promtool(words: readonly string[], input = '') {
  const { status, stdout, stderr } = spawnSync('promtool', words, { input, encoding: 'utf8', cwd: DEPLOY });
  return { status, output: stdout + stderr };
}

test('promtool reports nothing about the metrics on either engine', () => {
  expect(instances.map(({ text }) => text)).toEqual([
    expect.stringContaining('paw_sqlite_sync'),
    expect.stringContaining('paw_postgres_wait'),
  ]);
  for (const { text } of instances) {
    expect(promtool(['check', 'metrics'], text)).toEqual({ status: 0, output: '' });
  }
});

test('promtool accepts the configuration and its alerts', () => {
  const { status, output } = promtool(['check', 'config', 'prometheus.yml']);
  expect({ status, output }).toEqual({
    status: 0,
    output: expect.stringContaining(`${rules.length} rules found`),
  });
});

test('the alerts fire when they should, each of them tested by promtool', () => {
  const { status, output } = promtool(['test', 'rules', RULE_TESTS]);
  expect({ status, output }).toMatchObject({ status: 0 });
  const tests = readFileSync(RULE_TESTS, 'utf8');
  const tested = new Set([...tests.matchAll(/alertname: (\w+)/g)].map(([, name]) => name));
  expect([...tested].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

test('the alerts and the dashboard name metrics that the gateway has', () => {
  const measured = new Set(
    instances.flatMap(({ text }) => [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)),
  );
  const named = [...rules.map(({ expr }) => expr), ...panelQueries].flatMap(
    (expr) => expr.match(METRIC) ?? [],
  );
  expect(named.length).toBeGreaterThan(30);
  const isMeasured = (name: string) =>
    measured.has(name) || measured.has(name.replace(/_(bucket|count|sum)$/, ''));
  expect(named.filter((name) => !isMeasured(name))).toEqual([]);
});

describe('Prometheus', () => {
  let url: string;
  let folder: string;
  let running: Running | undefined;

  const query = async (expr: string): Promise<readonly { value: [number, string] }[]> => {
    const response = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`);
    const { data, ...rest } = JSON.parse(await response.text());
    expect(rest).toEqual({ status: 'success' });
    return data.result;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'paw-test-prometheus-'));
    const config = parse(shipped('prometheus.yml'));
    config.global = { scrape_interval: '1s', evaluation_interval: '1s' };
    const targets = instances.map(({ metricsPort }) => `127.0.0.1:${metricsPort}`);
    expect(config.scrape_configs[0].static_configs[0].targets).toHaveLength(targets.length);
    config.scrape_configs[0].static_configs = [{ targets }];
    writeFileSync(join(folder, 'prometheus.yml'), stringify(config));
    writeFileSync(join(folder, 'alerts.yml'), shipped('alerts.yml'));
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    running = startProgram(
      'prometheus',
      [
        '--config.file=prometheus.yml',
        `--storage.tsdb.path=${folder}/data`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { PATH: process.env['PATH'] ?? '' },
      folder,
    );
    const isReady = async () => expect((await fetch(`${url}/-/ready`)).status).toBe(200);
    await vi.waitFor(isReady, POLL);
  });

  afterAll(async () => {
    await running?.stop('SIGTERM');
    rmSync(folder, { recursive: true });
  });

  test('scrapes both instances', async () => {
    await expect.poll(() => query('up == 1'), POLL).toHaveLength(2);
    expect(await query('paw_build_info')).toHaveLength(2);
    const signIns = await query('sum by (instance) (paw_sign_ins_total{outcome="OK"})');
    expect(signIns.map(({ value }) => value[1])).toEqual(['2', '2']);
  });

  test('accepts every query of the dashboard', async () => {
    expect(panelQueries.length).toBeGreaterThan(20);
    // Grafana replaces its variables.
    for (const expr of panelQueries) {
      await query(expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'));
    }
  });
});
