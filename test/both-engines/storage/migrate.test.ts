import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { LATEST_VERSION, MIGRATIONS } from '../../../src/storage/migrations.ts';
import { DatabaseVersionError } from '../../../src/storage/schema-version.ts';
import { namesOf, TABLES } from '../../../src/storage/tables.ts';
import { columnsOf, isUntouched, onDatabase, schemaOf, tablesOf, textOf } from '../../support/engine.ts';
import { makeDatabase, type TestDatabase } from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { logLines, paw, pawJson, pawProcess, startServerProcess } from '../../support/paw.ts';

const NOW = 1_767_225_600_123;

const NAMES = MIGRATIONS.map(({ name }) => name);

const CREATE_ACCOUNT = ['account', 'create', '--title', 'Atlas'];

const NAME = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const OTHER_COMMANDS = [
  CREATE_ACCOUNT,
  ['project', 'create', '--account', `accounts/${NAME}`, '--title', 'Atlas'],
  [
    ...['wallet', 'create', '--project', `projects/${NAME}`, '--title', 'Atlas'],
    ...['--network', 'NETWORK_POLYGON', '--address', `0x${'0'.repeat(40)}`],
  ],
  ['token', 'create', '--account', `accounts/${NAME}`],
  ['token', 'revoke'],
  ['app', 'list', '--account', `accounts/${NAME}`],
  ['account', 'delete', `accounts/${NAME}`, '--yes'],
  ['app', 'activate', `apps/${NAME}`],
  ['app', 'deactivate', `apps/${NAME}`],
];

const APPLIED = 'SELECT version, apply_time_ms FROM schema_migration ORDER BY version';

let made: TestDatabase;

beforeEach(async () => {
  made = await makeDatabase();
});

afterEach(() => made.remove());

async function allOf(database: Database) {
  return { schema: await schemaOf(database), rows: await textOf(database) };
}

test('an empty database gets every table, and a second migration changes nothing', () =>
  onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    expect(await tablesOf(database)).toEqual([
      'account',
      'app',
      'audit_event',
      'idempotency_key',
      'page_token_key',
      'project',
      'schema_migration',
      'sweep',
      'token',
      'wallet',
    ]);
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
    const others = ['page_token_key', 'schema_migration', 'sweep'];
    const names = TABLES.map(({ name }) => name);
    expect([...names, ...others].sort()).toEqual(await tablesOf(database));
    for (const { name, columns } of TABLES) {
      expect(namesOf(columns).toSorted(), name).toEqual(await columnsOf(database, name));
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

test('two concurrent migrations both succeed, and each step is applied once', async () => {
  const settings = { DATABASE_URL: made.url };
  const migrate = ['migrate', '--json'];
  const results = await Promise.all([pawProcess(migrate, settings), pawProcess(migrate, settings)]);
  expect(results).toMatchObject(results.map(() => ({ status: 0, stderr: '' })));
  const outputs = results.map(({ stdout }) => JSON.parse(stdout));
  expect(outputs.map(({ version }) => version)).toEqual([LATEST_VERSION, LATEST_VERSION]);
  expect(outputs.flatMap(({ applied }) => applied)).toEqual(NAMES);
  await onDatabase(made.url, async (database) => {
    expect(await database.read(APPLIED)).toHaveLength(LATEST_VERSION);
  });
});

test('a migration prints each step, and none for a current database', async () => {
  const settings = { DATABASE_URL: made.url };
  const steps = NAMES.map((name) => `Applied ${name}.\n`).join('');
  const end = `The schema version is ${LATEST_VERSION}.\n`;
  expect(await paw(['migrate'], settings)).toEqual({ status: 0, stdout: steps + end, stderr: '' });
  expect(await paw(['migrate'], settings)).toEqual({ status: 0, stdout: end, stderr: '' });
});

test('a dry run prints the statements of the missing migrations, and changes nothing', async () => {
  const settings = { DATABASE_URL: made.url };
  const missing = MIGRATIONS.map(({ name, compatibleFrom, statements }) => ({
    name,
    compatibleFrom,
    statements,
  }));
  const plan = { version: 0, serversContinue: true, missing };
  expect(await pawJson(['migrate', '--dry-run'], settings)).toEqual(plan);
  expect(await isUntouched(made.url)).toBe(true);

  await paw(['migrate'], settings);
  const before = await onDatabase(made.url, allOf);
  const program = newerProgram('CREATE TABLE note (id TEXT);\n', 'CREATE TABLE remark (id TEXT);\n');
  onTestFinished(program.remove);
  const { status, stdout } = await program.run(['migrate', '--dry-run'], settings);
  expect({ status, stdout }).toEqual({
    status: 0,
    stdout: [
      `-- The database has schema version ${LATEST_VERSION}. Stop its servers first.`,
      '-- 0002-next\nCREATE TABLE note (id TEXT);',
      '-- 0003-next\nCREATE TABLE remark (id TEXT);\n',
    ].join('\n\n'),
  });
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});

test('the server logs each migration that it applies', async () => {
  const server = await startServerProcess({ DATABASE_URL: made.url });
  const { stdout } = await server.stop('SIGTERM');
  const lines = logLines(stdout);
  expect(lines.filter(({ msg }) => msg === 'applied a migration')).toMatchObject(
    NAMES.map((migration) => ({ migration })),
  );
});

test('every other command refuses an empty database, names the command to run, and changes nothing', async () => {
  for (const words of OTHER_COMMANDS) {
    expect(await paw(words, { DATABASE_URL: made.url }), words.join(' ')).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^paw: .* Run "paw migrate"\.\n$/),
    });
    expect(await isUntouched(made.url)).toBe(true);
  }
});

test('other commands refuse a database that needs a migration, and change nothing', async () => {
  const settings = { DATABASE_URL: made.url };
  await paw(['migrate'], settings);
  const before = await onDatabase(made.url, allOf);
  const program = newerProgram('CREATE TABLE note (id TEXT);\n');
  onTestFinished(program.remove);
  for (const words of [CREATE_ACCOUNT, ['app', 'list', '--account', `accounts/${NAME}`]]) {
    expect(await program.run(words, settings), words.join(' ')).toEqual({
      status: 1,
      stdout: '',
      stderr: `paw: The database has schema version ${LATEST_VERSION} of ${LATEST_VERSION + 1}. Run "paw migrate".\n`,
    });
  }
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});

test('a database of a newer version is refused with one line by every command, and not changed', async () => {
  const before = await onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    await database.write(
      'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES (9999, 9999, 0)',
    );
    await expect(migrate(database, NOW)).rejects.toBeInstanceOf(DatabaseVersionError);
    return allOf(database);
  });
  for (const words of [['serve'], CREATE_ACCOUNT]) {
    expect(await pawProcess(words, { PORT: '0', DATABASE_URL: made.url })).toEqual({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^paw: .*newer.*\n$/i),
    });
  }
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});
