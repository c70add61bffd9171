import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, test } from 'vitest';
import { pathOf } from '../../support/engine.ts';
import { seedDatabase, type Tenant, testDatabase, testGateway } from '../../support/gateway.ts';
import { paw } from '../../support/paw.ts';
import { setRows } from '../../support/rows.ts';

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

test('they do not change the file of another program, and create none', async () => {
  const { url: other } = await testDatabase();
  for (const words of COMMANDS) {
    const { stderr } = await paw(words(tenant), { DATABASE_URL: other });
    if (!words(tenant).includes('--dry-run')) expect(stderr).toContain('does not exist');
  }
  expect(readdirSync(dirname(pathOf(other)))).toEqual([]);
  const file = new DatabaseSync(pathOf(other));
  file.exec('CREATE TABLE note (text TEXT)');
  file.close();
  const before = filesOf(pathOf(other));
  for (const words of COMMANDS) await paw(words(tenant), { DATABASE_URL: other });
  expect(filesOf(pathOf(other))).toEqual(before);
});

test('they see what a running server has committed', async () => {
  const gateway = await testGateway({ DATABASE_URL: url });
  await setRows(gateway.database, 'project', { title: 'Later' });
  const { stdout } = await paw(['project', 'list', '--account', tenant.account], { DATABASE_URL: url });
  expect(stdout).toContain('Later');
});
