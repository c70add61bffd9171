import { operatorContext } from '../../../src/data/call/call.ts';
// @module-tag night/linearizability

import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { migrateDatabase, seedTenant, testDatabase } from '../../support/gateway.ts';
import { RecordedHistory } from '../../support/recorded-history.ts';
import { startServerProcess } from '../../support/run-command.ts';

const KILLS = 2;

test('wallets, apps and tokens are linearizable by two servers on one file that are killed', async () => {
  const { url } = await testDatabase();
  await migrateDatabase(url);
  const database = await openDatabase(url);
  onTestFinished(() => database.close());
  const { token, wallets } = await seedTenant({ operator: operatorContext(database) }, { wallets: 3 });
  const start = () => startServerProcess({ DATABASE_URL: url });
  const servers = [await start(), await start()];
  const history = new RecordedHistory(token, wallets, () => servers.map((server) => server.url));
  const violations = await history.during(async () => {
    for (let n = 0; n < KILLS; n += 1) {
      await history.receive({ ok: 50 });
      await servers[n % 2]?.stop('SIGKILL');
      await history.receive({ LOST: 1 });
      servers[n % 2] = await start();
    }
    await history.receive({ ok: 50, TOKEN_INVALID: 1, APP_INACTIVE: 1 });
  });
  expect(violations).toEqual([]);
  const { ok, LOST, TOKEN_INVALID, APP_INACTIVE, UNAVAILABLE, RESULT_UNKNOWN, ...others } = history.statuses;
  expect(others).toEqual({});
});
