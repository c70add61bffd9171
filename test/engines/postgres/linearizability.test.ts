// @module-tag night/linearizability

import { expect, onTestFinished, test } from 'vitest';
import { seedTenant, testGateway } from '../../support/gateway.ts';
import { startPostgres } from '../../support/postgres-server.ts';
import { RecordedHistory } from '../../support/recorded-history.ts';

const TERMINATE_ALL =
  "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'paw-gateway' AND pid <> pg_backend_pid()";

test('wallets, apps and tokens are linearizable by two gateways whose sessions end and whose server crashes', async () => {
  const server = await startPostgres();
  onTestFinished(server.stop);
  const settings = { DATABASE_URL: server.urlOf('postgres') };
  const gateways = [await testGateway(settings), await testGateway(settings)] as const;
  const { token, wallets } = await seedTenant(gateways[0], { wallets: 3 });
  const history = new RecordedHistory(token, wallets, () => gateways.map(({ url }) => url));
  const violations = await history.during(async () => {
    for (let n = 0; n < 2; n += 1) {
      await history.receive({ ok: 50 });
      await gateways[0].database.read(TERMINATE_ALL).catch(() => {});
    }
    await history.receive({ ok: 50 });
    await server.crash();
    await history.receive({ UNAVAILABLE: 1 });
    await server.restart();
    await history.receive({ ok: 50, TOKEN_INVALID: 1, APP_INACTIVE: 1 });
  });
  expect(violations).toEqual([]);
  const { ok, UNAVAILABLE, TOKEN_INVALID, APP_INACTIVE, RESULT_UNKNOWN, ...others } = history.statuses;
  expect(others).toEqual({});
});
