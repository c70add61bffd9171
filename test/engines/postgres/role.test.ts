import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { LATEST_VERSION } from '../../../src/storage/migrations/versions.ts';
import { bothApis, readiness, restApi } from '../../support/both-apis.ts';
import { executeOn, onDatabase, schemaOf } from '../../support/engine.ts';
import { migrateDatabase, seedDatabase, testDatabase, testGateway } from '../../support/gateway.ts';
import { newerProgram } from '../../support/newer-program.ts';
import { createApp, reasonOf } from '../../support/requests.ts';
import { logLines, paw, pawJson, pawProcess, startServerProcess } from '../../support/run-command.ts';

const PASSWORD = 'paw-test';

/** Creates a role that may only read and change rows. Returns the database URL for this role. */
async function addRole(databaseUrl: string, options = ''): Promise<string> {
  const role = `paw_${randomUUID().replaceAll('-', '')}`;
  await onDatabase(databaseUrl, async (database) => {
    for (const sql of [
      `CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}' ${options}`,
      'REVOKE CREATE ON SCHEMA public FROM PUBLIC',
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    ]) {
      await database.write(sql);
    }
  });
  const url = new URL(databaseUrl);
  url.username = role;
  url.password = PASSWORD;
  onTestFinished(async () => {
    await onDatabase(databaseUrl, (database) => database.write(`DROP OWNED BY ${role}`));
    await onDatabase(databaseUrl, (database) => database.write(`DROP ROLE ${role}`));
  });
  return url.href;
}

test('a role with SELECT, INSERT, UPDATE and DELETE alone can run every command and a server', async () => {
  const made = await testDatabase();
  await migrateDatabase(made.url);
  const settings = { DATABASE_URL: await addRole(made.url) };
  const run = (...words: readonly string[]) => pawJson(words, settings);

  const { name: account } = await run('account', 'create', '--title', 'Atlas');
  const { name: project } = await run('project', 'create', '--account', account, '--title', 'Harbour');
  const address = ['--network', 'NETWORK_POLYGON', '--address', `0x${'1'.repeat(40)}`];
  await run('wallet', 'create', '--project', project, '--title', 'Cash', ...address);
  const { accessToken } = await run('token', 'create', '--account', account);
  expect(await run('migrate')).toMatchObject({ applied: [] });

  const server = await startServerProcess(settings);
  await createApp(
    restApi(() => server.url),
    accessToken,
  );
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });

  const { apps } = await run('app', 'list', '--account', account);
  expect(apps).toHaveLength(1);
  await run('app', 'deactivate', apps[0].name);
  await run('app', 'activate', apps[0].name);
  await pawJson(['token', 'revoke'], settings, accessToken);
});

test('a role without DDL rights is refused on an empty database with one line', async () => {
  const made = await testDatabase();
  const settings = { PORT: '0', DATABASE_URL: await addRole(made.url) };
  for (const [command, stdout] of [
    ['serve', /^\{.*"migrating the database"\}\n$/],
    ['migrate', /^$/],
  ] as const) {
    expect(await pawProcess([command], settings)).toEqual({
      status: 1,
      stdout: expect.stringMatching(stdout),
      stderr: expect.stringMatching(/^paw: .*permission denied.*\n$/),
    });
  }
});

const COMPATIBLE = `-- compatible-from: ${LATEST_VERSION}\n`;

// A table of its own, a change of a table, an index, and the rows of a migration in batches.
const MIGRATIONS = [
  [`${COMPATIBLE}CREATE TABLE note (id TEXT);\n`],
  [`${COMPATIBLE}ALTER TABLE wallet ADD COLUMN of_next TEXT;\n`],
  [
    `${COMPATIBLE}-- batches: wallet (account_id, id)\nCREATE INDEX wallet_by_next ON wallet (account_id, title);\n`,
  ],
];

test.each(MIGRATIONS)(
  'a role without the rights of the owner of the tables migrates nothing, where everybody may create: %s',
  async (migration) => {
    const made = await testDatabase();
    const [owner, other] = [await addRole(made.url), await addRole(made.url)];
    const names = [owner, other].map((url) => new URL(url).username);
    await executeOn(made.url, 'GRANT CREATE ON SCHEMA public TO PUBLIC');
    await migrateDatabase(owner);
    await executeOn(
      made.url,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${names[1]}`,
    );
    const program = newerProgram(migration);
    const before = await onDatabase(made.url, schemaOf);
    const stderr = `paw: The tables belong to the role ${names[0]}, whose rights the role ${names[1]} does not have. Run "npm run -s paw -- migrate" with the role ${names[0]}.\n`;
    for (const NODE_ENV of ['development', 'production']) {
      for (const command of ['serve', 'migrate']) {
        const settings = { PORT: '0', DATABASE_URL: other, NODE_ENV };
        expect(await program.run([command], settings)).toMatchObject({ status: 1, stderr });
      }
    }
    expect(await onDatabase(made.url, schemaOf)).toEqual(before);
  },
);

test('a new table belongs to the owner of the others, also if a superuser or a member of this role migrates', async () => {
  const made = await testDatabase();
  const [owner, member] = [await addRole(made.url), await addRole(made.url)];
  const { username } = new URL(owner);
  await executeOn(made.url, `GRANT CREATE ON SCHEMA public TO ${username}`);
  await migrateDatabase(owner);
  await executeOn(made.url, `GRANT ${username} TO ${new URL(member).username}`);
  const texts = ['one', 'two'].map((name) => `${COMPATIBLE}CREATE TABLE ${name} (id TEXT);\n`);
  const migrate = (url: string, ...migrations: string[]) =>
    newerProgram(...migrations).run(['migrate'], { DATABASE_URL: url });
  expect(await migrate(member, ...texts.slice(0, 1))).toMatchObject({ status: 0 });
  expect(await migrate(made.url, ...texts)).toMatchObject({ status: 0 });
  const owners = await onDatabase(made.url, (database) =>
    database.read("SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'public'"),
  );
  expect(owners).toEqual([{ tableowner: username }]);
});

const ROW_SECURITY = [
  'ALTER TABLE token ENABLE ROW LEVEL SECURITY',
  'ALTER TABLE token DISABLE ROW LEVEL SECURITY',
];

// Behind a pooler, sessions have no settings.
test.each(['', '?pgbouncer=true'])(
  'a database is not ready while rows are hidden, or the role has not all rights: postgres://…%s',
  async (search) => {
    const made = await testDatabase();
    await migrateDatabase(made.url);
    const url = await addRole(made.url);
    const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'].map((right) => [
      `REVOKE ${right} ON wallet FROM ${new URL(url).username}`,
      `GRANT ${right} ON wallet TO ${new URL(url).username}`,
    ]);
    const check = () => onDatabase(url + search, (database) => database.checkReady());
    await onDatabase(made.url, async (owner) => {
      for (const [change = '', undo = ''] of [ROW_SECURITY, ...rights]) {
        await owner.write(change);
        await expect(check(), change).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
        await owner.write(undo);
        await check();
      }
    });
  },
);

test('while row level security hides rows, /readyz is 503, the log names the table, and no token is refused', async () => {
  const made = await testDatabase();
  const { token } = await seedDatabase(made.url);
  const url = await addRole(made.url);
  const gateway = await testGateway({ DATABASE_URL: url });
  const api = restApi(() => gateway.url);
  const [enable = '', disable = ''] = ROW_SECURITY;
  await onDatabase(made.url, (owner) => owner.write(enable));
  await expect.poll(() => readiness(gateway.url)).toBe(503);
  expect(logLines(gateway.log()).map(({ cause }) => cause)).toContainEqual(
    expect.stringMatching(/\btoken\b/),
  );
  expect(await reasonOf(api.listProjects(token))).toBe('INTERNAL');
  for (const search of ['', '?pgbouncer=true']) {
    const stdout = 'The table token is "permanent with row level security", not "permanent".\n';
    expect(await paw(['check'], { DATABASE_URL: url + search })).toMatchObject({ status: 1, stdout });
  }
  await onDatabase(made.url, (owner) => owner.write(disable));
  await expect.poll(() => readiness(gateway.url)).toBe(200);
  expect(await reasonOf(api.listProjects(token))).toBe('ok');
});

test('while the server allows no more connections, requests wait for those of the pool', async () => {
  const made = await testDatabase();
  const { token, wallets } = await seedDatabase(made.url, { wallets: 20 });
  const server = await startServerProcess({
    DATABASE_URL: await addRole(made.url, 'CONNECTION LIMIT 3'),
    PAW_POSTGRES_POOL: '10',
  });
  for (const api of bothApis(() => server.url)) {
    const requests = wallets.flatMap((wallet) => [
      reasonOf(api.updateWallet(token, wallet, { title: api.name })),
      reasonOf(api.listProjects(token)),
    ]);
    expect(new Set(await Promise.all(requests))).toEqual(new Set(['ok']));
  }
  // Its connection is the fourth.
  expect(await readiness(server.url)).toBe(200);
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
});
