// @module-tag needs/pgbouncer

import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { bothApis } from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import {
  type Gateway,
  makeDatabase,
  migrateDatabase,
  seedTenant,
  startGateway,
  testDatabase,
} from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { createApp, resultOf, signIn } from '../../support/requests.ts';
import { pawProcess, startProgram } from '../../support/run-command.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

/** A PgBouncer in front of the shared server of the tests. */
type Pooler = {
  /** The URL of a database through the pooler, with `search` as the query of the URL. */
  urlOf(databaseUrl: string, search: string): string;
  /** The log so far. */
  log(): string;
  stop(): Promise<void>;
};

// Debian installs it in a folder that only root has in its PATH.
const ENVIRONMENT = { PATH: `${process.env['PATH']}:/usr/sbin` };

let direct: Engine;
let directUrl: string;

startBeforeAll(async (opening) => {
  const made = await makeDatabase();
  opening.defer(made.remove);
  directUrl = made.url;
  await migrateDatabase(directUrl);
  direct = await openDatabase(directUrl, LONG_TIMEOUT);
  opening.defer(() => direct.close());
});

// A pooler knows prepared statements since version 1.21. In session mode, which needs a connection to the server for each
// client, all versions have them.
describe.each<[search: string, mode: string, poolSize: number, settings: readonly string[]]>([
  ['pgbouncer=true', 'transaction', 32, []],
  knowsStatements()
    ? ['pgbouncer=prepared', 'transaction', 8, ['max_prepared_statements = 100']]
    : ['pgbouncer=prepared', 'session', 8, ['pool_mode = session', 'default_pool_size = 30']],
])('with %s in %s mode', (search, _mode, poolSize, settings) => {
  let pooler: Pooler;
  let gateway: Gateway;

  startBeforeAll(async (opening) => {
    pooler = await startPooler(...settings);
    opening.defer(pooler.stop);
    const url = pooler.urlOf(directUrl, `?${search}`);
    gateway = await startGateway({ DATABASE_URL: url, PAW_POSTGRES_POOL: String(poolSize) });
    opening.defer(gateway.stop);
  });

  test.each(bothApis(() => gateway.url))(
    'all operations by $name work for 32 concurrent clients',
    async (api) => {
      const projectsFor = async (token: string) =>
        (await resultOf(api.listProjects(token))).projects.map(({ name }) => name);
      const tenants = await Promise.all(
        Array.from({ length: 32 }, () => seedTenant(gateway, { projects: 2, wallets: 1 })),
      );
      for (const title of ['Round 1', 'Round 2']) {
        const answers = await Promise.all(
          tenants.map(async ({ token, wallets: [wallet = ''] }) => {
            const { accessToken } = await signIn(api, token, await createApp(api, token));
            const [updated, ...lists] = await Promise.all([
              resultOf(api.updateWallet(accessToken, wallet, { title })),
              projectsFor(accessToken),
              projectsFor(token),
            ]);
            return [updated.name, updated.title, ...lists];
          }),
        );
        expect(answers).toEqual(
          tenants.map(({ wallets, projects }) => [...wallets, title, projects.slice(0, 1), projects]),
        );
      }
    },
  );

  test('four concurrent migrations all succeed', async () => {
    const empty = await testDatabase();
    const target = { DATABASE_URL: pooler.urlOf(empty.url, `?${search}`) };
    const migrations = await Promise.all([1, 2, 3, 4].map(() => pawProcess(['migrate', '--json'], target)));
    expect(migrations).toMatchObject(Array(4).fill({ status: 0, stderr: '' }));
    const applied = migrations.map(({ stdout }) => JSON.parse(stdout).applied.length);
    expect(applied.filter((count) => count > 0)).toHaveLength(1);
  });

  test('a statement of a table that does not exist yet runs when the table exists', async () => {
    const client = await openDatabase(pooler.urlOf(directUrl, `?${search}`), {
      postgres: { poolSize: 1, timeoutMs: 7000 },
    });
    onTestFinished(client.close);
    const read = () => client.read('SELECT count FROM later');
    await expect(read()).rejects.toMatchObject({ cause: { code: '42P01' } });
    await direct.write('CREATE TABLE later (count INTEGER)');
    expect(await read()).toEqual([]);
    await direct.write('DROP TABLE later');
  });

  test('no statement failed because of prepared statements or settings', () => {
    const logs = gateway.log() + pooler.log();
    expect(logs).toContain('listening on');
    expect(logs).not.toMatch(/prepared statement|unsupported startup parameter|"level":(50|60)/);
  });
});

test('without pgbouncer=true, the pooler refuses the settings of the connection, and the start fails with one line', async () => {
  const pooler = await startPooler();
  onTestFinished(pooler.stop);
  const { status, stdout, stderr } = await pawProcess(['serve'], {
    PORT: '0',
    DATABASE_URL: pooler.urlOf(directUrl, ''),
  });
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(
    /^paw: [^\n]*unsupported startup parameter: statement_timeout[^\n]*pgbouncer=true or pgbouncer=prepared\.\n$/,
  );
});

/** Returns whether PgBouncer keeps prepared statements in transaction mode. */
function knowsStatements(): boolean {
  const text = execFileSync('pgbouncer', ['--version'], { env: ENVIRONMENT, encoding: 'utf8' });
  const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(text) ?? [];
  return Number(major) > 1 || Number(minor) >= 21;
}

/** @param settings further lines of its configuration, which replace earlier ones */
async function startPooler(...settings: readonly string[]): Promise<Pooler> {
  const server = new URL(inject('postgresUrl'));
  const port = await freePort();
  await using opening = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-pooler-'));
  opening.defer(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'pgbouncer.ini');
  const lines = [
    '[databases]',
    `* = host=${server.hostname} port=${server.port} user=${server.username} password=${server.password}`,
    '[pgbouncer]',
    'listen_addr = 127.0.0.1',
    `listen_port = ${port}`,
    'unix_socket_dir =',
    'auth_type = any',
    'pool_mode = transaction',
    'default_pool_size = 2',
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  // It does not run as root.
  const words = process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file];
  const running = startProgram('/bin/sh', ['-c', 'exec pgbouncer "$@" 2>&1', 'sh', ...words], ENVIRONMENT);
  // It has no data to save. After another signal it may wait for its clients.
  opening.defer(async () => void (await running.stop('SIGKILL')));
  await running.printed('process up');
  const open = opening.move();
  return {
    urlOf(databaseUrl, search) {
      const pooled = new URL(databaseUrl);
      pooled.port = String(port);
      pooled.search = search;
      return pooled.href;
    },
    log: running.output,
    stop: () => open.disposeAsync(),
  };
}
