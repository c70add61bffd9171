import {
  copyFileSync,
  cpSync,
  linkSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { resultOf } from '../support/actors.ts';
import { bothApis } from '../support/apis.ts';
import { onDatabase, pathOf } from '../support/engine.ts';
import { makeDatabase, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { paw, startPaw, startServerProcess } from '../support/paw.ts';

let folder: string;
/** The file of the database. */
let path: string;
/** A symbolic link to it in another folder. */
let link: string;
let tenant: Tenant;

beforeEach(async () => {
  const made = await makeDatabase();
  onTestFinished(made.remove);
  path = pathOf(made.url);
  folder = dirname(path);
  const other = await makeDatabase();
  onTestFinished(other.remove);
  link = join(dirname(pathOf(other.url)), 'linked.db');
  const gateway = await startGateway({ DATABASE_URL: made.url });
  tenant = await seedTenant(gateway, { wallets: 1 });
  await gateway.stop();
});

const run = (...words: string[]) => paw(words, { DATABASE_URL: `sqlite:${link}` });

const titles = (file: string) =>
  onDatabase(`sqlite:${file}`, async (database) =>
    (await database.read('SELECT title FROM wallet')).map(({ title }) => title),
  );

test('a database can be served, checked, backed up and read through a symbolic link', async () => {
  symlinkSync(path, link);
  const gateway = await startGateway({ DATABASE_URL: `sqlite:${link}` });
  for (const api of bothApis(() => gateway.url)) {
    await resultOf(api.updateWallet(tenant.token, tenant.wallets[0] ?? '', { title: api.name }));
    expect(await run('check')).toMatchObject({ status: 0, stderr: '' });
    const backup = join(folder, `${api.name}.db`);
    expect(await run('backup', backup)).toMatchObject({ status: 0, stderr: '' });
    expect(await titles(backup)).toEqual([api.name]);
    expect(await titles(link)).toEqual([api.name]);
  }
  await gateway.stop();
  expect(readdirSync(dirname(link))).toEqual(['linked.db']);
});

test.each([
  ['absolute', () => path],
  ['relative', () => join('..', path.slice(dirname(folder).length + 1))],
])('a restoration keeps the %s link, and does not write to the file that it replaces', async (_, target) => {
  symlinkSync(target(), link);
  const backup = join(folder, 'backup.db');
  await run('backup', backup);
  await onDatabase(`sqlite:${link}`, (database) => database.write("UPDATE wallet SET title = 'Later'"));
  const kept = join(folder, 'kept.db');
  linkSync(path, kept);
  const before = readFileSync(kept);
  expect(await run('restore', backup)).toMatchObject({ status: 0, stderr: '' });
  expect(readFileSync(kept).equals(before)).toBe(true);
  expect(await titles(kept)).toEqual(['Later']);
  expect(readlinkSync(link)).toBe(target());
  expect(lstatSync(path).isFile()).toBe(true);
  expect(await titles(link)).toEqual(['Wallet 1']);
  expect(readdirSync(folder).filter((name) => name.includes('restore'))).toEqual([]);
});

test('a restoration through a link to a file that does not exist creates this file', async () => {
  const missing = join(folder, 'missing.db');
  symlinkSync(missing, link);
  expect(await run('restore', path)).toMatchObject({ status: 0, stderr: '' });
  expect(readlinkSync(link)).toBe(missing);
  expect(await titles(missing)).toEqual(['Wallet 1']);
});

test('a restoration moves the log of a killed server to the other names of the file', async () => {
  const backup = join(folder, 'backup.db');
  await paw(['backup', backup], { DATABASE_URL: `sqlite:${path}` });
  const server = await startServerProcess({ DATABASE_URL: `sqlite:${path}` });
  const [, api] = bothApis(() => server.url);
  await api?.updateWallet(tenant.token, tenant.wallets[0] ?? '', { title: 'Later' });
  await server.stop('SIGKILL');
  const kept = join(folder, 'kept.db');
  linkSync(path, kept);
  expect(await paw(['restore', backup], { DATABASE_URL: `sqlite:${path}` })).toMatchObject({ status: 0 });
  expect(await titles(kept)).toEqual(['Later']);
  expect(await titles(path)).toEqual(['Wallet 1']);
});

test('a server does not start on a file that is replaced while it waits for the lock', async () => {
  const replacement = join(folder, 'replacement.db');
  copyFileSync(path, replacement);
  const holder = new DatabaseSync(path);
  holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  const server = startPaw(['serve'], { DATABASE_URL: `sqlite:${path}`, PORT: '0' });
  const openFiles = () =>
    readdirSync(`/proc/${server.pid}/fd`).map((file) => {
      try {
        return readlinkSync(`/proc/${server.pid}/fd/${file}`);
      } catch {
        return '';
      }
    });
  await expect.poll(openFiles, { timeout: 30_000, interval: 5 }).toContain(path);
  renameSync(replacement, path);
  holder.close();
  expect(await server.ended).toMatchObject({
    status: 1,
    stderr: `paw: The database is unavailable: The database file ${path} was replaced while it was being opened.\n`,
  });
  cpSync(path, `${path}.again`);
  expect(await titles(`${path}.again`)).toEqual(['Wallet 1']);
});
