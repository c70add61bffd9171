import { randomUUID } from 'node:crypto';
import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, test, vi } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { readiness, send } from '../../support/both-apis.ts';
import { damageTable, pathOf } from '../../support/engine.ts';
import { migrateDatabase, seedTenant, testDatabase, testGateway } from '../../support/gateway.ts';

// The result of a check is remembered for a second.

test('a server is not ready while the pages of a table are damaged, and healthy', async () => {
  const gateway = await testGateway();
  expect(await readiness(gateway.url)).toBe(200);
  await seedTenant(gateway);
  // Moves all pages from the log into the file.
  const other = new DatabaseSync(pathOf(gateway.databaseUrl));
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  damageTable(pathOf(gateway.databaseUrl), 'project');
  await expect.poll(() => readiness(gateway.url)).toBe(503);
  expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
});

const CHANGE = 'DELETE FROM wallet';

const replace = (file: string) => {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
};

test.each<[string, (file: string) => void]>([
  ['is deleted', (file) => rmSync(file)],
  ['is replaced', replace],
  ['has lost its log', (file) => rmSync(`${file}-wal`)],
])('a database whose file %s takes no write and is not ready, which ends the server', async (_, change) => {
  const { url } = await testDatabase();
  await migrateDatabase(url);
  for (const notice of [
    (database: Engine) => expect(database.write(CHANGE)).rejects.toMatchObject({ reason: 'RESULT_UNKNOWN' }),
    (database: Engine) => expect(database.checkReady()).rejects.toMatchObject({ reason: 'UNAVAILABLE' }),
  ]) {
    const onFailure = vi.fn<(error: Error) => void>();
    const copy = `${url}.${randomUUID()}`;
    copyFileSync(pathOf(url), pathOf(copy));
    const database = await openDatabase(copy, { onFailure });
    change(pathOf(copy));
    await notice(database);
    await expect(database.write(CHANGE)).rejects.toMatchObject({ reason: 'UNAVAILABLE' });
    await database.close();
    const error = new Error(`The database file ${pathOf(copy)} was deleted or replaced.`);
    expect(onFailure.mock.calls).toEqual([[error]]);
  }
});
