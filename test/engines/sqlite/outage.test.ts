import { mkdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { OUTAGE_LINES } from '../../../src/http/log/error-log.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { bothApis, readiness, send } from '../../support/both-apis.ts';
import { damageTable, pathOf } from '../../support/engine.ts';
import { freePort } from '../../support/free-port.ts';
import { seedDatabase, seedTenant, startGateway, testDatabase, testGateway } from '../../support/gateway.ts';
import { expectError } from '../../support/refusal.ts';
import { rowOf } from '../../support/rows.ts';
import { logLines, startProgram } from '../../support/run-command.ts';

test('a lock of another process makes writes UNAVAILABLE by both APIs, and is no outage: the server reads and is ready', async () => {
  const gateway = await testGateway();
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const apis = bothApis(() => gateway.url);
  const updates = () =>
    Promise.all(apis.map((api) => api.updateWallet(token, wallets[0] ?? '', { title: 'Later' })));
  const other = new DatabaseSync(pathOf(gateway.databaseUrl));
  onTestFinished(() => other.close());
  const wallet = () => rowOf(gateway.database, wallets[0] ?? '');

  other.exec('BEGIN IMMEDIATE');
  const begin = vi.fn<() => Promise<void>>();
  const waiting = Promise.allSettled([gateway.database.transaction(begin)]);
  const refused = updates();
  for (const api of apis) expect((await api.listProjects(token)).error).toBeUndefined();
  expect(await readiness(gateway.url)).toBe(200);
  for (const [index, refusal] of (await refused).entries()) {
    expectError(apis[index] ?? expect.unreachable(), refusal, 'UNAVAILABLE');
    expect(refusal.response.text).not.toMatch(/lock|sql/i);
  }
  expect(await waiting).toMatchObject([{ reason: { reason: 'UNAVAILABLE', outage: 'lock' } }]);
  expect(begin).not.toHaveBeenCalled();
  expect(await wallet()).toMatchObject({ title: 'Wallet 1' });

  other.exec('ROLLBACK');
  for (const { value } of await updates()) expect(value?.title).toBe('Later');
  expect(await wallet()).toMatchObject({ title: 'Later' });
  const lines = logLines(gateway.log()).filter(({ outage }) => outage !== undefined);
  expect(lines).toMatchObject([{ outage: 'lock', cause: 'database is locked', msg: OUTAGE_LINES.lock }]);
});

test('a stop beside a locked database drops the writes of a last use that wait', async () => {
  const { url } = await testDatabase();
  const gateway = await startGateway({ DATABASE_URL: url });
  const tenants = [await seedTenant(gateway), await seedTenant(gateway), await seedTenant(gateway)];
  const other = new DatabaseSync(pathOf(url));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  for (const { token } of tenants) {
    expect((await send(`${gateway.url}/project/projects`, 'GET', token)).status).toBe(200);
  }
  await gateway.stop();
  const failures = gateway.log().match(/could not store a last use/g) ?? [];
  expect(failures.length).toBeLessThan(tenants.length);
});

test('tokens that cannot be read are an outage, and not invalid tokens', async () => {
  const { url } = await testDatabase();
  const { token } = await seedDatabase(url);
  damageTable(pathOf(url), 'token');

  // The address may send one request per minute without a valid token.
  const gateway = await testGateway({ DATABASE_URL: url, PAW_RATE_LIMIT_ADDRESS: '1' });
  for (const api of bothApis(() => gateway.url)) {
    const { error, response } = await api.listProjects(token);
    expect(error).toMatchObject({ status: 'UNAVAILABLE', reason: 'UNAVAILABLE' });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.has('www-authenticate')).toBe(false);
  }
  expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
});

test('a server whose log cannot be written serves, masks errors, and ends with status 0 on SIGTERM', async () => {
  const { url: databaseUrl } = await testDatabase();
  const { token } = await seedDatabase(databaseUrl);
  damageTable(pathOf(databaseUrl), 'token');

  const port = await freePort();
  const words = ['-c', 'exec "$0" src/main.js serve > /dev/full', process.execPath];
  const server = startProgram('sh', words, { DATABASE_URL: databaseUrl, PORT: String(port) });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => send(`${url}/healthz`, 'GET').catch(() => {})).toBeDefined();
  for (const api of bothApis(() => url)) {
    const { error, response } = await api.listProjects(token);
    expect(error).toMatchObject({ status: 'UNAVAILABLE', requestId: response.headers.get('x-request-id') });
    expect(response.status).toBe(503);
  }
  expect(await server.stop('SIGTERM')).toEqual({ status: 0, stdout: '', stderr: '' });
});

test('a file that is a folder is UNAVAILABLE', async () => {
  const { url } = await testDatabase();
  mkdirSync(pathOf(url));
  await expect(openDatabase(url)).rejects.toMatchObject({ reason: 'UNAVAILABLE', outage: 'down' });
});
