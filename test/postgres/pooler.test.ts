import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createApp, resultOf, signIn } from '../support/actors.ts';
import { type Api, bothApis } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, makeDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { paw, pawProcess } from '../support/paw.ts';

/** A PgBouncer in front of the shared server of the tests. */
type Pooler = {
  /** The URL of a database through the pooler, with `search` as the query of the URL. */
  urlOf(databaseUrl: string, search: string): string;
  /** The log so far. */
  log(): string;
  stop(): Promise<void>;
};

const SERVER_CONNECTIONS = 2;
const CLIENT_CONNECTIONS = 32;

// Debian installs it in a folder that only root has in its PATH.
const ENVIRONMENT = { PATH: `${process.env['PATH']}:/usr/sbin` };

let direct: Database;
let directUrl: string;
let pooler: Pooler;
let url: string;
let gateway: Gateway;

beforeAll(async () => {
  pooler = await startPooler();
  const made = await makeDatabase();
  directUrl = made.url;
  direct = await openDatabase(directUrl);
  url = pooler.urlOf(directUrl, '?pgbouncer=true');
  gateway = await startGateway({ DATABASE_URL: url, PAW_POSTGRES_POOL: String(CLIENT_CONNECTIONS) });
  return async () => {
    await gateway.stop();
    await pooler.stop();
    await direct.close();
    await made.remove();
  };
});

describe.each(bothApis(() => gateway.url))('by $name, through a pooler in transaction mode', (api) => {
  testOperations(api, () => gateway);
});

/** Tests all operations by an API of a gateway that is on the database `direct`. */
function testOperations(api: Api, gatewayOf: () => Gateway): void {
  const projectsFor = async (token: string) =>
    (await resultOf(api.listProjects(token))).projects.map(({ name }) => name);

  test('all operations work for 32 concurrent clients', async () => {
    const tenants = await Promise.all(
      Array.from({ length: 32 }, () => seedTenant(gatewayOf(), { projects: 2, wallets: 1 })),
    );
    for (let round = 1; round <= 2; round += 1) {
      const title = `Round ${round}`;
      const answers = await Promise.all(
        tenants.map(async ({ token, wallets: [wallet = ''] }) => {
          const { accessToken } = await signIn(api, token, await createApp(api, token));
          const [{ name, title }, ...lists] = await Promise.all([
            resultOf(api.updateWallet(accessToken, wallet, { title: `Round ${round}` })),
            projectsFor(accessToken),
            projectsFor(token),
          ]);
          return [name, title, ...lists];
        }),
      );
      expect(answers).toEqual(
        tenants.map(({ wallets, projects }) => [...wallets, title, projects.slice(0, 1), projects]),
      );
    }
  });
}

test('four concurrent migrations through the pooler all succeed, and then four commands', async () => {
  const empty = await makeDatabase();
  const database = await openDatabase(empty.url);
  onTestFinished(async () => {
    await database.close();
    await empty.remove();
  });
  const settings = { DATABASE_URL: pooler.urlOf(empty.url, '?pgbouncer=true') };
  const titles = ['Atlas', 'Borealis', 'Cygnus', 'Draco'];
  const migrations = await Promise.all(titles.map(() => pawProcess(['migrate'], settings)));
  expect(migrations).toMatchObject(titles.map(() => ({ status: 0, stderr: '' })));
  const results = await Promise.all(
    titles.map((title) => paw(['account', 'create', '--title', title], settings)),
  );
  expect(results).toMatchObject(titles.map(() => ({ status: 0, stderr: '' })));
  const accounts = await database.read('SELECT title FROM account ORDER BY title');
  expect(accounts).toEqual(titles.map((title) => ({ title })));
});

test('no statement through the pooler failed because of prepared statements or settings', () => {
  expectNoFailure(gateway.log() + pooler.log());
});

function expectNoFailure(logs: string): void {
  expect(logs).toContain('listening on');
  expect(logs).not.toMatch(/prepared statement|unsupported startup parameter|"level":(50|60)/);
}

// A pooler knows prepared statements since version 1.21. In session mode, which needs a connection to the server for each
// client, all versions have them.
describe(`with pgbouncer=prepared in ${knowsStatements() ? 'transaction' : 'session'} mode`, () => {
  let prepared: { readonly pooler: Pooler; readonly gateway: Gateway; readonly url: string };

  beforeAll(async () => {
    const pooler = await startPooler(
      ...(knowsStatements()
        ? ['max_prepared_statements = 100']
        : ['pool_mode = session', 'default_pool_size = 30']),
    );
    const url = pooler.urlOf(directUrl, '?pgbouncer=prepared');
    const gateway = await startGateway({ DATABASE_URL: url, PAW_POSTGRES_POOL: '8' });
    prepared = { pooler, gateway, url };
    return async () => {
      await gateway.stop();
      await pooler.stop();
    };
  });

  describe.each(bothApis(() => prepared.gateway.url))('by $name', (api) => {
    testOperations(api, () => prepared.gateway);
  });

  test('a statement that could not be prepared runs when its table exists', async () => {
    const client = await openDatabase(prepared.url, { postgres: { poolSize: 1, timeoutMs: 7000 } });
    onTestFinished(client.close);
    const read = () => client.read('SELECT count FROM later');
    await expect(read()).rejects.toMatchObject({ code: '42P01' });
    await direct.write('CREATE TABLE later (count INTEGER)');
    expect(await read()).toEqual([]);
  });

  test('no statement failed', () => {
    expectNoFailure(prepared.gateway.log() + prepared.pooler.log());
  });
});

test('without pgbouncer=true, the pooler refuses the settings of the connection, and the start fails with one line', async () => {
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
  const folder = mkdtempSync(join(tmpdir(), 'paw-test-pooler-'));
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
    `default_pool_size = ${SERVER_CONNECTIONS}`,
    ...settings,
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  // It does not run as root.
  const words = process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file];
  const child = spawn('pgbouncer', words, { env: ENVIRONMENT, stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const remove = () => rmSync(folder, { recursive: true, force: true });
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', () => reject(new Error(`pgbouncer has ended: ${log}`)));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log += text;
      if (log.includes('process up')) resolve();
    });
  }).catch((error: unknown) => {
    remove();
    throw error;
  });
  return {
    urlOf(databaseUrl, search) {
      const pooled = new URL(databaseUrl);
      pooled.port = String(port);
      pooled.search = search;
      return pooled.href;
    },
    log: () => log,
    async stop() {
      // It has no data to save. After another signal it may wait for its clients.
      child.kill('SIGKILL');
      await ended;
      remove();
    },
  };
}
