import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import type { Database } from '../../src/storage/database.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import {
  createApp,
  keyOf,
  projectTokenOf,
  reasonOf,
  resultOf,
  tokenStatus,
  ulidOf,
} from '../support/actors.ts';
import { type Api, type AppFields, bothApis, graphqlApi, type Outcome, restApi } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { adminContext, makeDatabase, seedTenant } from '../support/gateway.ts';
import { pawJson, type Result, type RunningServer, startServerProcess } from '../support/paw.ts';

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

  test('concurrent updates of different fields through both are all applied', async () => {
    const tenant = await seedTenant({ admin }, { projects: 2, wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    const hashes = new Set<unknown>();
    for (let round = 1; round <= 4; round += 1) {
      const changes = {
        title: `Title ${round}`,
        description: `Description ${round}`,
        project: tenant.projects[round % 2],
        network: round % 2 ? 'NETWORK_POLYGON' : 'NETWORK_ETHEREUM',
        password: String(round).padStart(32, '0'),
      };
      const updates = Object.entries(changes).map(([field, value], index) =>
        resultOf((index % 2 ? one : other).updateWallet(tenant.token, wallet, { [field]: value })),
      );
      await Promise.all(updates);
      for (const api of [one, other]) {
        const read = await resultOf(api.updateWallet(tenant.token, wallet, {}));
        expect(read).toMatchObject({ ...changes, password: '' });
      }
      hashes.add(await passwordHash(wallet));
    }
    expect(hashes.size).toBe(4);
  });
});

test.each([
  { signal: 'SIGTERM', api: restApi },
  { signal: 'SIGKILL', api: graphqlApi },
] as const)(
  'an instance that ends by $signal under load loses no acknowledged write, and the others serve on',
  async (pair) => {
    const { signal } = pair;
    const other = pair.api(() => second.url);
    const tenant = await seedTenant({ admin }, { wallets: 4 });
    const third = await startServerProcess({ DATABASE_URL: url });
    const api = pair.api(() => third.url);

    const apps: AppFields[] = [];
    const refusals: (string | undefined)[] = [];
    const last = tenant.wallets.map(() => 0);
    let ended: Promise<Result> | undefined;
    const endOnceLoaded = () => {
      if (apps.length >= 20 && last.every((n) => n >= 5)) ended ??= third.stop(signal);
    };
    /** Sends requests until the instance has ended. */
    async function keepSending<T>(
      ask: (n: number) => Promise<Outcome<T>>,
      acknowledged: (value: T, n: number) => void,
    ) {
      for (let n = 1; ; n += 1) {
        const outcome = await ask(n).catch(() => undefined);
        if (outcome === undefined && ended !== undefined) return n;
        if (outcome?.value === undefined) refusals.push(outcome?.response.text);
        else acknowledged(outcome.value, n);
        if (refusals.length > 0) return n;
      }
    }
    const creators = Array.from({ length: 8 }, () =>
      keepSending(
        () => api.createApp(tenant.token, { title: 'Load', active: true }),
        (app) => {
          apps.push(app);
          endOnceLoaded();
        },
      ),
    );
    const writers = tenant.wallets.map((wallet, index) =>
      keepSending(
        (n) => api.updateWallet(tenant.token, wallet, { title: `Write ${n}` }),
        (_, n) => {
          last[index] = n;
          endOnceLoaded();
        },
      ),
    );
    await Promise.all(creators);
    const tried = await Promise.all(writers);
    expect(refusals).toEqual([]);
    expect(await ended).toMatchObject({ status: signal === 'SIGTERM' ? 0 : null, stderr: '' });

    const signedIn = await Promise.all(apps.map((app) => reasonOf(other.signIn(tenant.token, keyOf(app)))));
    expect(new Set(signedIn)).toEqual(new Set(['ok']));
    for (const [index, wallet] of tenant.wallets.entries()) {
      const { title } = await resultOf(other.updateWallet(tenant.token, wallet, {}));
      const written = Number(title.slice('Write '.length));
      // A write without a response may have been applied or not.
      expect(written).toBeGreaterThanOrEqual(last[index] ?? Infinity);
      expect(written).toBeLessThanOrEqual(tried[index] ?? 0);
    }
  },
);

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
    for (const { url } of instances)
      expect(
        await tokenStatus(
          restApi(() => url),
          tenant.token,
        ),
      ).toBe('ok');
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

async function passwordHash(wallet: string): Promise<unknown> {
  const [row] = await database.read('SELECT password_hash FROM wallet WHERE id = $1', [ulidOf(wallet)]);
  return row?.['password_hash'];
}

/** The status of each token, by each API in turn. */
function statusOfEach(apis: readonly Api[], tokens: readonly string[]): Promise<readonly string[]> {
  return Promise.all(apis.flatMap((api) => tokens.map((token) => tokenStatus(api, token))));
}
