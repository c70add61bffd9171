// @module-tag needs/util-linux
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { bothApis, readiness } from '../../support/both-apis.ts';
import { seedDatabase, testDatabase } from '../../support/gateway.ts';
import { startServerProcess } from '../../support/run-command.ts';

test('while the disk takes no writes, a server is not ready, and the log has one line', async () => {
  const { url: databaseUrl } = await testDatabase();
  const { token, wallets } = await seedDatabase(databaseUrl, { wallets: 1 });
  const server = await startServerProcess({ DATABASE_URL: databaseUrl });
  const apis = bothApis(() => server.url);
  const limit = (bytes: string) => execFileSync('prlimit', [`--pid=${server.pid}`, `--fsize=${bytes}:`]);
  const ready = () => readiness(server.url);
  expect(await ready()).toBe(200);

  limit('4096');
  for (const api of apis) {
    const { error } = await api.updateWallet(token, wallets[0] ?? '', { title: 'Later' });
    expect(error).toMatchObject({ status: 'UNAVAILABLE', reason: 'UNAVAILABLE' });
    expect((await api.listProjects(token)).error).toBeUndefined();
  }
  await expect.poll(ready).toBe(503);
  limit('unlimited');
  await expect.poll(ready).toBe(200);
  for (const api of apis) {
    const { value } = await api.updateWallet(token, wallets[0] ?? '', { title: api.name });
    expect(value?.title).toBe(api.name);
  }
  expect(server.output().split('"the database is unavailable"')).toHaveLength(2);
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0 });
});
