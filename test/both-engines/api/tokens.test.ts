import { describe, expect, test } from 'vitest';
import { createCredential } from '../../../src/credentials/credential.ts';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { firstUlid } from '../../../src/model/resource-name.ts';
import {
  createApp,
  credentialParts,
  expiredToken,
  graphqlBody,
  keyOf,
  signIn,
  tokenStatus,
  withOtherSecret,
} from '../../support/actors.ts';
import { type AppFields, bothApis, mutationDocument, restApi } from '../../support/apis.ts';
import { missingTable, onDatabase } from '../../support/engine.ts';
import {
  seedTenant,
  startGateway,
  type Tenant,
  testClock,
  testDatabase,
  testGateway,
  useGateway,
} from '../../support/gateway.ts';
import { paw, pawJson } from '../../support/paw.ts';
import { addEvent, rowsOf as rowsIn } from '../../support/rows.ts';

const SECOND_MS = 1000;
const HOUR_MS = 3600 * SECOND_MS;
const DAY_MS = 24 * HOUR_MS;

const SIGN_IN = mutationDocument('signIn', 'accessToken expireTime');

const gateway = useGateway();

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('a missing token table is a masked and logged internal error, and not an invalid token', async () => {
    const tenant = await seedTenant(gateway);
    const logged = gateway.log().length;
    await gateway.database.write('ALTER TABLE token RENAME TO token_away');
    const { error, response } = await api
      .listProjects(tenant.token)
      .finally(() => gateway.database.write('ALTER TABLE token_away RENAME TO token'));
    expect(response.status).toBe(500);
    expect(error).toMatchObject({ status: 'INTERNAL', reason: 'INTERNAL' });
    expect(error?.requestId).toBe(response.headers.get('x-request-id'));
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(response.text).not.toMatch(/no such table|relation|postgres|sql/i);
    const log = gateway.log().slice(logged);
    expect(log).toContain(missingTable('token'));
    expect(log).toContain(error?.requestId);
    expect(await tokenStatus(api, tenant.token)).toBe('ok');
  });
});

test('no token issued during the deactivation of its app stays valid', async () => {
  const tenant = await seedTenant(gateway);
  const apis = bothApis(() => gateway.url);
  const [api] = apis;
  const app = await createApp(api, tenant.token);
  const signIns = () => Promise.all([...apis, ...apis].map((each) => each.signIn(tenant.token, keyOf(app))));
  const outcomes = await signIns();
  expect(outcomes.filter(({ value }) => value)).toHaveLength(4);

  let done = false;
  const deactivation = run('app', 'deactivate', app.name).finally(() => {
    done = true;
  });
  while (!done) outcomes.push(...(await signIns()));
  await deactivation;

  const refusals = outcomes.flatMap(({ error }) => error?.reason ?? []);
  expect(new Set([...refusals, 'APP_INACTIVE'])).toEqual(new Set(['APP_INACTIVE']));
  const issued = outcomes.flatMap(({ value }) => value?.accessToken ?? []);
  const statuses = await Promise.all(issued.map((token) => tokenStatus(api, token)));
  expect(new Set(statuses)).toEqual(new Set(['TOKEN_INVALID']));
});

test('PAW_TOKEN_TTL sets the lifetime of project tokens, and expireTime is the end of this lifetime', async () => {
  const own = await testGateway({ PAW_TOKEN_TTL: '90s' });
  const tenant = await seedTenant(own);
  const api = restApi(() => own.url);
  const input = keyOf(await createApp(api, tenant.token));
  const { data } = await graphqlBody(own.url, tenant.token, SIGN_IN, { input });
  const { accessToken, expireTime } = data.signIn;
  expect(Date.parse(expireTime)).toBe(own.clock() + 90 * SECOND_MS);
  own.clock.advance(90 * SECOND_MS - 1);
  expect(await tokenStatus(api, accessToken)).toBe('ok');
  own.clock.advance(1);
  expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
});

test('a project token is valid until expireTime, even if the clock advances during the sign-in', async () => {
  let [now, stepMs] = [Date.now(), 1];
  const clock = Object.assign(() => (now += stepMs), { advance() {} });
  const own = await testGateway({}, clock);
  const api = restApi(() => own.url);
  const tenant = await seedTenant(own);
  const input = keyOf(await createApp(api, tenant.token));
  const { data } = await graphqlBody(own.url, tenant.token, SIGN_IN, { input });
  const { accessToken, expireTime } = data.signIn;
  stepMs = 0;
  now = Date.parse(expireTime) - 1;
  expect(await tokenStatus(api, accessToken)).toBe('ok');
});

test.each([
  ['90 days by default', [], 90 * DAY_MS],
  ['the time of --expires-in', ['--expires-in', '45s'], 45 * SECOND_MS],
])('an account token is valid for %s', async (_, options, lifeMs) => {
  const own = await testGateway();
  const api = restApi(() => own.url);
  const { account } = await seedTenant(own);
  const earliest = Date.now() + lifeMs;
  const words = ['token', 'create', '--account', account, ...options];
  const { accessToken, expireTime } = await pawJson(words, { DATABASE_URL: own.databaseUrl });
  const latest = Date.now() + lifeMs;
  const expireTimeMs = Date.parse(expireTime);
  expect(expireTimeMs).toBeGreaterThanOrEqual(earliest);
  expect(expireTimeMs).toBeLessThanOrEqual(latest);
  own.clock.advance(expireTimeMs - own.clock() - 1);
  expect(await tokenStatus(api, accessToken)).toBe('ok');
  own.clock.advance(latest - own.clock());
  expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
});

test.each<[string, (tenant: Tenant, app: AppFields) => string | Promise<string>]>([
  ['text that is not a token', () => 'nonsense'],
  [
    'a token that was never issued',
    () => createCredential('acct', gateway.admin.newId(), gateway.admin.newId()),
  ],
  ["an app's private key", (_tenant, { privateKey }) => privateKey],
  ['an expired token', (tenant) => expiredToken(realTime(), tenant)],
  ['a live token with another secret', ({ token }) => withOtherSecret(token)],
])(
  'paw token revoke fails for %s with status 1 and one line, and does not repeat it',
  async (_what, make) => {
    const tenant = await seedTenant(gateway);
    const api = restApi(() => gateway.url);
    const app = await createApp(api, tenant.token);
    await signIn(api, tenant.token, app);
    const token = await make(tenant, app);
    const before = await rowsOf(tenant);
    const { status, stdout, stderr } = await paw(
      ['token', 'revoke'],
      { DATABASE_URL: gateway.databaseUrl },
      token,
    );
    expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
    expect(stderr).toMatch(/^paw: [^\n]+\n$/);
    expect(stderr).not.toContain(token);
    expect(await rowsOf(tenant)).toEqual(before);
  },
);

test('the tokens in the database are deleted once expired, and not before', async () => {
  const { url } = await testDatabase();
  const clock = testClock();
  const first = await startGateway({ DATABASE_URL: url }, clock);
  const tenant = await seedTenant(first);
  // Its first sweep may still be running.
  await first.stop();
  const token = (seconds: number) =>
    onDatabase(url, async (database) => {
      const past = { ...first.admin, database, clock: () => clock() - 60 * SECOND_MS };
      return (await createAccountToken(past, tenant, seconds)).accessToken;
    });
  const expired = [await token(59), await token(60)];
  // On PostgreSQL, the server's clock has moved on.
  const live = [tenant.token, await token(3660)];
  expect(await keysIn(url)).toEqual(serialsOf([...expired, ...live]));

  // A server sweeps when it starts.
  await testGateway({ DATABASE_URL: url }, clock);
  await expect.poll(() => keysIn(url)).toEqual(serialsOf(live));
});

test('an instance whose clock is 400 days ahead deletes no valid token and no audit event', async () => {
  const { url } = await testDatabase();
  const clock = testClock();
  const first = await startGateway({ DATABASE_URL: url }, clock);
  const tenant = await seedTenant(first);
  const events = () =>
    onDatabase(url, (database) =>
      database.read("SELECT id FROM audit_event WHERE account_id <> 'account' ORDER BY id"),
    );
  const before = await events();
  expect(before).not.toEqual([]);
  await first.stop();
  // PostgreSQL deletes it by the server's clock, after the tokens.
  const expired = { id: firstUlid(clock() - 100 * DAY_MS) };
  await onDatabase(url, (database) => addEvent(database, 'account', expired));

  clock.advance(400 * DAY_MS);
  const second = await testGateway({ DATABASE_URL: url }, clock);
  const swept = /ahead of the newest row|"table":"audit_event"/;
  await expect.poll(second.log).toMatch(swept);
  expect(await keysIn(url)).toEqual(serialsOf([tenant.token]));
  expect(await events()).toEqual(before);
});

/** The context for administrative operations with the real clock, which the commands use. */
function realTime() {
  return { admin: { ...gateway.admin, clock: Date.now } };
}

/** The tokens of an account and of its apps. */
function rowsOf({ account }: Tenant) {
  return rowsIn(gateway.database, 'token', account);
}

async function keysIn(databaseUrl: string): Promise<readonly string[]> {
  const rows = await onDatabase(databaseUrl, (database) => rowsIn(database, 'token'));
  return rows.map(({ id }) => String(id)).sort();
}

function serialsOf(tokens: readonly string[]): readonly string[] {
  return tokens.map((token) => credentialParts(token).serial).sort();
}

/** Runs a command that has to succeed on the database of the gateway. */
function run(...words: readonly string[]) {
  return pawJson(words, { DATABASE_URL: gateway.databaseUrl });
}
