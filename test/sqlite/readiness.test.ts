import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { bothApis, send } from '../support/apis.ts';
import { damageTable, pathOf } from '../support/engine.ts';
import { makeDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { startServerProcess } from '../support/paw.ts';

// The result of a check is remembered for a second.
const POLL = { timeout: 30_000, interval: 50 };

async function readiness(url: string): Promise<number> {
  return (await send(`${url}/readyz`, 'GET')).status;
}

test('a server is not ready while the pages of a table are damaged, and healthy', async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  expect(await readiness(gateway.url)).toBe(200);
  await seedTenant(gateway);
  // Moves all pages from the log into the file.
  const other = new DatabaseSync(pathOf(gateway.databaseUrl));
  other.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  other.close();
  damageTable(pathOf(gateway.databaseUrl), 'project');
  await expect.poll(() => readiness(gateway.url), POLL).toBe(503);
  expect((await send(`${gateway.url}/healthz`, 'GET')).status).toBe(200);
});

test('a server is not ready while the schema is that of another version', async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  expect(await readiness(gateway.url)).toBe(200);
  await gateway.database.write(
    'INSERT INTO schema_migration (version, compatible_from, apply_time_ms) VALUES (999, 999, 0)',
  );
  await expect.poll(() => readiness(gateway.url), POLL).toBe(503);
  await gateway.database.write('DELETE FROM schema_migration WHERE version = 999');
  await expect.poll(() => readiness(gateway.url), POLL).toBe(200);
});

test('a server is ready while another process writes', async () => {
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  const other = new DatabaseSync(pathOf(gateway.databaseUrl));
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  expect(await readiness(gateway.url)).toBe(200);
  other.exec('ROLLBACK');
});

const replace = (file: string) => {
  copyFileSync(file, `${file}.copy`);
  renameSync(`${file}.copy`, file);
};

const probe = async (url: string) => expect(await readiness(url)).toBe(503);

const update = (name: string) => async (url: string, token: string, wallet: string) => {
  const api = bothApis(() => url).find((each) => each.name === name);
  expect((await api?.updateWallet(token, wallet, { title: 'Lost' }))?.error?.reason).toBe('RESULT_UNKNOWN');
};

test.each([
  ['is deleted', 'an update by GraphQL', (file: string) => rmSync(file), update('GraphQL')],
  ['is replaced', 'an update by REST', replace, update('REST')],
  ['has lost its log', 'an update by REST', (file: string) => rmSync(`${file}-wal`), update('REST')],
  ['is replaced', 'a probe', replace, probe],
])('a server whose file %s ends with status 1 and one line at %s, which is 503', async (...use) => {
  const [, , change, request] = use;
  const { url: databaseUrl, remove: removeDatabase } = await makeDatabase();
  onTestFinished(removeDatabase);
  const before = await startGateway({ DATABASE_URL: databaseUrl });
  const { token, wallets } = await seedTenant(before, { wallets: 1 });
  await before.stop();

  const server = await startServerProcess({ DATABASE_URL: databaseUrl });
  change(pathOf(databaseUrl));
  await request(server.url, token, wallets[0] ?? '');
  expect(await server.ended).toMatchObject({
    status: 1,
    stderr: `paw: The database file ${pathOf(databaseUrl)} was deleted or replaced.\n`,
  });
});
