import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/interface/database.ts';
import { migrate } from '../../../src/storage/jobs/run-migrations.ts';
import {
  assertUsable,
  LATEST_VERSION,
  MIGRATIONS,
  migrationsAfter,
  parseMigration,
  readSchemaVersion,
} from '../../../src/storage/migrations/versions.ts';
import { columnNames } from '../../../src/storage/sql/columns.ts';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { bothApis, readiness, send } from '../../support/both-apis.ts';
import { columnsOf, isUntouched, onDatabase, schemaOf, tablesOf, textOf } from '../../support/engine.ts';
import {
  makeDatabase,
  seedTenant,
  startGateway,
  type TestDatabase,
  testGateway,
} from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { createApp, resultOf, signIn } from '../../support/requests.ts';
import { logLines, paw, pawJson } from '../../support/run-command.ts';

const NOW = 1_767_225_600_123;

const NAMES = MIGRATIONS.map(({ name }) => name);

const NEXT = LATEST_VERSION + 1;

const REFUSAL = `The database has schema version ${NEXT}, but this program supports versions up to ${LATEST_VERSION}. Use a newer program.`;

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const COMMANDS = [
  ['account', 'create', '--title', 'Atlas'],
  ['app', 'list', '--account', `accounts/${ULID}`],
  ['account', 'delete', `accounts/${ULID}`, '--yes'],
];

const APPLIED = 'SELECT version, apply_time_ms FROM schema_migration ORDER BY version';

const INSERT =
  "INSERT INTO schema_migration (version, compatible_from, apply_time_ms, digest) VALUES ($1, $2, 0, 'next')";

// The result of a check is remembered for a second.

let made: TestDatabase;
let settings: { readonly DATABASE_URL: string };

beforeEach(async () => {
  made = await makeDatabase();
  settings = { DATABASE_URL: made.url };
});

afterEach(() => made.remove());

async function allOf(database: Database) {
  return { schema: await schemaOf(database), rows: await textOf(database) };
}

test('an empty database gets every table, and a second migration changes nothing', () =>
  onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    expect(await database.read(APPLIED)).toEqual(
      Array.from({ length: LATEST_VERSION }, (_, index) => ({ version: index + 1, apply_time_ms: NOW })),
    );
    const first = await allOf(database);
    await migrate(database, NOW + 1);
    expect(await allOf(database)).toEqual(first);
  }));

test('the tables that a copy reads and a deletion empties are those of the schema, with all their columns', () =>
  onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    const names = TABLES.map(({ name }) => name);
    expect([...names, 'schema_migration'].sort()).toEqual(await tablesOf(database));
    for (const { name, columns } of TABLES) {
      expect(columnNames(columns).toSorted(), name).toEqual(await columnsOf(database, name));
    }
  }));

test('a failed migration is rolled back, and the next one succeeds', () =>
  onDatabase(made.url, async (database) => {
    // The migration fails, because this name exists already.
    await database.write('CREATE TABLE wallet (id TEXT)');
    await expect(migrate(database, NOW)).rejects.toThrow(/wallet/);
    expect(await tablesOf(database)).toEqual(['wallet']);
    await database.write('DROP TABLE wallet');
    await migrate(database, NOW);
    expect(await database.read(APPLIED)).toHaveLength(LATEST_VERSION);
  }));

test('a dry run prints the statements of the missing migrations, and changes nothing', async () => {
  const plan = await pawJson(['migrate', '--dry-run'], settings);
  expect(await isUntouched(made.url)).toBe(true);
  const migrations = await onDatabase(made.url, async (database) => migrationsAfter(0, database));
  const missing = migrations.map(({ version: _, batches: __, ...each }) => ({ ...each, rows: null }));
  expect(plan).toEqual({ version: 0, serversContinue: true, missing });
});

test('without Citus, a distribution is refused in one line, and changes nothing', async () => {
  const { status, stdout, stderr } = await paw(['migrate', '--distribute'], settings);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^paw: .*\bcitus\b.*\n$/i);
  expect(await onDatabase(made.url, tablesOf)).toEqual([]);
});

test.each(['--shards 8', ...['0', '64001', '1e3'].map((count) => `--distribute --shards ${count}`)])(
  'a number of shards is refused without a distribution, or out of range: %s',
  async (options) => {
    const { status, stderr } = await paw(['migrate', ...options.split(' ')], settings);
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringMatching(/^paw: --shards .+\n$/) });
    expect(await isUntouched(made.url)).toBe(true);
  },
);

test.each([['serve'], ...COMMANDS])(
  'in production, "paw %s %s" refuses an empty database, and changes nothing',
  async (...words) => {
    const stderr = 'paw: The database has no tables. Run "npm run -s paw -- migrate".\n';
    const { status, stderr: printed } = await paw(words, { ...settings, NODE_ENV: 'production' });
    expect([status, printed.replace(/file .* does not exist/, 'has no tables')]).toEqual([1, stderr]);
    expect(await isUntouched(made.url)).toBe(true);
  },
);

test('in production, a server refuses to start before a migration that needs the others to be stopped', async () => {
  const program = newerProgram(
    `-- compatible-from: ${LATEST_VERSION}\nALTER TABLE wallet ADD COLUMN of_next TEXT;\n`,
    'DROP TABLE idempotency_key;\n',
  );
  await paw(['migrate'], settings);
  const before = await onDatabase(made.url, allOf);
  const stderr = `paw: The database has schema version ${LATEST_VERSION} of ${NEXT + 1}, and 000${NEXT + 1}-next needs all servers to be stopped. Stop them, and run "npm run -s paw -- migrate".\n`;
  expect(await program.run(['serve'], { ...settings, NODE_ENV: 'production' })).toMatchObject({
    status: 1,
    stderr,
  });
  expect(await onDatabase(made.url, allOf)).toEqual(before);
  expect(await program.run(['migrate'], { ...settings, NODE_ENV: 'production' })).toMatchObject({
    status: 0,
  });
});

describe('after a migration by the next version of the program', () => {
  /** Applies it to a database in use. */
  async function migrateFurther(sql: string): Promise<void> {
    const { version, compatibleFrom, statements } = parseMigration(`${NEXT}-next`, sql);
    await onDatabase(made.url, (database) =>
      database.transaction(async (transaction) => {
        for (const statement of statements) await transaction.write(statement);
        await transaction.write(INSERT, [version, compatibleFrom]);
      }),
    );
  }

  // Everything that an older program does not notice: columns with a default, a table, an index.
  const COMPATIBLE = `-- compatible-from: ${LATEST_VERSION}
${['account', 'project', 'app', 'wallet', 'token'].map((table) => `ALTER TABLE ${table} ADD COLUMN of_next TEXT NOT NULL DEFAULT '';`).join('\n')}
CREATE TABLE wallet_note (account_id TEXT NOT NULL, id TEXT NOT NULL, PRIMARY KEY (account_id, id));
CREATE INDEX wallet_by_network ON wallet (account_id, network);
`;

  test('that is compatible, servers go on and can be started again, which the log says', async () => {
    const running = await testGateway(settings);
    const { token, wallets } = await seedTenant(running, { wallets: 1 });
    await migrateFurther(COMPATIBLE);
    const started = await testGateway(settings);
    for (const api of [running, started].flatMap(({ url }) => bothApis(() => url))) {
      const { accessToken } = await signIn(api, token, await createApp(api, token));
      expect((await resultOf(api.listProjects(accessToken))).projects).toHaveLength(1);
      const wallet = await resultOf(api.updateWallet(token, wallets[0] ?? '', { title: api.name }));
      expect(wallet.title).toBe(api.name);
    }
    expect(await readiness(started.url)).toBe(200);
    const msg = 'the database schema is newer, and compatible';
    expect(logLines(started.log()).filter((line) => line.msg === msg)).toMatchObject([
      { level: 40, version: NEXT, supported: LATEST_VERSION },
    ]);
  });

  test('that is compatible, "paw migrate" changes nothing, and the other commands are refused', async () => {
    await paw(['migrate'], settings);
    await migrateFurther(COMPATIBLE);
    expect(await paw(['migrate'], settings)).toEqual({
      status: 0,
      stdout: `The schema version is ${NEXT}, which is compatible with this program of version ${LATEST_VERSION}.\n`,
      stderr: '',
    });
    const plan = { version: NEXT, serversContinue: true, missing: [] };
    expect(await pawJson(['migrate', '--dry-run'], settings)).toEqual(plan);
    const { status, stderr } = await paw(['account', 'list'], settings);
    expect({ status, stderr }).toEqual({ status: 1, stderr: `paw: ${REFUSAL}\n` });
  });

  test('that is not compatible, servers are not ready and do not start, and every command is refused', async () => {
    const { url, log, stop } = await startGateway(settings);
    onTestFinished(stop);
    await migrateFurther('CREATE TABLE wallet_note (id TEXT PRIMARY KEY);\n');
    const before = await onDatabase(made.url, allOf);
    await expect.poll(() => readiness(url)).toBe(503);
    expect((await send(`${url}/healthz`, 'GET')).status).toBe(200);
    expect(log()).toContain(JSON.stringify(REFUSAL).slice(1, -1));
    await expect(startGateway(settings)).rejects.toThrow(new Error(REFUSAL));
    for (const words of [['migrate'], ['migrate', '--dry-run'], ...COMMANDS]) {
      expect(await paw(words, settings)).toEqual({ status: 1, stdout: '', stderr: `paw: ${REFUSAL}\n` });
    }
    expect(await onDatabase(made.url, allOf)).toEqual(before);
  });

  test.each([
    ['all newer migrations are compatible with it', [LATEST_VERSION, LATEST_VERSION - 1], true],
    ['one of the newer migrations is compatible with a later version only', [LATEST_VERSION, NEXT], false],
    ['one of the newer migrations is compatible with no earlier version', [NEXT, LATEST_VERSION], false],
  ])('a program can use the schema if %s: %s', (_, compatibleFrom, isUsable) =>
    onDatabase(made.url, async (database) => {
      await migrate(database, NOW);
      for (const [index, version] of compatibleFrom.entries()) {
        await database.write(INSERT, [NEXT + index, version]);
      }
      const schema = await readSchemaVersion(database);
      const check = expect(() => assertUsable(schema));
      if (isUsable) check.not.toThrow();
      else check.toThrow(/Use a newer program/);
    }),
  );
});

const differs = (name: string) =>
  `The database has a different migration ${name} than this program. Use the program that made it, or export its accounts with that program and import them into a new database.`;

test('a database whose first migration had another text is refused, and nothing is changed', async () => {
  const sql = "UPDATE schema_migration SET digest = 'of another text'";
  const refusal = differs(NAMES[0] ?? '');
  const { url, log, stop } = await startGateway(settings);
  onTestFinished(stop);
  await onDatabase(made.url, (database) => database.write(sql));
  const before = await onDatabase(made.url, allOf, { isReadOnly: true });
  await expect.poll(() => readiness(url)).toBe(503);
  expect(log()).toContain(JSON.stringify(refusal).slice(1, -1));
  for (const NODE_ENV of ['development', 'production']) {
    await expect(startGateway({ ...settings, NODE_ENV })).rejects.toThrow(new Error(refusal));
    for (const words of [['migrate'], ['migrate', '--dry-run'], ['check'], ...COMMANDS]) {
      const result = await paw(words, { ...settings, NODE_ENV });
      expect(result, words[0]).toEqual({ status: 1, stdout: '', stderr: `paw: ${refusal}\n` });
    }
  }
  const demo = await paw(['demo'], settings);
  expect(demo).toEqual({ status: 1, stdout: '', stderr: `paw: ${refusal}\n` });
  expect(await onDatabase(made.url, allOf, { isReadOnly: true })).toEqual(before);
});

test('a migration with another text is refused where it was applied, but not one with other comments and line ends', async () => {
  const lines = [`-- compatible-from: ${LATEST_VERSION}`, 'ALTER TABLE wallet ADD COLUMN of_next TEXT;', ''];
  const program = newerProgram(lines.join('\n'));
  expect(await program.run(['migrate'], settings)).toMatchObject({ status: 0 });
  const elsewhere = newerProgram(lines.join('\r\n').replace('ALTER', '-- For later.\r\nALTER'));
  expect(await elsewhere.run(['check'], settings)).toMatchObject({ status: 0 });
  const before = await onDatabase(made.url, allOf);
  const other = newerProgram(lines.join('\n').replace('TEXT', 'INTEGER'));
  for (const command of ['migrate', 'check', 'serve']) {
    const stderr = `paw: ${differs(`000${NEXT}-next`)}\n`;
    expect(await other.run([command], settings)).toMatchObject({ status: 1, stderr });
  }
  expect(await onDatabase(made.url, allOf)).toEqual(before);
  // The program that does not have the migration.
  await (await testGateway(settings)).stop();
});

test.each([
  'ALTER TABLE wallet RENAME COLUMN network TO chain',
  'ALTER TABLE account RENAME COLUMN title TO name',
  'DROP TABLE idempotency_key',
])('a database is not ready without one of its tables or columns: %s', (sql) =>
  onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    await onDatabase(made.url, (other) => other.checkReady());
    await database.write(sql);
    await expect(database.checkReady()).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
  }),
);
