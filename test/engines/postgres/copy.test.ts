import { createHash } from 'node:crypto';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../src/storage/interface/database.ts';
import { TABLES } from '../../../src/storage/tables/tables.ts';
import { type AppFields, bothApis, graphqlApi, type HttpResponse, send } from '../../support/both-apis.ts';
import { executeOn, isUntouched, onDatabase, pathOf } from '../../support/engine.ts';
import {
  type Gateway,
  makeDatabase,
  makeSqliteFile,
  migrateDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  type TestDatabase,
  testClock,
  testDatabase,
} from '../../support/gateway.ts';
import { createApp, expiredToken, keyOf, mutate, projectTokenOf, resultOf } from '../../support/requests.ts';
import { addProjects } from '../../support/rows.ts';
import { paw, type Result } from '../../support/run-command.ts';

// More than a copy reads at a time.
const PROJECTS = 2500;

const file = makeSqliteFile();
let folder: string;
let source: { readonly url: string; readonly path: string };
let target: TestDatabase;
let tenant: Tenant;
let app: AppFields;
let expired: string;
let accessToken: string;
let pageToken: string;
let page: unknown;
/** The response to a request with an `Idempotency-Key`. */
let repeatable: HttpResponse;
let output: Result;
const clock = testClock();

beforeAll(async () => {
  const path = pathOf(file.url);
  folder = dirname(path);
  // Every part of a copy follows a symbolic link, which is made before its file.
  const link = join(folder, 'linked.db');
  symlinkSync(path, link);
  source = { path, url: `sqlite:${link}` };
  const gateway = await startGateway({ DATABASE_URL: source.url }, clock);
  tenant = await seedTenant(gateway, { projects: 3, wallets: 2, addresses: 3 });
  await addProjects(gateway.database, tenant.account, PROJECTS - 3);
  await seedTenant(gateway, { projects: 2 });
  expired = await expiredToken(gateway, tenant);
  const api = graphqlApi(() => gateway.url);
  app = await createApp(api, tenant.token);
  accessToken = await projectTokenOf(api, tenant.token, app);
  await mutate(gateway.url, tenant.token, 'createToken', { title: 'Pipeline' });
  await resultOf(api.updateWallet(tenant.token, walletName(0), { password: 'p'.repeat(32) }));
  repeatable = await renameWallet(gateway.url);
  pageToken = (await resultOf(api.listProjects(tenant.token, { first: 2 }))).nextPageToken;
  page = await resultOf(api.listProjects(tenant.token, { first: 2, after: pageToken }));
  await gateway.stop();

  const before = digestOf(source.path);
  target = await makeDatabase();
  await migrateDatabase(target.url);
  output = await paw(['copy', '--to', target.url, '--json'], { DATABASE_URL: source.url });
  expect(digestOf(source.path)).toBe(before);
});

afterAll(async () => {
  await target.remove();
  await file.remove();
});

test('a copy prints the number of rows', () => {
  expect(JSON.parse(output.stdout)).toEqual({
    accounts: 2,
    projects: PROJECTS + 2,
    apps: 1,
    wallets: 2,
    addresses: 3,
    tokens: 5,
    events: 18,
  });
  expect(output).toMatchObject({ status: 0, stderr: '' });
});

test('a copy has every row of every table', async () => {
  for (const { name: table } of TABLES) {
    const rows = (database: Database) => database.read(`SELECT * FROM ${table} ORDER BY 1, 2`);
    const expected = await onDatabase(source.url, rows);
    expect(await onDatabase(target.url, rows)).toEqual(expected);
    expect(expected.length).toBeGreaterThan(0);
  }
});

describe('after a copy', () => {
  let gateway: Gateway;

  beforeAll(async () => {
    gateway = await startGateway({ DATABASE_URL: target.url }, clock);
    return gateway.stop;
  });

  test('a request with an Idempotency-Key can still be repeated', async () => {
    const { text, headers } = await renameWallet(gateway.url);
    expect([text, headers.get('idempotency-replayed')]).toEqual([repeatable.text, 'true']);
  });

  describe.each(bothApis(() => gateway.url))('by $name', (api) => {
    test('every token, key and page token still works', async () => {
      expect((await api.listProjects(tenant.token, { first: 2, after: pageToken })).value).toEqual(
        withUrl(page, gateway.url),
      );
      expect((await api.listProjects(accessToken)).value?.projects).toHaveLength(1);
      expect((await api.signIn(tenant.token, keyOf(app))).value?.app.name).toBe(app.name);
      const { value } = await api.updateWallet(accessToken, walletName(1), { title: api.name });
      expect(value?.title).toBe(api.name);
      expect((await api.listProjects(expired)).error?.reason).toBe('TOKEN_INVALID');
    });
  });
});

test.each<[string, () => Promise<{ from?: string; to: string }>, number, RegExp]>([
  ['a target that is not empty', async () => ({ to: target.url }), 1, /not empty/],
  [
    'a source that is not a SQLite file',
    async () => ({ from: 'postgres://localhost/x', to: target.url }),
    2,
    /./,
  ],
  ['a target that is not a server', async () => ({ to: 'sqlite:elsewhere.db' }), 2, /./],
  [
    'a target with an unknown parameter',
    async () => ({ to: 'postgres://paw@127.0.0.1:1/paw?mode=fast' }),
    2,
    /^paw: --to has an unknown parameter\. The parameters are /,
  ],
  ['an unreachable server', async () => ({ to: 'postgres://paw@127.0.0.1:1/paw' }), 1, /unavailable/],
  [
    'a missing source',
    async () => ({ from: sourceOf('missing.db'), to: target.url }),
    1,
    /Run "npm run -s paw -- migrate"/,
  ],
  [
    'an empty source',
    async () => {
      writeFileSync(join(folder, 'empty.db'), '');
      return { from: sourceOf('empty.db'), to: target.url };
    },
    1,
    /Run "npm run -s paw -- migrate"/,
  ],
])('%s is refused with one line', async (_, make, status, message) => {
  const { from = source.url, to } = await make();
  const { stderr, ...result } = await paw(['copy', '--to', to], { DATABASE_URL: from });
  expect(result).toEqual({ status, stdout: '' });
  expect(stderr).toMatch(/^paw: [^\n]+\n$/);
  expect(stderr).toMatch(message);
  expect(existsSync(join(folder, 'missing.db'))).toBe(false);
});

test('a target without tables is refused and not changed', async () => {
  const other = await testDatabase();
  expect(await paw(['copy', '--to', other.url], { DATABASE_URL: source.url })).toEqual({
    status: 1,
    stdout: '',
    stderr: 'paw: The target has no tables. Run "npm run -s paw -- migrate" with its URL.\n',
  });
  expect(await isUntouched(other.url)).toBe(true);
});

test('a source and a target whose migrations had another text are refused by name', async () => {
  const [from, to] = [makeSqliteFile(), await testDatabase()];
  onTestFinished(from.remove);
  for (const { url } of [from, to]) await migrateDatabase(url);
  const refusal = (subject: string) =>
    expect.stringMatching(`^paw: ${subject} has a different migration 0001-initial .+\n$`);
  const copy = () => paw(['copy', '--to', to.url], { DATABASE_URL: from.url });
  await executeOn(to.url, "UPDATE schema_migration SET digest = ''");
  expect(await copy()).toMatchObject({ status: 1, stderr: refusal('The target') });
  await executeOn(from.url, "UPDATE schema_migration SET digest = ''");
  expect(await copy()).toMatchObject({ status: 1, stderr: refusal('The source') });
});

const sourceOf = (name: string) => `sqlite:${join(folder, name)}`;

function renameWallet(url: string): Promise<HttpResponse> {
  const headers = { 'idempotency-key': 'rename' };
  return send(`${url}/wallet/${walletName(0)}`, 'PATCH', tenant.token, { title: 'Renamed' }, headers);
}

function walletName(index: number): string {
  return tenant.wallets[index] ?? expect.unreachable();
}

/** Returns the response of a gateway, with its URL replaced by that of another. */
function withUrl(answer: unknown, url: string): unknown {
  return JSON.parse(JSON.stringify(answer).replace(/http:\/\/127\.0\.0\.1:\d+/g, url));
}

function digestOf(path: string): string {
  return createHash('sha256').update(readFileSync(path)).digest('hex');
}
