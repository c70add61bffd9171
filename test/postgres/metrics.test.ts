import { expect, test } from 'vitest';
import { restApi } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { seedTenant, testGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';

test('the connections of the pool are measured, and what waits for one', async () => {
  const { gateway, read, update } = await startWithOneConnection({});
  const connections = () => read('paw_postgres_connections');
  await update('First');
  // The first read of the metrics counts the tokens, too.
  await expect.poll(connections).toEqual({ '{state="used"}': 0, '{state="idle"}': 1 });

  let blocked: Promise<unknown> = Promise.resolve();
  await gateway.database.transaction(async (transaction) => {
    await transaction.read('SELECT * FROM wallet FOR UPDATE');
    blocked = update('Second');
    await expect.poll(connections).toEqual({ '{state="used"}': 1, '{state="idle"}': 0 });
    // Its authentication waits for the connection.
    blocked = Promise.all([blocked, update('Third')]);
    await expect.poll(() => read('paw_postgres_waiting')).toEqual({ '': 1 });
  });
  await blocked;
});

test('the waits for a connection are measured, and those that get none in time', async () => {
  const { gateway, read, update } = await startWithOneConnection({ PAW_REQUEST_TIMEOUT: '1s' });
  const waits = async () => (await read('paw_postgres_wait_duration_seconds_count'))[''] ?? 0;
  await update('First');
  const before = await waits();
  expect(before).toBeGreaterThan(0);
  expect(await read('paw_postgres_wait_timeouts_total')).toEqual({ '': 0 });
  await gateway.database.transaction(async (transaction) => {
    await transaction.read('SELECT * FROM wallet FOR UPDATE');
    // Each has the connection until its statement times out, so that the last ones get it too late.
    await Promise.all(Array.from({ length: 5 }, (_, n) => update(`No. ${n}`)));
  });
  expect((await read('paw_postgres_wait_timeouts_total'))['']).toBeGreaterThan(0);
  expect(await waits()).toBeGreaterThan(before);
});

/** Starts a gateway whose pool has one connection. */
async function startWithOneConnection(settings: Readonly<Record<string, string>>) {
  const port = await freePort();
  const gateway = await testGateway({
    PAW_METRICS_PORT: String(port),
    PAW_POSTGRES_POOL: '1',
    ...settings,
  });
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [wallet = ''] = wallets;
  return {
    gateway,
    read: (name: string) => readMetric(port, name),
    update: (title: string) => restApi(() => gateway.url).updateWallet(token, wallet, { title }),
  };
}
