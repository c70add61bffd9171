import { statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { beforeAll, expect, test } from 'vitest';
import { bothApis, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

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
  for (let n = 0; n < 20; n += 1) {
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
