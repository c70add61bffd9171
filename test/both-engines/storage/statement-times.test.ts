import { expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/apis.ts';
import { freePort } from '../../support/free-port.ts';
import { seedTenant, startGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';

test.each([
  ['a page', 'read', 'GET', '/project/projects', undefined, {}],
  ['an update', 'write', 'PATCH', '/wallet/', { title: 'Title' }, {}],
  [
    'an update with an Idempotency-Key',
    'transaction',
    'PATCH',
    '/wallet/',
    { title: 'Title' },
    { 'idempotency-key': 'key' },
  ],
])('%s is measured as a %s of the database', async (_, kind, method, path, body, headers) => {
  const port = await freePort();
  const gateway = await startGateway({ PAW_METRICS_PORT: String(port) });
  onTestFinished(gateway.stop);
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const labels = `{db_operation_name="${kind}"}`;
  const count = async () =>
    (await readMetric(port, 'db_client_operation_duration_seconds_count'))[labels] ?? 0;
  const before = await count();
  const url = `${gateway.url}${path}${body === undefined ? '' : wallets[0]}`;
  expect((await send(url, method, token, body, headers)).status).toBe(200);
  expect(await count()).toBeGreaterThan(before);
});
