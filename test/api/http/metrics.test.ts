import { beforeAll, expect, test } from 'vitest';
import { ERRORS } from '../../../src/model/errors.ts';
import { deleteAllAddresses } from '../../../src/operator/delete-addresses.ts';
import { setAccountSuspended } from '../../../src/operator/set-account-suspended.ts';
import { addAddresses } from '../../../src/operator/supply-addresses.ts';
import { bothApis, postGraphql, restApi, send } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import {
  addressLines,
  type Gateway,
  seedTenant,
  startGateway,
  type Tenant,
  testDatabase,
  testGateway,
} from '../../support/gateway.ts';
import { readMetric, type Samples } from '../../support/metrics.ts';
import {
  accountToken,
  createApp,
  credentialParts,
  mutate,
  projectTokenOf,
  tokenStatus,
} from '../../support/requests.ts';
import { rowsOf } from '../../support/rows.ts';

let gateway: Gateway;
let tenant: Tenant;
let port: number;

beforeAll(async () => {
  port = await freePort();
  gateway = await startGateway({ PAW_METRICS_PORT: String(port) });
  tenant = await seedTenant(gateway, { wallets: 1 });
  return gateway.stop;
});

const read = (name: string) => readMetric(port, name);

// Each operation by both APIs is counted in `test/api/permissions.test.ts`.

/** Expects an action to add to the samples of a metric. */
async function expectAdded(name: string, added: Samples, action: () => Promise<unknown>) {
  const before = await read(name);
  await action();
  const expected = Object.entries(added).map(([labels, count]) => [labels, (before[labels] ?? 0) + count]);
  // A request is counted when its response has been sent, which the client can see earlier.
  await expect.poll(() => read(name)).toEqual({ ...before, ...Object.fromEntries(expected) });
}

test('the errors have a series for each reason before the first of them', async () => {
  const port = await freePort();
  await testGateway({ PAW_METRICS_PORT: String(port) });
  const series = Object.keys(ERRORS).map((reason) => [`{reason="${reason}"}`, 0]);
  expect(await readMetric(port, 'paw_errors_total')).toEqual(Object.fromEntries(series));
});

test('an unknown path has no route', async () => {
  const labels = '{http_request_method="GET",http_route="",http_response_status_code="404"}';
  await expectAdded('http_server_request_duration_seconds_count', { [labels]: 2 }, async () => {
    await send(`${gateway.url}/one`, 'GET');
    await send(`${gateway.url}/two`, 'GET');
  });
});

test('GraphQL operations are measured by name, the first 100 that are repeated with a valid token', async () => {
  const metric = 'paw_graphql_operation_duration_seconds_count';
  const page = (name: string) => `query ${name} { projects { nodes { name } } }`;
  const change = (name: string) => `mutation ${name} { signOut(input: {}) { clientMutationId } }`;
  const ask = (document: string, token: string | undefined = tenant.token) =>
    postGraphql(gateway.url, token, document);
  // Requests without a token, and first ones.
  await expectAdded(metric, { '{operation="other"}': 4 }, async () => {
    for (let n = 0; n < 3; n += 1) await postGraphql(gateway.url, undefined, 'query Foreign { __typename }');
    await ask(page('Page'));
  });
  const { token } = await seedTenant(gateway);
  const added = { '{operation="Page"}': 2, '{operation="Change"}': 1, '{operation="other"}': 1 };
  await expectAdded(metric, added, async () => {
    // The second one of them is compiled.
    await ask(page('Page'));
    await ask(page('Page'));
    await ask(change('Change'), token);
    await ask(change('Change'), (await seedTenant(gateway)).token);
  });
  for (let n = 0; n < 100; n += 1) {
    await ask(page(`Page${n}`));
    await ask(page(`Page${n}`));
  }
  const names = async () => Object.keys(await read(metric)).length;
  await expect.poll(names).toBe(101);
  await expectAdded(metric, { '{operation="Page0"}': 1, '{operation="other"}': 1 }, async () => {
    await ask(page('Page0'));
    await ask(page('Page99'));
  });
});

test('the process, the version, the valid tokens and the syncs of the log are measured, without a secret or a name', async () => {
  const [rest] = bothApis(() => gateway.url);
  await rest.updateWallet(tenant.token, tenant.wallet, { title: 'Title' });
  // The tokens are counted in the background.
  await expect.poll(async () => (await read('paw_tokens'))['']).toBeGreaterThanOrEqual(1);
  expect(Object.values(await read('paw_build_info'))).toEqual([1]);
  for (const name of ['process_resident_memory_bytes', 'paw_sqlite_log_bytes'])
    expect((await read(name))['']).toBeGreaterThan(0);
  expect(await read('nodejs_eventloop_lag_p99_seconds')).toEqual({ '': expect.any(Number) });
  const { '': syncs = 0 } = await read('paw_sqlite_sync_duration_seconds_count');
  expect(syncs).toBeGreaterThan(0);
  expect((await read('paw_sqlite_commits_per_sync_sum'))['']).toBeGreaterThanOrEqual(syncs);
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  expect(text).not.toMatch(/paw_(acct|app|key)_|(accounts|apps|projects|wallets)\//);
});

/** Returns what a new gateway on the database of another one measures. */
async function measured({ databaseUrl, clock }: Gateway, name: string): Promise<Samples> {
  const own = await freePort();
  await testGateway({ DATABASE_URL: databaseUrl, PAW_METRICS_PORT: String(own) }, clock);
  // The values are read in the background.
  await expect.poll(() => readMetric(own, name)).not.toEqual({});
  return readMetric(own, name);
}

test('the account tokens that end within a week are counted if they were used within the one before, without those of apps and of suspended accounts', async () => {
  const own = await testGateway();
  const api = restApi(() => own.url);
  const [owner, suspended] = [await seedTenant(own), await seedTenant(own)];
  const issued = (days: number, tenant = owner) => accountToken(own, tenant, {}, days * 86_400);
  const early = await issued(14);
  await api.listProjects(early);
  own.clock.advance(8 * 86_400_000);
  expect(await measured(own, 'paw_tokens_ending')).toEqual({ '': 0 });
  await issued(6);
  const now = [await issued(6), await issued(7), await issued(8), await issued(6, suspended)];
  now.push(await projectTokenOf(api, owner.token, await createApp(api, owner.token)));
  for (const token of now) expect(await tokenStatus(api, token)).toBe('ok');
  const ids = now.map((token) => credentialParts(token).id);
  const stored = async () => (await rowsOf(own.database, 'token')).filter((row) => row['last_use_time_ms']);
  await expect
    .poll(async () => (await stored()).map(({ id }) => id))
    .toEqual(expect.arrayContaining([...ids, credentialParts(early).id]));
  await setAccountSuspended(own.operator, { name: suspended.account }, true);
  expect(await measured(own, 'paw_tokens_ending')).toEqual({ '': 2 });
});

test('the addresses that are left are measured by network, the fewest of any active account, and 0 if it ran out', async () => {
  const own = await testGateway();
  const supply = ({ account }: Tenant, network: string, count: number) =>
    addAddresses(own.operator, { account, network }, addressLines(count));
  const [rich, poor, suspended] = [await seedTenant(own), await seedTenant(own), await seedTenant(own)];
  await supply(rich, 'NETWORK_POLYGON', 5);
  await supply(poor, 'NETWORK_POLYGON', 2);
  await supply(suspended, 'NETWORK_POLYGON', 1);
  await setAccountSuspended(own.operator, { name: suspended.account }, true);
  expect(await measured(own, 'paw_addresses_left')).toEqual({ '{network="NETWORK_POLYGON"}': 2 });
  const input = { title: 'Till', network: 'NETWORK_POLYGON' };
  for (let n = 0; n < 2; n += 1) await mutate(own.url, poor.token, 'createWallet', input, 'wallet { id }');
  expect(await measured(own, 'paw_addresses_left')).toEqual({ '{network="NETWORK_POLYGON"}': 0 });
  // The operator needs no more for this account.
  await deleteAllAddresses(own.operator, { account: poor.account });
  expect(await measured(own, 'paw_addresses_left')).toEqual({ '{network="NETWORK_POLYGON"}': 5 });
});

test('what is measured in the background takes no write lock', async () => {
  const ownPort = await freePort();
  await testGateway({ PAW_METRICS_PORT: String(ownPort) });
  await expect.poll(() => readMetric(ownPort, 'paw_tokens')).toEqual({ '': 0 });
  const operations = await readMetric(ownPort, 'db_client_operation_duration_seconds_count');
  expect(operations).not.toHaveProperty(['{db_operation_name="transaction"}']);
});

test('the port of the metrics serves nothing else, and the port of the APIs no metrics', async () => {
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404);
  expect((await send(`${gateway.url}/metrics`, 'GET')).status).toBe(404);
});

test('a start that fails closes the server of the metrics', async () => {
  const { url } = await testDatabase();
  const metricsPort = String(await freePort());
  const { port: usedPort } = new URL(gateway.url);
  const start = startGateway({ DATABASE_URL: url, PORT: usedPort, PAW_METRICS_PORT: metricsPort });
  await expect(start).rejects.toMatchObject({ code: 'EADDRINUSE', port: Number(usedPort) });
  await expect(fetch(`http://127.0.0.1:${metricsPort}/metrics`)).rejects.toThrow('fetch failed');
});
