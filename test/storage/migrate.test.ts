import { afterEach, beforeEach, expect, test } from 'vitest';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { authenticate } from '../../src/data/authenticate.ts';
import { idGenerator, type Ulid } from '../../src/model/resource-name.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { latestVersion, readMigrations } from '../../src/storage/migrations.ts';
import { DatabaseVersionError } from '../../src/storage/schema-version.ts';
import { tokenStore } from '../../src/storage/token-store.ts';
import { revokeTokensOfApp } from '../../src/storage/tokens.ts';
import { isUntouched, onDatabase, schemaOf, tablesOf, textOf } from '../support/engine.ts';
import { makeDatabase, type TestDatabase } from '../support/gateway.ts';
import { logLines, paw, pawJson, pawProcess, startServerProcess } from '../support/paw.ts';

const NOW = 1_767_225_600_123;

const NAMES = readMigrations().map(({ name }) => name);

const MIGRATIONS = latestVersion();

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
      'sign_in_failure',
      'sweep',
      'token',
      'wallet',
    ]);
    expect(await database.query(APPLIED)).toEqual(
      Array.from({ length: MIGRATIONS }, (_, index) => ({ version: index + 1, apply_time_ms: NOW })),
    );
    const first = await allOf(database);

    await migrate(database, NOW + 1);
    expect(await allOf(database)).toEqual(first);
  }));

test('a failed migration is rolled back, and the next one succeeds', () =>
  onDatabase(made.url, async (database) => {
    // The migration fails, because this name exists already.
    await database.query('CREATE TABLE wallet (id TEXT)');
    await expect(migrate(database, NOW)).rejects.toThrow(/wallet/);
    expect(await tablesOf(database)).toEqual(['wallet']);

    await database.query('DROP TABLE wallet');
    await migrate(database, NOW);
    expect(await database.query(APPLIED)).toHaveLength(MIGRATIONS);
  }));

test('two concurrent migrations both succeed, and each step is applied once', async () => {
  const settings = { DATABASE_URL: made.url };
  const migrate = ['migrate', '--json'];
  const results = await Promise.all([pawProcess(migrate, settings), pawProcess(migrate, settings)]);
  expect(results).toMatchObject(results.map(() => ({ status: 0, stderr: '' })));
  const outputs = results.map(({ stdout }) => JSON.parse(stdout));
  expect(outputs.map(({ version }) => version)).toEqual([MIGRATIONS, MIGRATIONS]);
  expect(outputs.flatMap(({ applied }) => applied)).toEqual(NAMES);
  await onDatabase(made.url, async (database) => {
    expect(await database.query(APPLIED)).toHaveLength(MIGRATIONS);
  });
});

test('a migration prints each step, and none for a current database', async () => {
  const settings = { DATABASE_URL: made.url };
  const steps = NAMES.map((name) => `Applied ${name}.\n`).join('');
  const end = `The schema version is ${MIGRATIONS}.\n`;
  expect(await paw(['migrate'], settings)).toEqual({ status: 0, stdout: steps + end, stderr: '' });
  expect(await paw(['migrate'], settings)).toEqual({ status: 0, stdout: end, stderr: '' });
});

test('a dry run prints the statements of the missing migrations, and changes nothing', async () => {
  const settings = { DATABASE_URL: made.url };
  const missing = readMigrations().map(({ name, compatibleFrom, statements }) => ({
    name,
    compatibleFrom,
    statements,
  }));
  const plan = { version: 0, serversContinue: true, missing };
  expect(await pawJson(['migrate', '--dry-run'], settings)).toEqual(plan);
  expect(await isUntouched(made.url)).toBe(true);

  const before = await onDatabase(made.url, async (database) => {
    await applyUpTo(database, MIGRATIONS - 2);
    return allOf(database);
  });
  const { status, stdout } = await paw(['migrate', '--dry-run'], settings);
  expect(status).toBe(0);
  expect(stdout).toMatch(`-- The database has schema version ${MIGRATIONS - 2}. Stop its servers first.\n`);
  for (const { name, statements } of missing.slice(-2)) {
    expect(stdout).toContain(`-- ${name}\n`);
    for (const statement of statements) expect(stdout).toContain(`${statement.trim()};\n`);
  }
  expect(stdout).not.toContain(NAMES.at(-3));
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});

test('a migration keeps the tokens of earlier versions valid', () =>
  onDatabase(made.url, async (database) => {
    await applyUpTo(database, 5);
    const [account = '', app = '', project = ''] = ['1', '2', '3'].map((digit) => digit.repeat(26));
    const insert = (table: string, row: object) =>
      database.query(
        `INSERT INTO ${table} (${Object.keys(row)}) VALUES (${Object.keys(row).map((_, n) => `$${n + 1}`)})`,
        Object.values(row),
      );
    const texts = { title: 'Atlas', create_time_ms: NOW };
    await insert('account', { id: account, default_project_id: project, project_count: 1, ...texts });
    const ids = { account_id: account, id: project };
    await insert('project', { ...ids, description: '', image_cover_cid: '', ...texts });
    await insert('app', { ...ids, id: app, project_id: project, private_key_hash: '', active: 1, ...texts });
    const newId = idGenerator(() => NOW);
    const scope = { accountId: account, defaultProjectId: project };
    const add = async (kind: 'acct' | 'app', owner: string, principal: object) => {
      const serial = newId();
      const text = createCredential(kind, owner as Ulid, serial);
      // Keyv compares the expiry in the value with the real time.
      const value = { value: { hash: hashCredential(text), principal }, expires: Date.now() + 60_000 };
      const row = { namespace: owner, key: serial, value: JSON.stringify(value), expire_time_ms: NOW + 1 };
      await insert('token', row);
      return text;
    };
    const accountToken = await add('acct', account, { level: 'account', ...scope });
    const appToken = await add('app', app, { level: 'project', accountId: account, projectId: project });
    const unknown = await add('app', '4'.repeat(26), {
      level: 'project',
      accountId: account,
      projectId: project,
    });
    await migrate(database, NOW);
    const dependencies = { tokens: tokenStore(database, () => NOW) };
    expect(await authenticate(dependencies, accountToken)).toMatchObject({
      level: 'account',
      accountId: account,
    });
    expect(await authenticate(dependencies, appToken)).toMatchObject({
      level: 'project',
      projectId: project,
    });
    await expect(authenticate(dependencies, unknown)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    await database.query("UPDATE account SET state = 'SUSPENDED'");
    await expect(authenticate(dependencies, appToken)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    await database.query("UPDATE account SET state = 'ACTIVE'");
    const later = { tokens: tokenStore(database, () => NOW + 1) };
    await expect(authenticate(later, appToken)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
    expect(await revokeTokensOfApp(database, account as Ulid, app as Ulid, NOW)).toBe(1);
    await expect(authenticate(dependencies, appToken)).rejects.toMatchObject({ reason: 'TOKEN_INVALID' });
  }));

/** Applies the migrations of an earlier version. */
async function applyUpTo(database: Database, version: number): Promise<void> {
  await database.query(
    'CREATE TABLE schema_migration (version INTEGER PRIMARY KEY, apply_time_ms BIGINT NOT NULL)',
  );
  for (const migration of readMigrations().slice(0, version)) {
    await database.query('INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)', [
      migration.version,
      NOW,
    ]);
    for (const sql of migration.statements) await database.query(sql);
  }
}

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

test('every other command refuses a database that needs a migration, and changes nothing', async () => {
  const before = await onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    await database.query('DELETE FROM schema_migration WHERE version = $1', [MIGRATIONS]);
    return allOf(database);
  });
  for (const words of OTHER_COMMANDS) {
    expect(await paw(words, { DATABASE_URL: made.url }), words.join(' ')).toEqual({
      status: 1,
      stdout: '',
      stderr: `paw: The database has schema version ${MIGRATIONS - 1} of ${MIGRATIONS}. Run "paw migrate".\n`,
    });
  }
  expect(await onDatabase(made.url, allOf)).toEqual(before);
});

test('a database of a newer version is refused with one line by every command, and not changed', async () => {
  const before = await onDatabase(made.url, async (database) => {
    await migrate(database, NOW);
    await database.query('INSERT INTO schema_migration (version, apply_time_ms) VALUES ($1, $2)', [
      9999,
      NOW,
    ]);
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
