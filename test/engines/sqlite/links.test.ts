// @module-tag needs/util-linux
import {
  copyFileSync,
  linkSync,
  lstatSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { titleKey } from '../../../src/model/title-key.ts';
import { onDatabase, pathOf } from '../../support/engine.ts';
import { seedDatabase, startGateway, testDatabase } from '../../support/gateway.ts';
import { rowsOf, setRows, writerOf } from '../../support/rows.ts';
import { paw, startPaw } from '../../support/run-command.ts';

let folder: string;
/** The file of the database. */
let path: string;
/** A symbolic link to it in another folder. */
let link: string;

const LATER = { title: 'Later', title_key: titleKey('Later') };

beforeEach(async () => {
  const [made, other] = [await testDatabase(), await testDatabase()];
  path = pathOf(made.url);
  folder = dirname(path);
  link = join(dirname(pathOf(other.url)), 'linked.db');
  await seedDatabase(made.url, { wallets: 1 });
});

const run = (...words: string[]) => paw(words, { DATABASE_URL: `sqlite:${link}` });

const titles = (file: string) =>
  onDatabase(`sqlite:${file}`, async (database) =>
    (await rowsOf(database, 'wallet')).map(({ title }) => title),
  );

const rename = (file: string) =>
  onDatabase(`sqlite:${file}`, (database) => setRows(database, 'wallet', LATER));

test('a database can be served, checked and backed up through a symbolic link', async () => {
  symlinkSync(path, link);
  const gateway = await startGateway({ DATABASE_URL: `sqlite:${link}` });
  await setRows(gateway.database, 'wallet', LATER);
  const backup = join(folder, 'backup.db');
  for (const words of [['check'], ['backup', backup]]) {
    expect(await run(...words)).toMatchObject({ status: 0, stderr: '' });
  }
  expect(await titles(backup)).toEqual(['Later']);
  await gateway.stop();
  expect(readdirSync(dirname(link))).toEqual(['linked.db']);
});

test.each([
  ['absolute', () => path],
  ['relative', () => join('..', path.slice(dirname(folder).length + 1))],
])('a restoration keeps the %s link, and the old database under its other name', async (_, target) => {
  symlinkSync(target(), link);
  const [backup, kept] = [join(folder, 'backup.db'), join(folder, 'kept.db')];
  await run('backup', backup);
  await rename(link);
  linkSync(path, kept);
  expect(await run('restore', backup)).toMatchObject({ status: 0, stderr: '' });
  expect(await titles(kept)).toEqual(['Later']);
  expect(readlinkSync(link)).toBe(target());
  expect(lstatSync(path).isFile()).toBe(true);
  expect(await titles(link)).toEqual(['Wallet 1']);
  expect(readdirSync(folder).filter((name) => name.includes('restore'))).toEqual([]);
});

test('a restoration through a link to a file that does not exist creates this file', async () => {
  const missing = join(folder, 'missing.db');
  symlinkSync(missing, link);
  const backup = join(folder, 'backup.db');
  await paw(['backup', backup], { DATABASE_URL: `sqlite:${path}` });
  expect(await run('restore', backup)).toMatchObject({ status: 0, stderr: '' });
  expect(readlinkSync(link)).toBe(missing);
  expect(await titles(missing)).toEqual(['Wallet 1']);
});

test('a restoration moves the log of a killed server to the other names of the file', async () => {
  const [left, kept] = [join(folder, 'left.db'), join(folder, 'kept.db')];
  const server = new DatabaseSync(path);
  server.exec('PRAGMA wal_autocheckpoint = 0');
  await setRows(writerOf(server), 'wallet', LATER);
  // What a kill would leave.
  for (const suffix of ['', '-wal']) copyFileSync(path + suffix, left + suffix);
  server.close();
  linkSync(left, kept);
  const backup = join(folder, 'backup.db');
  await paw(['backup', backup], { DATABASE_URL: `sqlite:${path}` });
  expect(await paw(['restore', backup], { DATABASE_URL: `sqlite:${left}` })).toMatchObject({ status: 0 });
  expect(await titles(kept)).toEqual(['Later']);
});

test('a server does not start on a file that is replaced while it waits for the lock', async () => {
  const replacement = join(folder, 'replacement.db');
  copyFileSync(path, replacement);
  const holder = new DatabaseSync(path);
  holder.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  const server = startPaw(['serve'], { DATABASE_URL: `sqlite:${path}`, PORT: '0' });
  onTestFinished(async () => void (await server.stop('SIGKILL')));
  const openFiles = () =>
    readdirSync(`/proc/${server.pid}/fd`).map((file) => {
      try {
        return readlinkSync(`/proc/${server.pid}/fd/${file}`);
      } catch {
        return '';
      }
    });
  await expect.poll(openFiles, { interval: 5 }).toContain(path);
  renameSync(replacement, path);
  holder.close();
  expect(await server.ended).toMatchObject({
    status: 1,
    stderr: `paw: The database is unavailable: The database file ${path} was replaced while it was being opened.\n`,
  });
});
