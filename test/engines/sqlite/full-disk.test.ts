// @module-tag needs/util-linux
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { bothApis, readiness } from '../../support/both-apis.ts';
import { seedDatabase, testDatabase } from '../../support/gateway.ts';
import { pawInShell, pawJson, startServerProcess } from '../../support/run-command.ts';

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

test('an import that fills the disk leaves no row of the batch that did not fit', async () => {
  const { url: databaseUrl } = await testDatabase();
  const path = databaseUrl.slice('sqlite:'.length);
  const settings = { DATABASE_URL: databaseUrl };
  const { account } = await pawJson(['init', '--title', 'Atlas'], settings);
  const lines = Array.from({ length: 500 }, (_, index) =>
    JSON.stringify({ type: 'project', title: `Quarry ${index}`, description: '€'.repeat(2000) }),
  );
  writeFileSync(`${path}.jsonl`, lines.join('\n'));
  const words = ['import', `${path}.jsonl`, '--account', account];
  expect(await pawInShell('ulimit -f 4000; exec "$@"', words, settings)).toMatchObject({ status: 1 });

  const database = new DatabaseSync(path);
  expect(database.prepare('SELECT COUNT(*) AS count FROM project').get()).toEqual({ count: 1 });
  database.close();
  expect(await pawJson(['check'], settings)).toMatchObject({ problems: [] });
  expect(await pawJson(words, settings)).toMatchObject({ projects: 500 });
});
