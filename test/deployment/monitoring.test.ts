// @module-tag needs/prometheus
// @module-tag night/deploy

import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { bothApis, postGraphql, send } from '../support/both-apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, startGateway, testFolder } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { createApp, keyOf, withOtherSecret } from '../support/requests.ts';
import { startBeforeAll } from '../support/start-before-all.ts';

const DEPLOY = fileURLToPath(new URL('../../deploy/', import.meta.url));

const RULE_TESTS = fileURLToPath(new URL('alerts.test.yml', import.meta.url));

// Metrics of the gateway, as opposed to functions and labels of PromQL. `up` is of Prometheus itself.
const METRIC = /\b(?:http_server|db_client|paw|process|nodejs)_\w+\b/g;

type Rule = { readonly alert: string; readonly expr: string };

const shipped = (file: string) => readFileSync(join(DEPLOY, file), 'utf8');
const alerts: { groups: readonly { rules: readonly Rule[] }[] } = parse(shipped('alerts.yml'));
const rules = alerts.groups.flatMap((group) => group.rules);
const dashboard: { panels: readonly { targets: readonly Pick<Rule, 'expr'>[] }[] } = JSON.parse(
  shipped('grafana-dashboard.json'),
);
const panelQueries = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));

/** A gateway on each engine, and its metrics after requests of all kinds. */
const instances: { gateway: Gateway; metricsPort: number; text: string }[] = [];

startBeforeAll(async (opening) => {
  const postgres = await startPostgres();
  opening.defer(postgres.stop);
  for (const settings of [{}, { DATABASE_URL: postgres.urlOf('postgres') }]) {
    const metricsPort = await freePort();
    const gateway = await startGateway({ PAW_METRICS_PORT: String(metricsPort), ...settings });
    opening.defer(gateway.stop);
    await sendRequests(gateway);
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    instances.push({ gateway, metricsPort, text });
  }
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
  const output = expect.stringContaining(`${rules.length} rules found`);
  expect(promtool(['check', 'config', 'prometheus.yml'])).toEqual({ status: 0, output });
});

test('the alerts fire when they should, each of them tested by promtool', () => {
  expect(promtool(['test', 'rules', RULE_TESTS])).toMatchObject({ status: 0 });
  const tests = readFileSync(RULE_TESTS, 'utf8');
  const tested = new Set([...tests.matchAll(/alertname="(\w+)"/g)].map(([, name]) => name));
  expect([...tested].toSorted()).toEqual(rules.map(({ alert }) => alert).toSorted());
});

test('every alert is about the job of the configuration alone', () => {
  const { job_name } = parse(shipped('prometheus.yml')).scrape_configs[0];
  const selected = (expr: string) => expr.match(new RegExp(`\\w+(?=\\{job="${job_name}")`, 'g')) ?? [];
  for (const { expr } of rules) expect(selected(expr)).toEqual(expr.match(METRIC) ?? ['up']);
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

test('every query of the dashboard is valid', () => {
  expect(panelQueries.length).toBeGreaterThan(20);
  // Grafana replaces its variables.
  const rules = panelQueries.map((expr, n) => ({
    record: `panel:${n}`,
    expr: expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'),
  }));
  const file = join(testFolder(), 'rules.yml');
  writeFileSync(file, stringify({ groups: [{ name: 'dashboard', rules }] }));
  const output = expect.stringContaining(`${rules.length} rules found`);
  expect(promtool(['check', 'rules', file])).toEqual({ status: 0, output });
});
