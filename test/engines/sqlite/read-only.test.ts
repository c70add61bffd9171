import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { pathOf } from '../../support/engine.ts';
import { seedDatabase, type Tenant, testDatabase, testFolder, testGateway } from '../../support/gateway.ts';
import { setRows } from '../../support/rows.ts';
import { paw, pawInShell } from '../../support/run-command.ts';

/** The commands that only read. */
const COMMANDS: readonly ((tenant: Tenant) => string[])[] = [
  () => ['check'],
  () => ['migrate', '--dry-run'],
  () => ['account', 'list'],
  ({ account }) => ['project', 'list', '--account', account],
  ({ account }) => ['account', 'export', account],
  () => ['audit', 'list'],
];

let url: string;
let tenant: Tenant;

beforeEach(async () => {
  ({ url } = await testDatabase());
  tenant = await seedDatabase(url, { wallets: 1 });
});

/** Returns the names and the digests of all files of the database. */
function filesOf(path: string): readonly string[] {
  const folder = dirname(path);
  return readdirSync(folder).map(
    (name) =>
      `${name} ${createHash('sha256')
        .update(readFileSync(`${folder}/${name}`))
        .digest('hex')}`,
  );
}

test('commands that only read change no byte of the file, and leave none beside it', async () => {
  const before = filesOf(pathOf(url));
  expect(before).toHaveLength(1);
  for (const words of COMMANDS)
    expect(await paw(words(tenant), { DATABASE_URL: url })).toMatchObject({ status: 0 });
  expect(filesOf(pathOf(url))).toEqual(before);
});

test('they create no file', async () => {
  const { url: other } = await testDatabase();
  for (const words of COMMANDS) {
    const { stderr } = await paw(words(tenant), { DATABASE_URL: other });
    if (!words(tenant).includes('--dry-run')) expect(stderr).toContain('does not exist');
  }
  expect(readdirSync(dirname(pathOf(other)))).toEqual([]);
});

test.each([
  [
    'another program',
    'CREATE TABLE note (text TEXT)',
    /another program|is not a database of|table note is not one of/,
  ],
  ['another first migration', "UPDATE schema_migration SET digest = ''", /different migration/],
])('no command changes a file of %s', async (_, sql, problem) => {
  const path = pathOf(url);
  if (sql.startsWith('CREATE')) writeFileSync(path, '');
  const file = new DatabaseSync(path);
  file.exec(sql);
  file.close();
  const before = filesOf(path);
  const { account } = tenant;
  const commands = [
    ['serve'],
    ['demo'],
    ['migrate'],
    ['account', 'create', '--title', 'T'],
    ['token', 'create', '--account', account],
    ['copy', '--to', 'postgres://127.0.0.1:1/paw'],
    ['backup', `${path}.backup`],
  ];
  for (const words of commands) {
    const { status, stderr } = await paw(words, { DATABASE_URL: url, PORT: '0' });
    expect({ words, status }).toEqual({ words, status: 1 });
    expect(stderr).toMatch(problem);
  }
  for (const words of COMMANDS) await paw(words(tenant), { DATABASE_URL: url });
  expect(filesOf(path)).toEqual(before);
});

test('a database on read-only storage is listed, checked and backed up', async () => {
  // Stopped, it has a log in its header alone.
  const path = pathOf(url);
  const file = new DatabaseSync(path);
  file.exec('PRAGMA journal_mode = WAL');
  file.close();
  const backup = join(testFolder(), 'backup.db');
  const mount = 'mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$@"';
  for (const words of [['check'], ['account', 'list'], ['backup', backup]]) {
    const inNamespace = `exec unshare --map-root-user --mount sh -c '${mount}' ${dirname(path)} "$@"`;
    expect(await pawInShell(inNamespace, words, { DATABASE_URL: url })).toMatchObject({
      status: 0,
      stderr: '',
    });
  }
  expect(await paw(['check'], { DATABASE_URL: `sqlite:${backup}` })).toMatchObject({ status: 0 });
});

test('they see what a running server has committed', async () => {
  const gateway = await testGateway({ DATABASE_URL: url });
  await setRows(gateway.database, 'project', { title: 'Later' });
  const { stdout } = await paw(['project', 'list', '--account', tenant.account], { DATABASE_URL: url });
  expect(stdout).toContain('Later');
});
