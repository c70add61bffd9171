import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { AdminContext } from '../../src/data/dependencies.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import {
  createApp,
  credentialParts,
  graphqlBody,
  keyOf,
  projectTokenOf,
  reasonOf,
  resultOf,
  tokenStatus,
  ulidOf,
} from '../support/actors.ts';
import {
  type Api,
  type AppFields,
  bothApis,
  graphqlApi,
  type Outcome,
  restApi,
  send,
} from '../support/apis.ts';
import { adminContext, makeDatabase, seedTenant } from '../support/gateway.ts';
import { pawJson, type Result, type RunningServer, startServerProcess } from '../support/paw.ts';

/** The same API of two instances. */
type ApiPair = { readonly name: Api['name']; readonly one: Api; readonly other: Api };

const MIGRATIONS = readdirSync(new URL('../../src/storage/migrations', import.meta.url)).map(
  (_, index) => index + 1,
);

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
  test('a token of one is valid on the other at once, in both directions', async () => {
    const tenant = await seedTenant({ admin });
    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      const app = await createApp(here, tenant.token);
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () =>
          tokenStatus(there, await projectTokenOf(here, tenant.token, app)),
        ),
      );
      expect(answers).toEqual(Array(10).fill('ok'));
    }
  });

  test('an app that one creates can sign in on the other at once', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant.token);
    const { app: signedIn } = await resultOf(other.signIn(tenant.token, keyOf(app)));
    expect(signedIn).toEqual({ ...app, privateKey: '' });
  });

  test('a revoked token is refused by both on the next request, and other tokens stay valid', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant.token);
    const [ended, live] = [
      await projectTokenOf(one, tenant.token, app),
      await projectTokenOf(one, tenant.token, app),
    ];
    const all = () => statusOfEach([one, other], [ended, tenant.token, live]);
    expect(await all()).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
    for (const token of [ended, tenant.token])
      await pawJson(['token', 'revoke'], { DATABASE_URL: url }, token);
    const refused = ['TOKEN_INVALID', 'TOKEN_INVALID'];
    expect(await all()).toEqual([...refused, 'ok', ...refused, 'ok']);
  });

  test('an expired token is refused by both on the next request, and other tokens stay valid', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant.token);
    const [ended, live] = [
      await projectTokenOf(one, tenant.token, app),
      await projectTokenOf(one, tenant.token, app),
    ];
    expect(await statusOfEach([one, other], [ended, live])).toEqual(['ok', 'ok', 'ok', 'ok']);
    await expire(ended);
    expect(await statusOfEach([one, other], [ended, live])).toEqual([
      'TOKEN_INVALID',
      'ok',
      'TOKEN_INVALID',
      'ok',
    ]);
  });

  test('an app that is deactivated is refused by both on the next request, and its tokens for good', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant.token);
    const tokens = [
      await projectTokenOf(one, tenant.token, app),
      await projectTokenOf(other, tenant.token, app),
    ];
    const signIns = () =>
      Promise.all([one, other].map((api) => reasonOf(api.signIn(tenant.token, keyOf(app)))));
    expect(await statusOfEach([one, other], tokens)).toEqual(['ok', 'ok', 'ok', 'ok']);

    await run('app', 'deactivate', app.name);
    expect(await statusOfEach([one, other], tokens)).toEqual(Array(4).fill('TOKEN_INVALID'));
    expect(await signIns()).toEqual(['APP_INACTIVE', 'APP_INACTIVE']);

    await run('app', 'activate', app.name);
    expect(await statusOfEach([one, other], tokens)).toEqual(Array(4).fill('TOKEN_INVALID'));
    expect(await signIns()).toEqual(['ok', 'ok']);
  });

  test('each sees an update of the other on the next request', async () => {
    const tenant = await seedTenant({ admin }, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    for (let round = 1; round <= 4; round += 1) {
      const [here, there] = round % 2 ? [one, other] : [other, one];
      const written = await resultOf(here.updateWallet(tenant.token, wallet, { title: `Round ${round}` }));
      expect(written.title).toBe(`Round ${round}`);
      // Both APIs read a wallet by an update without fields.
      expect(await resultOf(there.updateWallet(tenant.token, wallet, {}))).toEqual(written);
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

test('each cursor of one instance works on the other, by both APIs and in both directions', async () => {
  const tenant = await seedTenant({ admin }, { projects: 4 });
  const forwards = 'query { projects { edges { cursor node { name } } } }';
  const backwards =
    'query ($before: String) { projects(last: 1, before: $before) { edges { cursor node { name } } } }';
  const edgesOf = async (instance: RunningServer, query: string, variables = {}) => {
    const { data } = await graphqlBody(instance.url, tenant.token, query, variables);
    const edges: { cursor: string; node: { name: string } }[] = data.projects.edges;
    return edges;
  };
  const edges = await edgesOf(first, forwards);
  expect(edges.map(({ node }) => node.name)).toEqual(tenant.projects);
  expect(await edgesOf(second, forwards)).toEqual(edges);
  for (const [index, { cursor }] of edges.entries()) {
    for (const { other } of apiPairs()) {
      const { projects } = await resultOf(other.listProjects(tenant.token, { first: 1, after: cursor }));
      expect(projects.map(({ name }) => name)).toEqual(tenant.projects.slice(index + 1, index + 2));
    }
    const before = await edgesOf(second, backwards, { before: cursor });
    expect(before).toEqual(edges.slice(Math.max(index - 1, 0), index));
  }
});

test('the tokens of an instance that is stopped stay valid on the other', async () => {
  const tenant = await seedTenant({ admin }, { wallets: 1 });
  const [wallet = ''] = tenant.wallets;
  const third = await startServerProcess({ DATABASE_URL: url });
  const leaving = restApi(() => third.url);
  const app = await createApp(leaving, tenant.token);
  const token = await projectTokenOf(leaving, tenant.token, app);

  const ended = third.stop('SIGTERM');
  for (const { other } of apiPairs()) expect(await tokenStatus(other, token)).toBe('ok');
  expect(await ended).toMatchObject(WELL);
  await expect(fetch(`${third.url}/healthz`)).rejects.toThrow();

  expect((await send(`${second.url}/readyz`, 'GET')).status).toBe(200);
  for (const { name, other } of apiPairs()) {
    expect(await tokenStatus(other, token)).toBe('ok');
    expect(await reasonOf(other.signIn(tenant.token, keyOf(app)))).toBe('ok');
    expect(await resultOf(other.updateWallet(token, wallet, { title: name }))).toMatchObject({ title: name });
    expect(await reasonOf(other.createApp(tenant.token, { title: 'Later', active: true }))).toBe('ok');
  }
});

describe('on an empty database', () => {
  test('three servers that start at once migrate it once, and serve it together', async () => {
    const empty = await openEmptyDatabase();
    const instances = await Promise.all(
      Array.from({ length: 3 }, () => startServerProcess({ DATABASE_URL: empty.url })),
    );
    expect(await versionsOf(empty.database)).toEqual(MIGRATIONS);

    const tenant = await seedTenant({ admin: adminContext(empty.database) }, { projects: 4 });
    const found: string[] = [];
    let after: string | undefined;
    for (const instance of [...instances, ...instances.slice(0, 1)]) {
      const api = restApi(() => instance.url);
      const page = await resultOf(api.listProjects(tenant.token, { first: 1, after }));
      found.push(...page.projects.map(({ name }) => name));
      after = page.nextPageToken;
    }
    expect([found, after]).toEqual([tenant.projects, '']);
    const ends = await Promise.all(instances.map(({ stop }) => stop('SIGTERM')));
    expect(ends).toMatchObject([WELL, WELL, WELL]);
  });

  test('sixteen concurrent migrations all succeed, and each step is applied once', async () => {
    const empty = await openEmptyDatabase();
    const databases = await Promise.all(Array.from({ length: 16 }, () => openDatabase(empty.url)));
    onTestFinished(async () => {
      await Promise.all(databases.map((each) => each.close()));
    });
    // All are connected first, so that none starts earlier than the others.
    await Promise.all(databases.map((each) => each.read('SELECT 1 AS one')));
    await Promise.all(databases.map((each, index) => migrate(each, index)));
    expect(await versionsOf(empty.database)).toEqual(MIGRATIONS);
    const times = await empty.database.read('SELECT DISTINCT apply_time_ms FROM schema_migration');
    expect(times).toHaveLength(1);
  });
});

function apiPairs(): readonly ApiPair[] {
  const [one, other] = [bothApis(() => first.url), bothApis(() => second.url)];
  return [
    { name: 'GraphQL', one: one[0], other: other[0] },
    { name: 'REST', one: one[1], other: other[1] },
  ];
}

async function openEmptyDatabase(): Promise<{ readonly url: string; readonly database: Database }> {
  const made = await makeDatabase();
  const empty = await openDatabase(made.url);
  onTestFinished(async () => {
    await empty.close();
    await made.remove();
  });
  return { url: made.url, database: empty };
}

async function versionsOf(empty: Database): Promise<readonly number[]> {
  const rows = await empty.read<{ version: number }>('SELECT version FROM schema_migration ORDER BY version');
  return rows.map(({ version }) => version);
}

/** Runs a command that has to succeed. */
async function run(...words: readonly string[]): Promise<void> {
  await pawJson(words, { DATABASE_URL: url });
}

/** Lets a token expire. */
async function expire(token: string): Promise<void> {
  const { accountId, serial } = credentialParts(token);
  const rows = await database.write(
    'UPDATE token SET expire_time_ms = $1 WHERE account_id = $2 AND id = $3 RETURNING id',
    [Date.now() - 1, accountId, serial],
  );
  expect(rows).toHaveLength(1);
}

async function passwordHash(wallet: string): Promise<unknown> {
  const [row] = await database.read('SELECT password_hash FROM wallet WHERE id = $1', [ulidOf(wallet)]);
  return row?.['password_hash'];
}

/** The status of each token, by each API in turn. */
function statusOfEach(apis: readonly Api[], tokens: readonly string[]): Promise<readonly string[]> {
  return Promise.all(apis.flatMap((api) => tokens.map((token) => tokenStatus(api, token))));
}
