import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { titleKey } from '../../../src/model/title-key.ts';
import { deleteAccount } from '../../../src/operator/delete-account.ts';
import { restApi } from '../../support/both-apis.ts';
import { pathOf } from '../../support/engine.ts';
import { type Gateway, seedTenant, startGateway, testDatabase, testGateway } from '../../support/gateway.ts';
import { resultOf, ulidOf } from '../../support/requests.ts';
import { paw } from '../../support/run-command.ts';

/** Returns what can be read of an account in the files of a folder. */
function tracesIn(folder: string, words: readonly string[]): readonly string[] {
  const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'));
  return words.filter((word) => files.some((content) => content.includes(word)));
}

/** Makes two accounts. Returns the first, words of its rows, and its ids and the keys of its titles, which indexes have, too. */
async function makeAccounts(gateway: Gateway) {
  const api = restApi(() => gateway.url);
  const { account, token, projects, wallets } = await seedTenant(gateway, { projects: 30, wallets: 30 });
  for (const [n, wallet] of wallets.slice(0, 20).entries()) {
    await resultOf(
      api.updateWallet(token, wallet, { title: `Quetzal ${n}`, description: 'x'.repeat(99 * n) }),
    );
  }
  await resultOf(api.updateWallet(token, wallets[0] ?? '', { title: 'Axolotl', password: 'p'.repeat(32) }));
  await seedTenant(gateway, { projects: 30, wallets: 30 });
  const names = [account, ...projects, ...wallets];
  const keys = [...names.map(ulidOf), titleKey('Quetzal'), titleKey('Axolotl')];
  return { account, words: ['Quetzal', 'Axolotl', '$argon2id$'], keys };
}

test('what a deleted account had is not in the file any more, and nothing of it in a later backup', async () => {
  const { url } = await testDatabase();
  const gateway = await startGateway({ DATABASE_URL: url });
  const { account, words, keys } = await makeAccounts(gateway);
  await gateway.stop();
  const folder = dirname(pathOf(url));
  expect(tracesIn(folder, [...words, ...keys])).toEqual([...words, ...keys]);

  const settings = { DATABASE_URL: url };
  expect(await paw(['account', 'delete', account, '--yes'], settings)).toMatchObject({ status: 0 });
  expect(tracesIn(folder, words)).toEqual([]);
  const backup = join(folder, 'backups');
  mkdirSync(backup);
  expect(await paw(['backup', join(backup, 'backup.db')], settings)).toMatchObject({ status: 0 });
  expect(tracesIn(backup, [...words, ...keys])).toEqual([]);
});

test('while a server runs, what a deleted account had is neither in the file nor in its log after a minute', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const gateway = await testGateway();
  // First of all, since the stop needs them.
  onTestFinished(() => void vi.useRealTimers());
  const { account, words } = await makeAccounts(gateway);
  await deleteAccount(gateway.operator, { name: account }, false);
  const folder = dirname(pathOf(gateway.databaseUrl));
  expect(tracesIn(folder, words)).not.toEqual([]);
  vi.advanceTimersByTime(60_000);
  await expect.poll(() => tracesIn(folder, words)).toEqual([]);
});
