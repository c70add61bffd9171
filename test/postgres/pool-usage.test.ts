import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { resultOf } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { adminContext, makeDatabase, migrateDatabase, seedTenant } from '../support/gateway.ts';
import { readMetric } from '../support/metrics.ts';
import { logLines, startServerProcess } from '../support/paw.ts';

const POLL = { timeout: 30_000 };

const USAGE = 'usage of the PostgreSQL pool';

test('a server that stops logs how its pool was used', async () => {
  const port = await freePort();
  const { database, update, stop } = await start({
    PAW_METRICS_PORT: String(port),
    PAW_POSTGRES_POOL: '2',
    PAW_REQUEST_TIMEOUT: '60s',
  });
  const read = (name: string) => readMetric(port, `paw_postgres_${name}`);
  await database.write('CREATE TABLE closed_gate (id INTEGER)');
  await database.write(
    `CREATE FUNCTION wait_at_gate() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN WHILE EXISTS (SELECT FROM closed_gate) LOOP PERFORM pg_sleep(0.01); END LOOP; RETURN NEW; END'`,
  );
  await database.write(
    'CREATE TRIGGER gate BEFORE UPDATE ON wallet FOR EACH ROW EXECUTE FUNCTION wait_at_gate()',
  );
  await database.write('INSERT INTO closed_gate VALUES (1)');
  const updates: Promise<unknown>[] = [];
  // The first one has the only connection for writes, and the others wait for it.
  for (let waiting = 0; waiting <= 3; waiting += 1) {
    updates.push(update().then(resultOf));
    await expect.poll(() => read('waiting'), POLL).toEqual({ '': waiting });
    await expect.poll(() => read('connections'), POLL).toMatchObject({ '{state="used"}': 1 });
  }
  await database.write('DELETE FROM closed_gate');
  await Promise.all(updates);

  const buckets = Object.entries(await readMetric(port, 'paw_postgres_wait_duration_seconds_bucket'));
  const lines = await stop();
  expect(lines).toMatchObject([{ level: 30, poolSize: 2, maxUsed: 2, waits: 3, timeouts: 0 }]);
  // The longest wait is in the last bucket that has one.
  const counts = buckets.map(([, count]) => count);
  const last = counts.indexOf(Math.max(...counts));
  const bound = (index: number) => Number(/le="([\d.]+)"/.exec(buckets[index]?.[0] ?? '')?.[1] ?? Infinity);
  const [{ longestWaitMs }] = lines;
  expect(longestWaitMs).toBeLessThanOrEqual(Math.ceil(bound(last) * 1000));
  expect(longestWaitMs).toBeGreaterThanOrEqual(Math.floor(bound(last - 1) * 1000));
});

test('each worker logs its own usage, also without metrics, and with the waits that got no connection', async () => {
  const { database, update, stop } = await start({
    PAW_WORKERS: '2',
    PAW_POSTGRES_POOL: '1',
    PAW_REQUEST_TIMEOUT: '1s',
  });
  await database.transaction(async (transaction) => {
    await transaction.read('SELECT * FROM wallet FOR UPDATE');
    // Each has the connection until its statement times out, so that the last ones get it too late.
    await Promise.all(Array.from({ length: 10 }, update));
  });
  const lines = await stop();
  expect(lines).toMatchObject([
    { poolSize: 1, maxUsed: 1 },
    { poolSize: 1, maxUsed: 1 },
  ]);
  expect(new Set(lines.map(({ pid }) => pid)).size).toBe(2);
  const sumOf = (field: string) => lines.reduce((sum, line) => sum + line[field], 0);
  expect(sumOf('timeouts')).toBeGreaterThan(0);
  expect(sumOf('waits')).toBeGreaterThanOrEqual(sumOf('timeouts'));
});

/** Starts a server in processes of its own, on a database with a wallet. */
async function start(settings: Readonly<Record<string, string>>) {
  const made = await makeDatabase();
  await migrateDatabase(made.url);
  const database = await openDatabase(made.url);
  onTestFinished(async () => {
    await database.close();
    await made.remove();
  });
  const { token, wallets } = await seedTenant({ admin: adminContext(database) }, { wallets: 1 });
  const [wallet = ''] = wallets;
  const server = await startServerProcess({ DATABASE_URL: made.url, ...settings });
  return {
    database,
    update: () => restApi(() => server.url).updateWallet(token, wallet, { title: 'Till' }),
    /** Stops the server, and returns the lines with the usage of the pool. */
    async stop() {
      const { status, stdout } = await server.stop('SIGTERM');
      expect(status).toBe(0);
      return logLines(stdout).filter(({ msg }) => msg === USAGE);
    },
  };
}
