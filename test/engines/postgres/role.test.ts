import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createApp, reasonOf } from '../../support/actors.ts';
import { bothApis, readiness, restApi } from '../../support/apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { migrateDatabase, seedDatabase, testDatabase, testGateway } from '../../support/gateway.ts';
import { logLines, paw, pawJson, pawProcess, startServerProcess } from '../../support/paw.ts';

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
  const address = ['--network', 'NETWORK_POLYGON', '--address', `0x${'0'.repeat(40)}`];
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
