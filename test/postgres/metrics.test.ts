import { expect, onTestFinished, test } from 'vitest';
import { restApi } from '../support/apis.ts';
import { seedTenant, startGateway } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { freePort } from '../support/postgres-server.ts';

const POLL = { timeout: 30_000 };

test('the connections of the pool are measured, and what waits for one', async () => {
  const port = await freePort();
  const gateway = await startGateway({ PAW_METRICS_PORT: String(port), PAW_POSTGRES_POOL: '1' });
  onTestFinished(gateway.stop);
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [wallet = ''] = wallets;
  const update = (title: string) => restApi(() => gateway.url).updateWallet(token, wallet, { title });
  const connections = () => readMetric(port, 'paw_postgres_connections');
  await update('First');
  expect(await connections()).toEqual({ '{state="used"}': 0, '{state="idle"}': 1 });

  let blocked: Promise<unknown> = Promise.resolve();
  await gateway.database.transaction(async (transaction) => {
    await transaction.query('SELECT * FROM wallet FOR UPDATE');
    blocked = update('Second');
    await expect.poll(connections, POLL).toEqual({ '{state="used"}': 1, '{state="idle"}': 0 });
    // Its authentication waits for the connection.
    blocked = Promise.all([blocked, update('Third')]);
    await expect.poll(() => readMetric(port, 'paw_postgres_waiting'), POLL).toEqual({ '': 1 });
  });
  await blocked;
});
