import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createCredential, parseCredential } from '../../src/credentials/credential.ts';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { type Api, type AppFields, bothApis, type Outcome, postGraphql } from '../support/apis.ts';
import { missingTable, onDatabase } from '../support/engine.ts';
import {
  type Gateway,
  makeDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  testClock,
} from '../support/gateway.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const SIGN_IN = 'mutation ($input: SignInInput!) { signIn(input: $input) { accessToken expireTime } }';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  it('an access token lives one hour to the millisecond', async () => {
    const tenant = await seedTenant(gateway);
    const { accessToken } = await signIn(api, tenant.token, await createApp(api, tenant));
    gateway.clock.advance(HOUR_MS - 1);
    expect(await asked(api, accessToken)).toBe('ok');
    gateway.clock.advance(1);
    expect(await asked(api, accessToken)).toBe('TOKEN_INVALID');
    expect(await asked(api, tenant.token)).toBe('ok');
  });

  it('a token that is revoked is refused on the next request, and no other is', async () => {
    const tenant = await seedTenant(gateway);
    const app = await createApp(api, tenant);
    const [access, otherAccess] = [
      await signIn(api, tenant.token, app),
      await signIn(api, tenant.token, app),
    ];
    const { accessToken: account } = await createAccountToken(gateway.admin, tenant, 3600);
    const [ended, live] = [
      [account, access.accessToken],
      [tenant.token, otherAccess.accessToken],
    ];
    const all = () => Promise.all([...ended, ...live].map((token) => asked(api, token)));
    expect(await all()).toEqual(['ok', 'ok', 'ok', 'ok']);
    const outputs = await Promise.all(ended.map((token) => paw('token', 'revoke', token, '--json')));
    expect(outputs.map(({ stdout }) => stdout)).toEqual(['{"revoked":true}\n', '{"revoked":true}\n']);
    expect(await all()).toEqual(['TOKEN_INVALID', 'TOKEN_INVALID', 'ok', 'ok']);
  });

  it('an app made inactive loses its access tokens for good, and signs in again once it is active', async () => {
    const tenant = await seedTenant(gateway);
    const [app, other] = [await createApp(api, tenant), await createApp(api, tenant)];
    const { accessToken: others } = await signIn(api, tenant.token, other);
    const lost = [
      (await signIn(api, tenant.token, app)).accessToken,
      (await signIn(api, tenant.token, app)).accessToken,
    ];
    const refused = lost.map(() => 'TOKEN_INVALID');

    const { stdout } = await paw('app', 'deactivate', app.name, '--json');
    expect(JSON.parse(stdout)).toEqual({ name: app.name, title: app.title, privateKey: '', active: false });
    expect(await Promise.all(lost.map((token) => asked(api, token)))).toEqual(refused);
    expect((await api.signIn(tenant.token, keyOf(app))).error).toMatchObject({
      status: 'PERMISSION_DENIED',
      reason: 'APP_INACTIVE',
    });
    expect(await asked(api, others)).toBe('ok');

    await paw('app', 'activate', app.name);
    expect(await Promise.all(lost.map((token) => asked(api, token)))).toEqual(refused);
    const { accessToken, app: active } = await signIn(api, tenant.token, app);
    expect(active).toEqual({ name: app.name, title: app.title, privateKey: '', active: true });
    expect(await asked(api, accessToken)).toBe('ok');
  });

  it('no token that is handed out while its app is made inactive outlives that', async () => {
    const tenant = await seedTenant(gateway);
    const app = await createApp(api, tenant);
    const tenSignIns = () =>
      Promise.all(Array.from({ length: 10 }, () => api.signIn(tenant.token, keyOf(app))));
    const outcomes = await tenSignIns();
    expect(outcomes.filter(({ value }) => value)).toHaveLength(10);

    let done = false;
    const deactivation = paw('app', 'deactivate', app.name).finally(() => {
      done = true;
    });
    while (!done) outcomes.push(...(await tenSignIns()));
    await deactivation;

    const refusals = outcomes.flatMap(({ error }) => error?.reason ?? []);
    expect(new Set([...refusals, 'APP_INACTIVE'])).toEqual(new Set(['APP_INACTIVE']));
    const handedOut = outcomes.flatMap(({ value }) => value?.accessToken ?? []);
    const answers = await Promise.all(handedOut.map((token) => asked(api, token)));
    expect(new Set(answers)).toEqual(new Set(['TOKEN_INVALID']));
  });

  it('an app belongs to the project that the account token was made for, else to the first one', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const { account, projects } = tenant;
    const { stdout } = await paw(
      ...['token', 'create', '--account', account, '--project', projects[2] ?? '', '--json'],
      // The gateway's clock runs ahead of the command's, which goes by the real time.
      ...['--expires-in', '3650d'],
    );
    const tokens: readonly string[] = [tenant.token, JSON.parse(stdout).accessToken];
    const apps = await Promise.all(
      tokens.map((token) => given(api.createApp(token, { title: 'A', active: true }))),
    );
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on App { project { name } } } }';
    const { text } = await postGraphql(gateway.url, tenant.token, query, {
      ids: apps.map(({ name }) => name),
    });
    expect(JSON.parse(text).data.nodes).toEqual([
      { project: { name: projects[0] } },
      { project: { name: projects[2] } },
    ]);
    // The project is where apps go by default; it does not narrow what the token sees.
    const pages = await Promise.all(tokens.map((token) => given(api.listProjects(token))));
    expect(pages.map((page) => page.projects.map(({ name }) => name))).toEqual([projects, projects]);
  });

  it('a tokens table that has gone is a masked fault of ours, logged, and not a bad token', async () => {
    const tenant = await seedTenant(gateway);
    const logged = gateway.log().length;
    await gateway.database.query('ALTER TABLE token RENAME TO token_away');
    const { error, response } = await api
      .listProjects(tenant.token)
      .finally(() => gateway.database.query('ALTER TABLE token_away RENAME TO token'));
    expect(response.status).toBe(500);
    expect(error).toMatchObject({ status: 'INTERNAL', reason: 'INTERNAL' });
    expect(error?.requestId).toBe(response.headers.get('x-request-id'));
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(response.text).not.toMatch(/keyv|no such table|relation|postgres|sql/i);
    const log = gateway.log().slice(logged);
    expect(log).toContain(missingTable('token'));
    expect(log).toContain(error?.requestId);
    expect(await asked(api, tenant.token)).toBe('ok');
  });
});

it('PAW_TOKEN_TTL sets how long an access token lives, and expireTime says when it ends', async () => {
  const own = await startGateway({ PAW_TOKEN_TTL: '90s' });
  onTestFinished(own.stop);
  const tenant = await seedTenant(own);
  const api = oneFace(own);
  const input = keyOf(await createApp(api, tenant));
  const { text } = await postGraphql(own.url, tenant.token, SIGN_IN, { input });
  const { accessToken, expireTime } = JSON.parse(text).data.signIn;
  expect(Date.parse(expireTime)).toBe(own.clock() + 90 * SECOND_MS);
  own.clock.advance(90 * SECOND_MS - 1);
  expect(await asked(api, accessToken)).toBe('ok');
  own.clock.advance(1);
  expect(await asked(api, accessToken)).toBe('TOKEN_INVALID');
});

it('an access token is good until the time that was announced, though time went by as it was made', async () => {
  let [now, stepMs] = [Date.now(), 1];
  const clock = Object.assign(() => (now += stepMs), { advance() {} });
  const own = await startGateway({}, clock);
  onTestFinished(own.stop);
  const api = oneFace(own);
  const tenant = await seedTenant(own);
  const input = keyOf(await createApp(api, tenant));
  const { text } = await postGraphql(own.url, tenant.token, SIGN_IN, { input });
  const { accessToken, expireTime } = JSON.parse(text).data.signIn;
  stepMs = 0;
  now = Date.parse(expireTime) - 1;
  expect(await asked(api, accessToken)).toBe('ok');
});

it.each([
  ['90 days where nothing else is said', [], 90 * DAY_MS],
  ['as long as --expires-in says', ['--expires-in', '45s'], 45 * SECOND_MS],
])('an account token lives %s', async (_long, options, lifeMs) => {
  const own = await startGateway();
  onTestFinished(own.stop);
  const api = oneFace(own);
  const { account } = await seedTenant(own);
  const earliest = Date.now() + lifeMs;
  const { stdout } = await pawOn(own, 'token', 'create', '--account', account, '--json', ...options);
  const latest = Date.now() + lifeMs;
  const { accessToken, expireTime } = JSON.parse(stdout);
  const expireTimeMs = Date.parse(expireTime);
  expect(expireTimeMs).toBeGreaterThanOrEqual(earliest);
  expect(expireTimeMs).toBeLessThanOrEqual(latest);
  // What is announced is a promise to the client.
  own.clock.advance(expireTimeMs - own.clock() - 1);
  expect(await asked(api, accessToken)).toBe('ok');
  own.clock.advance(latest - own.clock());
  expect(await asked(api, accessToken)).toBe('TOKEN_INVALID');
});

describe('paw token revoke', () => {
  it.concurrent.each<[string, (tenant: Tenant, app: AppFields) => string | Promise<string>]>([
    ['text that is no token', () => 'nonsense'],
    ['a token that was never made', () => createCredential('acct', newId(), newId())],
    ["an app's private key", (_tenant, { privateKey }) => privateKey],
    ['a token that was revoked before', (tenant) => revoke(tenant.token)],
    ['a token that has expired', expiredToken],
    ['a live token with another secret', ({ token }) => withOtherSecret(token)],
  ])('fails for %s with status 1 and one line that does not repeat it', async (_what, make) => {
    const tenant = await seedTenant(gateway);
    const app = await createApp(oneFace(gateway), tenant);
    await signIn(oneFace(gateway), tenant.token, app);
    const token = await make(tenant, app);
    const before = await rowsOf(tenant, app);
    const failure = await paw('token', 'revoke', token).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^paw: [^\n]+\n$/) });
    expect(failure).not.toMatchObject({ stderr: expect.stringContaining(token) });
    expect(await rowsOf(tenant, app)).toEqual(before);
  });
});

describe('the tokens in the database', () => {
  it('are deleted once expired, and only then', async () => {
    const { url, remove } = await makeDatabase();
    onTestFinished(remove);
    const clock = testClock();
    const first = await startGateway({ DATABASE_URL: url }, clock);
    const tenant = await seedTenant(first);
    const api = oneFace(first);
    const token = async (seconds: number) =>
      (await createAccountToken(first.admin, tenant, seconds)).accessToken;
    const expired = [await token(59), await token(60)];
    const access = await signIn(api, tenant.token, await createApp(api, tenant));
    const live = [tenant.token, await token(61), access.accessToken];
    expect(await keysIn(url)).toEqual(serialsOf([...expired, ...live]));
    clock.advance(60 * SECOND_MS);
    await first.stop();

    // It sweeps as it starts, and its stop waits for that.
    const second = await startGateway({ DATABASE_URL: url }, clock);
    await second.stop();
    expect(await keysIn(url)).toEqual(serialsOf(live));
  });
});

/** One of the APIs, where they cannot differ. */
function oneFace({ url }: Gateway): Api {
  const [api] = bothApis(() => url);
  if (api === undefined) throw new Error('There is no api.');
  return api;
}

/** Whether a token is good for a request: `ok`, or the reason why not. */
async function asked(api: Api, token: string): Promise<string> {
  const { error } = await api.listProjects(token);
  return error?.reason ?? 'ok';
}

async function given<T>(asking: Promise<Outcome<T>>): Promise<T> {
  const { value, response } = await asking;
  if (value === undefined) throw new Error(response.text);
  return value;
}

function createApp(api: Api, { token }: Tenant): Promise<AppFields> {
  return given(api.createApp(token, { title: 'App', active: true }));
}

function signIn(api: Api, token: string, app: AppFields) {
  return given(api.signIn(token, keyOf(app)));
}

function keyOf({ name, privateKey }: AppFields) {
  return { name, privateKey };
}

async function revoke(token: string): Promise<string> {
  await paw('token', 'revoke', token);
  return token;
}

/** A token that has expired by the real time, which is the command's. */
async function expiredToken(tenant: Tenant): Promise<string> {
  const past = { ...gateway.admin, clock: () => Date.now() - HOUR_MS };
  return (await createAccountToken(past, tenant, 60)).accessToken;
}

function withOtherSecret(token: string): string {
  const { kind, ownerId, serial } = parseCredential(token) ?? {};
  if (!kind || !ownerId || !serial) throw new Error('What the test was given is no token.');
  return createCredential(kind, ownerId, serial);
}

/** The tokens of an account and of one of its apps. */
function rowsOf({ account }: Tenant, app: AppFields) {
  const owners = [account, app.name].map((name) => name.replace(/^.*\//, ''));
  return gateway.database.query('SELECT * FROM token WHERE namespace IN ($1, $2) ORDER BY key', owners);
}

function newId() {
  return gateway.admin.newId();
}

async function keysIn(databaseUrl: string): Promise<readonly string[]> {
  const rows = await onDatabase(databaseUrl, (database) =>
    database.query<{ key: string }>('SELECT key FROM token'),
  );
  return rows.map(({ key }) => key).sort();
}

function serialsOf(tokens: readonly string[]): readonly (string | undefined)[] {
  return tokens.map((token) => parseCredential(token)?.serial).sort();
}

function paw(...words: readonly string[]) {
  return pawOn(gateway, ...words);
}

/** Runs a command as an operator does, in a process of its own. */
function pawOn({ databaseUrl }: Gateway, ...words: readonly string[]) {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  return promisify(execFile)(process.execPath, [program, ...words], { env: { DATABASE_URL: databaseUrl } });
}
