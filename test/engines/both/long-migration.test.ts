import { expect, inject, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/migrations.ts';
import { Changes, sendAtRate, startInstance } from '../../support/acknowledged-changes.ts';
import { readiness } from '../../support/apis.ts';
import { executeOn, onDatabase } from '../../support/engine.ts';
import { adminContext, migrateDatabase, seedTenant, testDatabase } from '../../support/gateway.ts';
import {
  COUNT_LABELLED,
  COUNT_UNLABELLED,
  DOCUMENTED_MIGRATIONS,
  DOCUMENTED_NAMES,
  newerProgram,
} from '../../support/newer-program.ts';
import { addWallets } from '../../support/rows.ts';

const RATE = 100;
const MAX_IN_FLIGHT = 16;

const VERSIONS = 'SELECT version FROM schema_migration ORDER BY version';

/** Makes a database with two accounts, which share the wallets, and the program of the next version. */
async function databaseWith(wallets: number) {
  const made = await testDatabase();
  await migrateDatabase(made.url);
  const tenants = await onDatabase(made.url, async (database) => {
    const seeded = [];
    for (let n = 0; n < 2; n += 1) {
      const tenant = await seedTenant({ admin: adminContext(database) }, { wallets: 20 });
      await addWallets(database, tenant, wallets / 2);
      seeded.push(tenant);
    }
    return seeded;
  });
  const settings = { DATABASE_URL: made.url, NODE_ENV: 'production' };
  return { ...made, tenants, settings, program: newerProgram(...DOCUMENTED_MIGRATIONS) };
}

const count = (url: string, sql: string) =>
  onDatabase(url, async (database) => (await database.read<{ count: number }>(sql))[0]?.count);

/** Checks that the column is filled but for what was written meanwhile, and that the schema is that of the migrations. */
async function expectMigrated({ url, settings, program }: Awaited<ReturnType<typeof databaseWith>>) {
  const versions = Array.from({ length: LATEST_VERSION + DOCUMENTED_MIGRATIONS.length }, (_, index) => ({
    version: index + 1,
  }));
  expect(await onDatabase(url, (database) => database.read(VERSIONS))).toEqual(versions);
  const { status, stdout } = await program.run(['check', '--json'], settings);
  expect({ status, ...JSON.parse(stdout) }).toMatchObject({ status: 0, problemCount: 0 });
}

/**
 * Migrates a database while a server changes its wallets and creates apps, and returns how long the slowest request took. It
 * prints what docs/commands.md says.
 */
async function migrateUnderLoad(wallets: number): Promise<number> {
  const made = await databaseWith(wallets);
  const {
    program,
    tenants: [tenant],
  } = made;
  const instance = await startInstance(made.url);
  const changes = new Changes(tenant?.token ?? '', tenant?.wallets ?? []);
  const end = new AbortController();
  const statuses = new Set<string>();
  let slowestMs = 0;
  const load = sendAtRate(RATE, MAX_IN_FLIGHT, end.signal, async (n) => {
    const startMs = performance.now();
    const api = n % 2 === 0 ? 'REST' : 'GraphQL';
    statuses.add(
      await (n % 4 === 0 ? changes.createApp : changes.updateWallet).call(changes, instance.url, api),
    );
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
  });
  await expect.poll(() => changes.apps.length).toBeGreaterThan(0);
  const startMs = performance.now();
  const { status, stdout, stderr } = await program.run(['migrate', '--json'], made.settings);
  const seconds = Math.round((performance.now() - startMs) / 1000);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(JSON.parse(stdout)).toMatchObject({ applied: DOCUMENTED_NAMES });
  end.abort();
  const requests = await load;
  console.log(
    `${wallets} wallets in ${seconds} s; the slowest of ${requests} requests took ${Math.round(slowestMs)} ms`,
  );
  expect([...statuses]).toEqual(['ok']);
  expect(await readiness(instance.url)).toBe(200);
  expect(await changes.countLost(instance.url)).toBe(0);
  await instance.end('SIGTERM');
  // The old server has not filled what it has written.
  expect(await count(made.url, COUNT_UNLABELLED)).toBeLessThanOrEqual(40);
  await expectMigrated(made);
  return slowestMs;
}

test('a column is added, filled in batches and indexed beside a server, and no request fails', async () => {
  await migrateUnderLoad(10_000);
});

test('a column of 1,000,000 rows is added, filled and indexed, no request fails, and none takes 2 s', {
  tags: ['night/slow'],
  timeout: 900_000,
}, async () => {
  expect(await migrateUnderLoad(1_000_000)).toBeLessThan(2000);
});

test('a dry run says what each migration stops, and about how long', async () => {
  const made = await databaseWith(20_000);
  const dryRun = async (...texts: string[]) => {
    const { stdout } = await newerProgram(...texts).run(['migrate', '--dry-run', '--json'], made.settings);
    const { serversContinue, missing } = JSON.parse(stdout);
    return [
      serversContinue,
      missing.map(({ statements: _, name: __, ...plan }: Record<string, unknown>) => plan),
    ];
  };
  const compatibleFrom = LATEST_VERSION;
  const quick = { stops: 'NOTHING', stopSeconds: 0, seconds: 0 };
  expect(await dryRun(...DOCUMENTED_MIGRATIONS)).toEqual([
    true,
    [
      { compatibleFrom, ...quick },
      { compatibleFrom, ...quick, stopSeconds: expect.any(Number), seconds: 3 },
    ],
  ]);
  const update = "UPDATE wallet SET of_next = '';\n";
  const slow = { stopSeconds: 2, seconds: 2 };
  expect(await dryRun(`-- compatible-from: ${LATEST_VERSION}\n${update}`, update)).toEqual([
    false,
    [
      { compatibleFrom, stops: 'WRITES', ...slow },
      { compatibleFrom: LATEST_VERSION + 2, stops: 'SERVERS', ...slow },
    ],
  ]);
});

test('a migration in batches that was killed continues, also beside an index that was not completed', async () => {
  const made = await databaseWith(20_000);
  const { program } = made;
  const killed = program.start(['migrate'], made.settings);
  await expect.poll(() => count(made.url, COUNT_LABELLED).catch(() => 0), { interval: 5 }).toBeGreaterThan(0);
  await killed.stop('SIGKILL');
  expect(await count(made.url, COUNT_UNLABELLED)).toBeGreaterThan(0);
  if (inject('engine') === 'postgres') {
    const invalidate =
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'wallet_by_label'::regclass";
    await executeOn(made.url, invalidate);
  }
  const { stdout } = await program.run(['migrate', '--json'], made.settings);
  expect(JSON.parse(stdout)).toMatchObject({ applied: DOCUMENTED_NAMES.slice(-1) });
  expect(await count(made.url, COUNT_UNLABELLED)).toBe(0);
  await expectMigrated(made);
});

test('four servers that start at the same time apply each migration once, and serve', async () => {
  const made = await databaseWith(10_000);
  const servers = await Promise.all(Array.from({ length: 4 }, () => made.program.serve(made.settings)));
  for (const { url } of servers) expect(await readiness(url)).toBe(200);
  expect(await count(made.url, COUNT_UNLABELLED)).toBe(0);
  await Promise.all(servers.map((server) => server.stop('SIGTERM')));
  await expectMigrated(made);
});
