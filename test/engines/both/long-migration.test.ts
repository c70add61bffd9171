import { expect, inject, test } from 'vitest';
import { operatorContext } from '../../../src/data/call/call.ts';
import { LATEST_VERSION } from '../../../src/storage/migrations/versions.ts';
import { Changes, sendAtRate } from '../../support/acknowledged-changes.ts';
import { readiness } from '../../support/both-apis.ts';
import { executeOn, onDatabase } from '../../support/engine.ts';
import { migrateDatabase, seedTenant, testDatabase } from '../../support/gateway.ts';
import {
  COUNT_FILLED,
  COUNT_OTHERS,
  DOCUMENTED_MIGRATIONS,
  DOCUMENTED_NAMES,
  EMPTY_COLUMN,
  FIND_FILLED,
  newerProgram,
} from '../../support/newer-program.ts';
import { addWallets } from '../../support/rows.ts';
import { startServerProcess } from '../../support/run-command.ts';

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
      const tenant = await seedTenant({ operator: operatorContext(database) }, { wallets: 20 });
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
 * prints what docs/backup.md says.
 */
async function migrateUnderLoad(wallets: number): Promise<number> {
  const made = await databaseWith(wallets);
  const {
    program,
    tenants: [tenant],
  } = made;
  // The deadlines of the default.
  const deadlines = { PAW_REQUEST_TIMEOUT: '', PAW_POSTGRES_TIMEOUT: '' };
  const instance = await startServerProcess({ ...made.settings, ...deadlines });
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
  await instance.stop('SIGTERM');
  // The old server has not filled what it has written.
  expect(await count(made.url, COUNT_OTHERS)).toBeLessThanOrEqual(40);
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

test('a dry run says whether the servers continue, and how many rows change in batches', async () => {
  const made = await databaseWith(20_000);
  const dryRun = async (...texts: string[]) => {
    const { stdout } = await newerProgram(...texts).run(['migrate', '--dry-run', '--json'], made.settings);
    const { serversContinue, missing } = JSON.parse(stdout);
    return { serversContinue, rows: missing.map(({ rows }: { rows: number | null }) => rows) };
  };
  const isIncompatible = 'ALTER TABLE wallet DROP COLUMN of_next;\n';
  expect(await dryRun(...DOCUMENTED_MIGRATIONS)).toEqual({ serversContinue: true, rows: [null, 20_040] });
  expect(await dryRun(isIncompatible)).toEqual({ serversContinue: false, rows: [null] });
  const create = `-- compatible-from: ${LATEST_VERSION}\nCREATE TABLE note (id TEXT PRIMARY KEY, of_next TEXT);\n`;
  const fill = `-- compatible-from: ${LATEST_VERSION}\n-- batches: note (id)\nUPDATE note SET of_next = '' WHERE id BETWEEN $1 AND $2;\n`;
  expect(await dryRun(create, fill)).toEqual({ serversContinue: true, rows: [null, null] });
});

/** Starts a program that migrates, and waits until it has changed some rows. */
async function startedOn(
  { url, program, settings }: Awaited<ReturnType<typeof databaseWith>>,
  command: string,
) {
  // By one connection, and without a count, so that the program is seen early.
  return onDatabase(url, async ({ read }) => {
    const running = program.start([command], { PORT: '0', ...settings });
    const filled = () => read(FIND_FILLED).catch(() => []);
    await expect.poll(filled, { interval: 5 }).toHaveLength(1);
    return running;
  });
}

test('a migration in batches that was killed is completed by the next one, also beside an incomplete index', async () => {
  const made = await databaseWith(40_000);
  await (await startedOn(made, 'migrate')).stop('SIGKILL');
  expect(await count(made.url, COUNT_OTHERS)).toBeGreaterThan(0);
  if (inject('engine') === 'postgres') {
    const invalidate =
      "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'wallet_by_example'::regclass";
    await executeOn(made.url, invalidate);
  }
  const { stdout } = await made.program.run(['migrate', '--json'], made.settings);
  expect(JSON.parse(stdout)).toMatchObject({ applied: DOCUMENTED_NAMES.slice(-1) });
  expect(await count(made.url, COUNT_OTHERS)).toBe(0);
  await expectMigrated(made);
});

const FIND_DEFINITION = {
  sqlite: "SELECT sql AS definition FROM sqlite_schema WHERE name = 'wallet_by_example'",
  postgres: "SELECT pg_get_indexdef('wallet_by_example'::regclass) AS definition",
};

test('an index with the name of one of a migration is replaced if it has another definition', async () => {
  const { url, program, settings } = await databaseWith(2);
  const definition = () => onDatabase(url, (database) => database.read(FIND_DEFINITION[inject('engine')]));
  await program.run(['migrate'], settings);
  const expected = await definition();
  for (const [unique, rest] of [
    ['', '(account_id, title) WHERE example IS NOT NULL'],
    ['', '(account_id, id, example) WHERE example IS NOT NULL'],
    ['', '(account_id, example DESC, id) WHERE example IS NOT NULL'],
    ['UNIQUE', '(account_id, example, id) WHERE example IS NOT NULL'],
    ['', '(account_id, example, id) WHERE example IS NULL'],
    ['', '(account_id, example, id)'],
  ]) {
    await executeOn(url, `DELETE FROM schema_migration WHERE version > ${LATEST_VERSION + 1}`);
    await executeOn(url, 'DROP INDEX wallet_by_example');
    await executeOn(url, `CREATE ${unique} INDEX wallet_by_example ON wallet ${rest}`);
    const { stdout } = await program.run(['migrate', '--json'], settings);
    expect(JSON.parse(stdout)).toMatchObject({ applied: DOCUMENTED_NAMES.slice(-1) });
    expect(await definition(), rest).toEqual(expected);
  }
});

test('a server that is stopped while it migrates ends at once, and the next one continues', async () => {
  const made = await databaseWith(40_000);
  expect(await (await startedOn(made, 'serve')).stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  expect(await count(made.url, COUNT_OTHERS)).toBeGreaterThan(0);
  const server = await made.program.serve(made.settings);
  expect(await count(made.url, COUNT_OTHERS)).toBe(0);
  await server.stop('SIGTERM');
});

test('a process that was held up changes no row after another one has completed the migration', async () => {
  const made = await databaseWith(40_000);
  const heldUp = await startedOn(made, 'migrate');
  // Not within a transaction.
  const isFree = () =>
    onDatabase(made.url, (database) => database.schema.transaction(async () => true)).catch(() => false);
  await expect
    .poll(async () => {
      process.kill(heldUp.pid, 'SIGSTOP');
      const free = await isFree();
      if (!free) process.kill(heldUp.pid, 'SIGCONT');
      return free;
    })
    .toBe(true);
  const { stdout } = await made.program.run(['migrate', '--json'], made.settings);
  expect(JSON.parse(stdout)).toMatchObject({ applied: DOCUMENTED_NAMES.slice(-1) });
  await executeOn(made.url, EMPTY_COLUMN);
  process.kill(heldUp.pid, 'SIGCONT');
  expect(await heldUp.ended).toMatchObject({ status: 0, stderr: '' });
  expect(await count(made.url, COUNT_FILLED)).toBe(0);
});

test('four servers that start at the same time apply each migration, and serve', async () => {
  const made = await databaseWith(10_000);
  if (inject('engine') === 'postgres') {
    const set = `ALTER DATABASE "${new URL(made.url).pathname.slice(1)}" SET`;
    for (const setting of [
      "statement_timeout = '1ms'",
      "default_transaction_isolation = 'repeatable read'",
    ]) {
      await executeOn(made.url, `${set} ${setting}`);
    }
  }
  const servers = await Promise.all(Array.from({ length: 4 }, () => made.program.serve(made.settings)));
  for (const { url } of servers) expect(await readiness(url)).toBe(200);
  expect(await count(made.url, COUNT_OTHERS)).toBe(0);
  await Promise.all(servers.map((server) => server.stop('SIGTERM')));
  await expectMigrated(made);
});
