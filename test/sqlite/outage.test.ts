import { mkdirSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DatabaseError } from '../../src/storage/errors.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { bothApis, send } from '../support/apis.ts';
import { damageTable, pathOf } from '../support/engine.ts';
import { freePort } from '../support/free-port.ts';
import { makeDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { logLines, paw, pawProcess, startProgram } from '../support/paw.ts';
import { expectError } from '../support/refusal.ts';

test('a lock of another process blocks writes, and not reads, until it is released', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  const database = await openDatabase(url);
  onTestFinished(database.close);
  await database.write('CREATE TABLE item (id TEXT)');
  const add = "INSERT INTO item (id) VALUES ('a')";
  const count = () => database.read('SELECT COUNT(*) AS items FROM item');
  const other = new DatabaseSync(pathOf(url));
  onTestFinished(() => other.close());

  other.exec('BEGIN IMMEDIATE');
  let begun = false;
  const refusals = await Promise.allSettled([
    database.write(add),
    database.transaction(async () => {
      begun = true;
    }),
  ]);
  for (const refusal of refusals) {
    const reason = refusal.status === 'rejected' ? refusal.reason : undefined;
    expect(reason).toBeInstanceOf(DatabaseError);
    expect(reason).toMatchObject({ reason: 'UNAVAILABLE' });
  }
  expect(begun).toBe(false);
  expect(await count()).toEqual([{ items: 0 }]);

  other.exec('ROLLBACK');
  await database.write(add);
  await database.transaction((transaction) => transaction.write(add));
  expect(await count()).toEqual([{ items: 2 }]);
});

test('a database that is locked is UNAVAILABLE for writes by both APIs, is no outage, and can still be read', async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  for (const api of bothApis(() => gateway.url)) {
    const tenant = await seedTenant(gateway, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    const update = () => api.updateWallet(tenant.token, wallet, { title: 'Later' });
    const other = new DatabaseSync(pathOf(gateway.databaseUrl));
    onTestFinished(() => other.close());
    const title = () => other.prepare('SELECT title FROM wallet WHERE id = ?').get(wallet.slice(8));

    other.exec('BEGIN IMMEDIATE');
    const refused = await update();
    expectError(api, refused, 'UNAVAILABLE');
    expect(refused.response.text).not.toMatch(/lock|sql/i);
    expect((await api.listProjects(tenant.token)).error).toBeUndefined();
    expect(title()).toEqual({ title: 'Wallet 1' });

    other.exec('ROLLBACK');
    expect((await update()).value).toMatchObject({ name: wallet, title: 'Later' });
    expect(title()).toEqual({ title: 'Later' });
  }
  await expect.poll(gateway.log, { timeout: 30_000 }).toContain('"msg":"locks are available in time again"');
  const lines = logLines(gateway.log()).filter(({ cause }) => cause !== undefined);
  expect(lines).toMatchObject([
    { cause: 'database is locked', reqId: expect.any(String), msg: 'a lock was not available in time' },
  ]);
  expect(gateway.log()).not.toContain('the database is');
});

test('a file in a missing folder of /proc ends the start with status 1 and one line', async () => {
  const missing = '/proc/missing/folder';
  const settings = { DATABASE_URL: `sqlite:${missing}/paw.db`, HOME: missing };
  expect(await pawProcess(['serve'], settings)).toEqual({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^paw: The database is unavailable: ENOENT[^\n]+\n$/),
  });
});

test('tokens that cannot be read are an outage, and not invalid tokens', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  const first = await startGateway({ DATABASE_URL: url });
  const tenant = await seedTenant(first);
  await first.stop();
  damageTable(pathOf(url), 'token');

  // The address may send one request per minute without a valid token.
  const settings = { DATABASE_URL: url, PAW_RATE_LIMIT_ADDRESS: '1' };
  const second = await startGateway(settings, first.clock);
  onTestFinished(second.stop);
  for (const api of bothApis(() => second.url)) {
    const { error, response } = await api.listProjects(tenant.token);
    expect(error).toMatchObject({ status: 'UNAVAILABLE', reason: 'UNAVAILABLE' });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(response.headers.has('www-authenticate')).toBe(false);
  }
  expect((await send(`${second.url}/healthz`, 'GET')).status).toBe(200);
});

test('a server whose log cannot be written serves, masks errors, and ends with status 0 on SIGTERM', async () => {
  const { url: databaseUrl, remove } = await makeDatabase();
  onTestFinished(remove);
  const before = await startGateway({ DATABASE_URL: databaseUrl });
  const { token } = await seedTenant(before);
  await before.stop();
  damageTable(pathOf(databaseUrl), 'token');

  const port = await freePort();
  const words = ['-c', 'exec "$0" src/main.js serve > /dev/full', process.execPath];
  const server = startProgram('sh', words, { DATABASE_URL: databaseUrl, PORT: String(port) });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  const url = `http://127.0.0.1:${port}`;
  await expect.poll(() => send(`${url}/healthz`, 'GET').catch(() => {}), { timeout: 30_000 }).toBeDefined();
  for (const api of bothApis(() => url)) {
    const { error, response } = await api.listProjects(token);
    expect(error).toMatchObject({ status: 'UNAVAILABLE', requestId: response.headers.get('x-request-id') });
    expect(response.status).toBe(503);
  }
  expect(await server.stop('SIGTERM')).toEqual({ status: 0, stdout: '', stderr: '' });
});

describe('a file', () => {
  test.each<[string, (file: string) => void]>([
    ['a folder', (file) => mkdirSync(file)],
    ['no database', (file) => writeFileSync(file, 'These bytes are no database. '.repeat(100))],
  ])('that is %s is UNAVAILABLE', async (_, make) => {
    const { url, remove } = await makeDatabase();
    onTestFinished(remove);
    make(pathOf(url));
    const refusal = await openDatabase(url).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseError);
    expect(refusal).toMatchObject({ reason: 'UNAVAILABLE' });
  });

  test('that cannot be created ends a command with status 1 and one line', async () => {
    const { url, remove } = await makeDatabase();
    onTestFinished(remove);
    writeFileSync(pathOf(url), '');
    const settings = { DATABASE_URL: `${url}/paw.db` };
    expect(await paw(['account', 'create', '--title', 'Blocked'], settings)).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^paw: .+\n$/),
    });
  });
});
