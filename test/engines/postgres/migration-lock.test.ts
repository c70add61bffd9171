import { expect, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/migrations.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { resultOf } from '../../support/actors.ts';
import { restApi } from '../../support/apis.ts';
import { seedTenant, testDatabase, testGateway } from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { rowsOf } from '../../support/rows.ts';

const MIGRATION = `-- compatible-from: ${LATEST_VERSION}
ALTER TABLE wallet ADD COLUMN of_next TEXT;
`;

const WAITING = `SELECT xact_start::text AS start FROM pg_stat_activity
  WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%ALTER TABLE%'`;

test('a migration lets go of a table that a transaction uses, so that requests go on, and others wait for it', async () => {
  const made = await testDatabase();
  const { url, admin, stop } = await testGateway({ DATABASE_URL: made.url });
  const { token, wallet } = await seedTenant({ admin }, { wallets: 1 });
  const database = await openDatabase(made.url, LONG_TIMEOUT);
  const program = newerProgram(MIGRATION);
  const migrate = () =>
    program.run(['migrate', '--json'], { DATABASE_URL: made.url, PAW_POSTGRES_TIMEOUT: '1s' });
  const attempts = new Set<unknown>();
  const results = await database.transaction(async (transaction) => {
    // As the transaction of a backup does, for as long as it takes.
    await rowsOf(transaction, 'wallet');
    const both = [migrate(), migrate()];
    while (attempts.size < 3) {
      for (const { start } of await database.read(WAITING)) attempts.add(start);
      await resultOf(restApi(() => url).updateWallet(token, wallet, { title: `No. ${attempts.size}` }));
    }
    return both;
  });
  const ended = await Promise.all(results);
  expect(ended).toMatchObject(ended.map(() => ({ status: 0, stderr: '' })));
  const applied = ended.flatMap(({ stdout }) => JSON.parse(stdout).applied);
  expect(applied).toHaveLength(1);
  await stop();
  await database.close();
});
