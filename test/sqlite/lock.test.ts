import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { bothApis, send } from '../support/apis.ts';
import { type Gateway, makeDatabase, migrateDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { paw } from '../support/paw.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

const fileOf = ({ databaseUrl }: Gateway) => databaseUrl.slice('sqlite:'.length);

test('a write that waits for another process does not block other requests', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const [api] = bothApis(() => gateway.url);
  const other = new DatabaseSync(fileOf(gateway));
  other.exec('BEGIN IMMEDIATE');
  let written = false;
  const update = api?.updateWallet(token, wallets[0] ?? '', { title: 'After' }).then((outcome) => {
    written = true;
    return outcome;
  });
  for (let n = 0; n < 5; n += 1) {
    expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
    expect((await api?.listProjects(token))?.value?.projects).toHaveLength(1);
  }
  expect(written).toBe(false);
  other.exec('ROLLBACK');
  other.close();
  expect((await update)?.value?.title).toBe('After');
});

test('the files of a database are readable only by their owner', () => {
  for (const file of ['', '-wal', '-shm']) {
    expect(statSync(fileOf(gateway) + file).mode & 0o777).toBe(0o600);
  }
});

test('closing does not wait for a lock that another process holds, and readers take none', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  await migrateDatabase(url);
  const { name: account } = JSON.parse(
    (await paw(['account', 'create', '--title', 'Atlas', '--json'], { DATABASE_URL: url })).stdout,
  );
  const other = new DatabaseSync(url.slice('sqlite:'.length));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const database = await openDatabase(url);
  await database.close();
  const words = ['app', 'list', '--account', account, '--json'];
  expect(await paw(words, { DATABASE_URL: url })).toEqual({
    status: 0,
    stdout: '{"apps":[],"nextPageToken":""}\n',
    stderr: '',
  });
});
