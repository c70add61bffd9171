import { readdirSync } from 'node:fs';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { parseCredential } from '../../src/credentials/credential.ts';
import type { AdminContext } from '../../src/data/dependencies.ts';
import { idGenerator } from '../../src/model/resource-name.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { type Api, type AppFields, bothApis, type Outcome, postGraphql, send } from '../support/apis.ts';
import { makeDatabase, seedTenant, type Tenant } from '../support/gateway.ts';
import { paw, type Result, startPaw } from '../support/paw.ts';

/** A server in a process of its own. */
type Instance = {
  readonly url: string;
  stop(signal: NodeJS.Signals): Promise<Result>;
};

/** The same API of two instances. */
type FacePair = { readonly name: Api['name']; readonly one: Api; readonly other: Api };

const MIGRATIONS = readdirSync(new URL('../../src/storage/migrations', import.meta.url)).map(
  (_, index) => index + 1,
);

const WELL = { status: 0, stderr: '' };

let url: string;
let database: Database;
let admin: AdminContext;
let first: Instance;
let second: Instance;

beforeAll(async () => {
  const made = await makeDatabase();
  url = made.url;
  database = await openDatabase(url);
  admin = workplaceOn(database);
  [first, second] = await Promise.all([startInstance(url), startInstance(url)]);
  return async () => {
    const ends = await Promise.all([first.stop('SIGTERM'), second.stop('SIGTERM')]);
    await database.close();
    await made.remove();
    expect(ends).toMatchObject([WELL, WELL]);
  };
});

describe.each(apiPairs())('by $name, of two instances', ({ name, one, other }) => {
  test('a token that one hands out is good on the other at once, and either way round', async () => {
    const tenant = await seedTenant({ admin });
    for (const [here, there] of [
      [one, other],
      [other, one],
    ] as const) {
      const app = await createApp(here, tenant);
      const answers = await Promise.all(
        Array.from({ length: 10 }, async () => asked(there, await signIn(here, tenant, app))),
      );
      expect(answers).toEqual(Array(10).fill('ok'));
    }
  });

  test('an app that one creates signs in on the other at once', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant);
    const { app: signedIn } = await given(other.signIn(tenant.token, keyOf(app)));
    expect(signedIn).toEqual({ ...app, privateKey: '' });
  });

  test('a token that is revoked is refused by both on the next request, and no other is', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant);
    const [ended, live] = [await signIn(one, tenant, app), await signIn(one, tenant, app)];
    const all = () => askedEach([one, other], [ended, tenant.token, live]);
    expect(await all()).toEqual(['ok', 'ok', 'ok', 'ok', 'ok', 'ok']);
    for (const token of [ended, tenant.token]) await run('token', 'revoke', token);
    const refused = ['TOKEN_INVALID', 'TOKEN_INVALID'];
    expect(await all()).toEqual([...refused, 'ok', ...refused, 'ok']);
  });

  test('a token that expires is refused by both on the next request, and no other is', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant);
    const [ended, live] = [await signIn(one, tenant, app), await signIn(one, tenant, app)];
    expect(await askedEach([one, other], [ended, live])).toEqual(['ok', 'ok', 'ok', 'ok']);
    await expire(ended);
    expect(await askedEach([one, other], [ended, live])).toEqual([
      'TOKEN_INVALID',
      'ok',
      'TOKEN_INVALID',
      'ok',
    ]);
  });

  test('an app that is made inactive is refused by both on the next request, and its tokens for good', async () => {
    const tenant = await seedTenant({ admin });
    const app = await createApp(one, tenant);
    const tokens = [await signIn(one, tenant, app), await signIn(other, tenant, app)];
    const signIns = () =>
      Promise.all([one, other].map((api) => reasonOf(api.signIn(tenant.token, keyOf(app)))));
    expect(await askedEach([one, other], tokens)).toEqual(['ok', 'ok', 'ok', 'ok']);

    await run('app', 'deactivate', app.name);
    expect(await askedEach([one, other], tokens)).toEqual(Array(4).fill('TOKEN_INVALID'));
    expect(await signIns()).toEqual(['APP_INACTIVE', 'APP_INACTIVE']);

    await run('app', 'activate', app.name);
    expect(await askedEach([one, other], tokens)).toEqual(Array(4).fill('TOKEN_INVALID'));
    expect(await signIns()).toEqual(['ok', 'ok']);
  });

  test('each sees at once what the other has made of a wallet', async () => {
    const tenant = await seedTenant({ admin }, { wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    for (let round = 1; round <= 10; round += 1) {
      const [here, there] = round % 2 ? [one, other] : [other, one];
      const written = await given(here.updateWallet(tenant.token, wallet, { title: `Round ${round}` }));
      expect(written.title).toBe(`Round ${round}`);
      // An update of nothing is how both APIs read a wallet.
      expect(await given(there.updateWallet(tenant.token, wallet, {}))).toEqual(written);
    }
  });

  test('updates of different fields at the same time through both all stand', async () => {
    const tenant = await seedTenant({ admin }, { projects: 2, wallets: 1 });
    const [wallet = ''] = tenant.wallets;
    const hashes = new Set<unknown>();
    for (let round = 1; round <= 10; round += 1) {
      const changes = {
        title: `Title ${round}`,
        description: `Description ${round}`,
        project: tenant.projects[round % 2],
        network: round % 2 ? 'NETWORK_POLYGON' : 'NETWORK_ETHEREUM',
        password: String(round).padStart(32, '0'),
      };
      const updates = Object.entries(changes).map(([field, value], index) =>
        given((index % 2 ? one : other).updateWallet(tenant.token, wallet, { [field]: value })),
      );
      await Promise.all(updates);
      for (const api of [one, other]) {
        const read = await given(api.updateWallet(tenant.token, wallet, {}));
        expect(read).toMatchObject({ ...changes, password: '' });
      }
      hashes.add(await passwordHash(wallet));
    }
    expect(hashes.size).toBe(10);
  });

  test.each(['SIGTERM', 'SIGKILL'] as const)(
    'one that ends by %s under load loses no write that it has acknowledged, and the other serves on',
    async (signal) => {
      const tenant = await seedTenant({ admin }, { wallets: 4 });
      const third = await startInstance(url, onTestFinished);
      const api = faceOf(name, () => third.url);

      const apps: AppFields[] = [];
      const refusals: (string | undefined)[] = [];
      const last = tenant.wallets.map(() => 0);
      let ended: Promise<Result> | undefined;
      const endOnceLoaded = () => {
        if (apps.length >= 100 && last.every((n) => n >= 5)) ended ??= third.stop(signal);
      };
      /** Asks over and over until there is nobody to ask. */
      async function keepAsking<T>(
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
        keepAsking(
          () => api.createApp(tenant.token, { title: 'Load', active: true }),
          (app) => {
            apps.push(app);
            endOnceLoaded();
          },
        ),
      );
      const writers = tenant.wallets.map((wallet, index) =>
        keepAsking(
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
        const { title } = await given(other.updateWallet(tenant.token, wallet, {}));
        const written = Number(title.slice('Write '.length));
        // What was under way at the end may or may not have been written.
        expect(written).toBeGreaterThanOrEqual(last[index] ?? Infinity);
        expect(written).toBeLessThanOrEqual(tried[index] ?? 0);
      }
    },
  );
});

test('a list is walked page by page over both instances and both APIs in turn', async () => {
  const tenant = await seedTenant({ admin }, { projects: 25 });
  const turns = apiPairs().flatMap(({ one, other }) => [one, other]);
  const found: string[] = [];
  let after: string | undefined;
  for (let n = 0; after !== ''; n += 1) {
    const api = turns[n % turns.length];
    const page = await given(api?.listProjects(tenant.token, { first: 3, after }));
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
  const edgesOf = async (instance: Instance, query: string, variables = {}) => {
    const { text } = await postGraphql(instance.url, tenant.token, query, variables);
    const edges: { cursor: string; node: { name: string } }[] = JSON.parse(text).data.projects.edges;
    return edges;
  };
  const edges = await edgesOf(first, forwards);
  expect(edges.map(({ node }) => node.name)).toEqual(tenant.projects);
  expect(await edgesOf(second, forwards)).toEqual(edges);
  for (const [index, { cursor }] of edges.entries()) {
    for (const { other } of apiPairs()) {
      const { projects } = await given(other.listProjects(tenant.token, { first: 1, after: cursor }));
      expect(projects.map(({ name }) => name)).toEqual(tenant.projects.slice(index + 1, index + 2));
    }
    const before = await edgesOf(second, backwards, { before: cursor });
    expect(before).toEqual(edges.slice(Math.max(index - 1, 0), index));
  }
});

test('one instance that is stopped leaves the other serving, with the tokens that it handed out', async () => {
  const tenant = await seedTenant({ admin }, { wallets: 1 });
  const [wallet = ''] = tenant.wallets;
  const third = await startInstance(url, onTestFinished);
  const leaving = faceOf('REST', () => third.url);
  const app = await createApp(leaving, tenant);
  const token = await signIn(leaving, tenant, app);

  const ended = third.stop('SIGTERM');
  for (const { other } of apiPairs()) expect(await asked(other, token)).toBe('ok');
  expect(await ended).toMatchObject(WELL);
  await expect(fetch(`${third.url}/healthz`)).rejects.toThrow();

  expect((await send(`${second.url}/readyz`, 'GET')).status).toBe(200);
  for (const { name, other } of apiPairs()) {
    expect(await asked(other, token)).toBe('ok');
    expect(await reasonOf(other.signIn(tenant.token, keyOf(app)))).toBe('ok');
    expect(await given(other.updateWallet(token, wallet, { title: name }))).toMatchObject({ title: name });
    expect(await reasonOf(other.createApp(tenant.token, { title: 'Later', active: true }))).toBe('ok');
  }
});

describe('on an empty database', () => {
  test('four servers that start at once migrate it once, and serve it together', async () => {
    const empty = await openEmptyDatabase();
    const instances = await Promise.all(
      Array.from({ length: 4 }, () => startInstance(empty.url, onTestFinished)),
    );
    expect(await versionsOf(empty.database)).toEqual(MIGRATIONS);

    const tenant = await seedTenant({ admin: workplaceOn(empty.database) }, { projects: 5 });
    const found: string[] = [];
    let after: string | undefined;
    for (const instance of [...instances, ...instances.slice(0, 1)]) {
      const api = faceOf('REST', () => instance.url);
      const page = await given(api.listProjects(tenant.token, { first: 1, after }));
      found.push(...page.projects.map(({ name }) => name));
      after = page.nextPageToken;
    }
    expect([found, after]).toEqual([tenant.projects, '']);
    const ends = await Promise.all(instances.map(({ stop }) => stop('SIGTERM')));
    expect(ends).toMatchObject([WELL, WELL, WELL, WELL]);
  });

  test('four migrations that start at once all succeed, and each step is applied once', async () => {
    const empty = await openEmptyDatabase();
    const results = await Promise.all([1, 2, 3, 4].map(() => paw(['migrate'], { DATABASE_URL: empty.url })));
    expect(results).toMatchObject([WELL, WELL, WELL, WELL]);
    expect(await versionsOf(empty.database)).toEqual(MIGRATIONS);
    expect(results.flatMap(({ stdout }) => stdout.match(/^Applied /gm) ?? [])).toHaveLength(
      MIGRATIONS.length,
    );
  });

  test('sixteen migrations that meet in the database itself are done once, and none fails', async () => {
    const empty = await openEmptyDatabase();
    const databases = await Promise.all(Array.from({ length: 16 }, () => openDatabase(empty.url)));
    onTestFinished(async () => {
      await Promise.all(databases.map((each) => each.close()));
    });
    // So that none of them is ahead by the time that it takes to connect.
    await Promise.all(databases.map((each) => each.query('SELECT 1 AS one')));
    await Promise.all(databases.map((each, index) => migrate(each, index)));
    expect(await versionsOf(empty.database)).toEqual(MIGRATIONS);
    const times = await empty.database.query('SELECT DISTINCT apply_time_ms FROM schema_migration');
    expect(times).toHaveLength(1);
  });
});

/**
 * Starts a server on a database that others may use, too.
 *
 * @param atEnd takes what ends the server if nothing else has
 */
async function startInstance(
  databaseUrl: string,
  atEnd: (end: () => Promise<void>) => void = () => {},
): Promise<Instance> {
  const { printed, stop } = startPaw(['serve'], { PORT: '0', DATABASE_URL: databaseUrl });
  atEnd(async () => {
    await stop('SIGKILL');
  });
  const [listensAt] = /http:\/\/127\.0\.0\.1:\d+/.exec(await printed('listening on ')) ?? [];
  if (listensAt === undefined) throw new Error('The server does not say where it listens.');
  return { url: listensAt, stop };
}

function apiPairs(): readonly FacePair[] {
  return (['GraphQL', 'REST'] as const).map((name) => ({
    name,
    one: faceOf(name, () => first.url),
    other: faceOf(name, () => second.url),
  }));
}

function faceOf(name: Api['name'], at: () => string): Api {
  const api = bothApis(at).find((each) => each.name === name);
  if (api === undefined) throw new Error(`There is no API ${name}.`);
  return api;
}

function workplaceOn(database: Database): AdminContext {
  return { database, clock: Date.now, newId: idGenerator(Date.now), publicUrl: () => '' };
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
  const rows = await empty.query<{ version: number }>(
    'SELECT version FROM schema_migration ORDER BY version',
  );
  return rows.map(({ version }) => version);
}

/** Runs a command that is to succeed. */
async function run(...words: readonly string[]): Promise<void> {
  expect(await paw(words, { DATABASE_URL: url })).toMatchObject(WELL);
}

/** Puts the end of a token's life into the past. */
async function expire(token: string): Promise<void> {
  const { ownerId, serial } = parseCredential(token) ?? {};
  if (ownerId === undefined || serial === undefined) throw new Error('What the test was given is no token.');
  const rows = await database.query(
    'UPDATE token SET expire_time_ms = $1 WHERE namespace = $2 AND key = $3 RETURNING key',
    [Date.now() - 1, ownerId, serial],
  );
  expect(rows).toHaveLength(1);
}

async function passwordHash(wallet: string): Promise<unknown> {
  const id = wallet.slice('wallets/'.length);
  const [row] = await database.query('SELECT password_hash FROM wallet WHERE id = $1', [id]);
  return row?.['password_hash'];
}

async function given<T>(asking: Promise<Outcome<T>> | undefined): Promise<T> {
  const outcome = await asking;
  if (outcome?.value === undefined) throw new Error(outcome?.response.text ?? 'Nobody was asked.');
  return outcome.value;
}

async function reasonOf(asking: Promise<Outcome<unknown>>): Promise<string> {
  return (await asking).error?.reason ?? 'ok';
}

/** Whether a token is good for a request: `ok`, or the reason why not. */
function asked(api: Api, token: string): Promise<string> {
  return reasonOf(api.listProjects(token));
}

/** Asks with each token by the first of the APIs, then by the next. */
function askedEach(apis: readonly Api[], tokens: readonly string[]): Promise<readonly string[]> {
  return Promise.all(apis.flatMap((api) => tokens.map((token) => asked(api, token))));
}

function createApp(api: Api, { token }: Tenant): Promise<AppFields> {
  return given(api.createApp(token, { title: 'App', active: true }));
}

async function signIn(api: Api, { token }: Tenant, app: AppFields): Promise<string> {
  return (await given(api.signIn(token, keyOf(app)))).accessToken;
}

function keyOf({ name, privateKey }: AppFields) {
  return { name, privateKey };
}
