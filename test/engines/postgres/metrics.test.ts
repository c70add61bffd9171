import { expect, test } from 'vitest';
import { restApi } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import { seedTenant, testGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';
import { lockRow } from '../../support/rows.ts';

test('the connections of the pool are measured, what waits for one, the waits, and those without one in time', async () => {
  const port = await freePort();
  const gateway = await testGateway({
    PAW_METRICS_PORT: String(port),
    PAW_POSTGRES_POOL: '1',
    PAW_REQUEST_TIMEOUT: '1s',
  });
  const { token, wallet } = await seedTenant(gateway, { wallets: 1 });
  const read = (name: string) => readMetric(port, `paw_postgres_${name}`);
  const update = (title: string) => restApi(() => gateway.url).updateWallet(token, wallet, { title });
  const waits = async () => (await read('wait_duration_seconds_count'))[''] ?? Number.NaN;
  await update('First');
  // The first read of the metrics counts the tokens, too.
  await expect.poll(() => read('connections')).toEqual({ '{state="used"}': 0, '{state="idle"}': 1 });
  expect(await read('wait_timeouts_total')).toEqual({ '': 0 });
  const before = await waits();

  let isOver = false;
  // The time of both ends at once, so that one has waited for the connection until then.
  const repeat = async () => {
    do await Promise.all([update('Second'), update('Third')]);
    while (!isOver);
  };
  const updates = await gateway.database.transaction(async (transaction) => {
    await lockRow(transaction, wallet);
    const updates = repeat();
    await expect.poll(() => read('connections')).toEqual({ '{state="used"}': 1, '{state="idle"}': 0 });
    await expect.poll(() => read('waiting')).toEqual({ '': 1 });
    await expect.poll(() => read('wait_timeouts_total')).not.toEqual({ '': 0 });
    isOver = true;
    return [updates];
  });
  await Promise.all(updates);
  expect(await waits()).toBeGreaterThan(before);
});
