import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../src/storage/migrate.ts';
import { onDatabase, pathOf } from '../support/engine.ts';
import { makeDatabase } from '../support/gateway.ts';
import { paw, pawProcess, startServerProcess } from '../support/paw.ts';

test('the file of a newer version is not changed', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  await onDatabase(url, async (database) => {
    await migrate(database, Date.now());
    await database.write(
      'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES (9999, 9999, 0)',
    );
  });
  const before = readFileSync(pathOf(url));
  for (const words of [['serve'], ['account', 'create', '--title', 'Atlas']]) {
    expect((await pawProcess(words, { PORT: '0', DATABASE_URL: url })).status).toBe(1);
  }
  expect(readFileSync(pathOf(url)).equals(before)).toBe(true);
});

test('in production a server does not create a file, and runs on a file of "paw migrate"', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  const settings = { PORT: '0', NODE_ENV: 'production', DATABASE_URL: url };
  expect(await pawProcess(['serve'], settings)).toEqual({
    status: 1,
    stdout: '',
    stderr: `paw: The database file ${pathOf(url)} does not exist. Run "paw migrate".\n`,
  });
  expect(existsSync(pathOf(url))).toBe(false);

  expect(await paw(['migrate'], settings)).toMatchObject({ status: 0 });
  const server = await startServerProcess(settings);
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0 });
});
