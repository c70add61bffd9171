import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createApp, resultOf, signIn } from '../support/actors.ts';
import { bothApis } from '../support/apis.ts';
import {
  adminContext,
  makeDatabase,
  migrateDatabase,
  seedTenant,
  type Tenant,
  type TestDatabase,
} from '../support/gateway.ts';
import { listening, logLines, type RunningServer, startProgram } from '../support/paw.ts';

// A killed process does not lose data in the page cache. A power failure does. These tests therefore
// trace the system calls of a server: it must sync the write-ahead log before it acknowledges a write.

const MAIN = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const WRITES = 5;

let folder: string;
let made: TestDatabase;
let tenant: Tenant;
let server: RunningServer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'paw-trace-'));
  made = await makeDatabase();
  await migrateDatabase(made.url);
  const database = await openDatabase(made.url);
  tenant = await seedTenant({ admin: adminContext(database) }, { wallets: 1 });
  await database.close();
  const trace = ['-f', '-y', '-e', 'trace=fsync,fdatasync', '-o', join(folder, 'trace')];
  const settings = { PORT: '0', DATABASE_URL: made.url };
  server = await listening(
    startProgram('strace', [...trace, process.execPath, MAIN, 'serve'], {
      PATH: String(process.env['PATH']),
      ...settings,
    }),
    () => {},
  );
  return async () => {
    // The signal goes to the server. strace ends with it.
    process.kill(logLines(server.output())[0].pid, 'SIGKILL');
    await server.ended;
    await made.remove();
    rmSync(folder, { recursive: true });
  };
});

/** The number of syncs of the write-ahead log so far. */
function syncCount(): number {
  const unfinished = new Set<string>();
  let count = 0;
  for (const line of readFileSync(join(folder, 'trace'), 'utf8').split('\n')) {
    const [thread = ''] = line.split(' ', 1);
    if (/ f(data)?sync\(\d+<[^>]*-wal>\) += 0$/.test(line)) count += 1;
    else if (/ f(data)?sync\(\d+<[^>]*-wal> <unfinished/.test(line)) unfinished.add(thread);
    else if (/ resumed>\) += 0$/.test(line) && unfinished.delete(thread)) count += 1;
  }
  return count;
}

describe.each(bothApis(() => server.url))('by $name', (api) => {
  test.each<[string, () => Promise<unknown>]>([
    ['createApp', () => createApp(api, tenant.token)],
    [
      'updateWallet',
      () => resultOf(api.updateWallet(tenant.token, tenant.wallets[0] ?? '', { title: 'Saved' })),
    ],
  ])('%s is acknowledged after the write-ahead log has been synced to disk', async (_, write) => {
    for (let n = 0; n < WRITES; n += 1) {
      const before = syncCount();
      await write();
      expect(syncCount()).toBeGreaterThan(before);
    }
  });

  test('signIn is acknowledged after the write-ahead log has been synced to disk', async () => {
    const app = await createApp(api, tenant.token);
    const before = syncCount();
    await signIn(api, tenant.token, app);
    expect(syncCount()).toBeGreaterThan(before);
  });
});
