// @module-tag night/kills

import { expect, test } from 'vitest';
import { Changes } from '../../support/acknowledged-changes.ts';
import { send } from '../../support/both-apis.ts';
import { seedTenant, testGateway } from '../../support/gateway.ts';
import { rowsOf } from '../../support/rows.ts';
import { startServerProcess } from '../../support/run-command.ts';

// Several processes write to one SQLite file. Each syncs the log for its own writes only.

const KILLS = 2;

const WRITERS = 8;

test('servers on one file and one port that are killed under load lose no acknowledged write', async () => {
  // The gateway of the test makes the account, and does not serve.
  const gateway = await testGateway();
  const tenant = await seedTenant(gateway, { wallets: WRITERS });
  const settings = { DATABASE_URL: gateway.databaseUrl, PAW_REUSE_PORT: 'on' };
  const first = await startServerProcess(settings);
  const { url } = first;
  const startNext = () => startServerProcess({ ...settings, PORT: new URL(url).port });
  const servers = [first, await startNext()];

  const changes = new Changes(tenant.token, tenant.wallets);
  let isOver = false;
  const writers = tenant.wallets.map(async () => {
    for (let n = 1; !isOver; n += 1) {
      const api = n % 2 ? 'GraphQL' : 'REST';
      await changes.createApp(url, api);
      await changes.updateWallet(url, api);
    }
  });
  for (let round = 0; round < KILLS; round += 1) {
    const before = changes.apps.length;
    await expect.poll(() => changes.apps.length).toBeGreaterThan(before + 2 * WRITERS);
    await servers[round]?.stop('SIGKILL');
    servers[round] = await startNext();
  }
  isOver = true;
  await Promise.all(writers);

  expect(changes.updates).toBeGreaterThan(WRITERS);
  expect(await changes.countLost(url)).toBe(0);
  const [check] = await gateway.database.read('SELECT integrity_check FROM pragma_integrity_check');
  expect(check).toEqual({ integrity_check: 'ok' });
  for (const server of servers) expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
}, 600_000);

test('a kill leaves an app and the response that is kept for its Idempotency-Key, or neither', async () => {
  const gateway = await testGateway();
  const { token, account } = await seedTenant(gateway);
  const killed = await startServerProcess({ DATABASE_URL: gateway.databaseUrl });
  const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`);
  const createApp = (url: string, key: string) =>
    send(`${url}/auth/apps`, 'POST', token, { title: 'App', active: true }, { 'idempotency-key': key });

  const acknowledged = new Map<string, string>();
  /** Creates the apps of every sixth key, one after the other, until the server is gone. */
  async function createApps(first: number): Promise<void> {
    for (const key of keys.filter((_, n) => n % 6 === first)) {
      const { status, text } = await createApp(killed.url, key);
      expect(status).toBe(200);
      acknowledged.set(key, text);
      // The requests of the other clients are at every stage.
      if (acknowledged.size === 20) process.kill(killed.pid, 'SIGKILL');
    }
  }
  await Promise.allSettled([0, 1, 2, 3, 4, 5].map(createApps));
  expect(acknowledged.size).toBeLessThan(60);
  await killed.ended;
  for (const key of keys) {
    const { status, text } = await createApp(gateway.url, key);
    expect([status, text]).toEqual([200, acknowledged.get(key) ?? text]);
  }
  expect(await rowsOf(gateway.database, 'app', account)).toHaveLength(60);
});
