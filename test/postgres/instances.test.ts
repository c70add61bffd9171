import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { createApp, projectTokenOf, resultOf, tokenStatus } from '../support/actors.ts';
import { type Api, bothApis, restApi } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { adminContext, makeDatabase, seedTenant } from '../support/gateway.ts';
import { pawJson, type RunningServer, startServerProcess } from '../support/paw.ts';

/** The same API of two instances. */
type ApiPair = { readonly name: Api['name']; readonly one: Api; readonly other: Api };

const MIGRATIONS = readdirSync(new URL('../../src/storage/migrations', import.meta.url)).map((_, index) => ({
  version: index + 1,
}));

const WELL = { status: 0, stderr: '' };

let url: string;
let database: Database;
let admin: AdminContext;
let first: RunningServer;
let second: RunningServer;

beforeAll(async () => {
  const made = await makeDatabase();
  url = made.url;
  database = await openDatabase(url);
  admin = adminContext(database);
  const settings = { DATABASE_URL: url };
  [first, second] = await Promise.all([
    startServerProcess(settings, () => {}),
    startServerProcess(settings, () => {}),
  ]);
  return async () => {
    const ends = await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')]);
    await database.close();
    await made.remove();
    expect(ends).toMatchObject([WELL, WELL]);
  };
});

describe.each(apiPairs())('by $name, of two instances', ({ one, other }) => {
  test('what one does, the other sees on the next request', async () => {
    const tenant = await seedTenant({ admin }, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      const app = await createApp(here, tenant.token);
      const tokens = [
        await projectTokenOf(here, tenant.token, app),
        await projectTokenOf(there, tenant.token, app),
      ];
      const [revoked = '', live = ''] = tokens;
      expect(await statusOfEach([here, there], tokens)).toEqual(Array(4).fill('ok'));
      await pawJson(['token', 'revoke'], { DATABASE_URL: url }, revoked);
      const status = ['TOKEN_INVALID', 'ok'];
      expect(await statusOfEach([here, there], tokens)).toEqual([...status, ...status]);
      const written = await resultOf(here.updateWallet(live, wallet, { title: `By ${app.name}` }));
      // Both APIs read a wallet by an update without fields.
      expect(await resultOf(there.updateWallet(live, wallet, {}))).toEqual(written);
      await pawJson(['app', 'deactivate', app.name], { DATABASE_URL: url });
      expect(await statusOfEach([here, there], [live])).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID']);
    }
  });
});

test('a list can be paged with both instances and both APIs in turn', async () => {
  const tenant = await seedTenant({ admin }, { projects: 25 });
  const turns = apiPairs().flatMap(({ one, other }) => [one, other]);
  const found: string[] = [];
  let after: string | undefined;
  for (let n = 0; after !== ''; n += 1) {
    const api = turns[n % turns.length];
    const page = await resultOf(
      (api ?? expect.unreachable()).listProjects(tenant.token, { first: 3, after }),
    );
    found.push(...page.projects.map(({ name }) => name));
    after = page.nextPageToken;
  }
  expect(found).toEqual(tenant.projects);
});

test('three servers that start at once on an empty database migrate it once, and serve it together', async () => {
  const made = await makeDatabase();
  onTestFinished(made.remove);
  const instances = await Promise.all(
    Array.from({ length: 3 }, () => startServerProcess({ DATABASE_URL: made.url })),
  );
  await onDatabase(made.url, async (empty) => {
    expect(await empty.read('SELECT version FROM schema_migration ORDER BY version')).toEqual(MIGRATIONS);
    const tenant = await seedTenant({ admin: adminContext(empty) });
    const apis = instances.map((instance) => restApi(() => instance.url));
    expect(await statusOfEach(apis, [tenant.token])).toEqual(['ok', 'ok', 'ok']);
  });
  const ends = await Promise.all(instances.map(({ stop }) => stop('SIGTERM')));
  expect(ends).toMatchObject([WELL, WELL, WELL]);
});

function apiPairs(): readonly ApiPair[] {
  const [one, other] = [bothApis(() => first.url), bothApis(() => second.url)];
  return [
    { name: 'GraphQL', one: one[0], other: other[0] },
    { name: 'REST', one: one[1], other: other[1] },
  ];
}

/** The status of each token, by each API in turn. */
function statusOfEach(apis: readonly Api[], tokens: readonly string[]): Promise<readonly string[]> {
  return Promise.all(apis.flatMap((api) => tokens.map((token) => tokenStatus(api, token))));
}
