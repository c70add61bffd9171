import { expect, onTestFinished, test } from 'vitest';
import { send } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import { seedTenant, startGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';

test('a page is measured as a read, an update as a write, and one with an Idempotency-Key as a transaction', async () => {
  const port = await freePort();
  const { url, stop, ...gateway } = await startGateway({ PAW_METRICS_PORT: String(port) });
  onTestFinished(stop);
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const update = (headers: Readonly<Record<string, string>>) =>
    send(`${url}/wallet/${wallets[0]}`, 'PATCH', token, { title: 'Title' }, headers);
  for (const [kind, request] of [
    ['read', () => send(`${url}/project/projects`, 'GET', token)],
    ['write', () => update({})],
    ['transaction', () => update({ 'idempotency-key': 'key' })],
  ] as const) {
    const name = 'db_client_operation_duration_seconds_count';
    const count = async () => (await readMetric(port, name))[`{db_operation_name="${kind}"}`] ?? 0;
    const before = await count();
    expect((await request()).status).toBe(200);
    expect(await count(), kind).toBeGreaterThan(before);
  }
});
