import { describe, expect, inject, test } from 'vitest';
import { createCredential } from '../../src/credentials/credential.ts';
import { createAccountToken } from '../../src/data/operator/create-account-token.ts';
import { firstUlid } from '../../src/model/resource-name.ts';
import {
  createApp,
  expiredToken,
  graphqlBody,
  keyOf,
  mutate,
  signIn,
  tokenStatus,
  ulidOf,
  withOtherSecret,
} from '../support/actors.ts';
import { type AppFields, bothApis, restApi } from '../support/apis.ts';
import { missingTable } from '../support/engine.ts';
import {
  type Gateway,
  seedTenant,
  startGateway,
  type Tenant,
  type TestClock,
  testClock,
  testDatabase,
  testGateway,
  useGateway,
} from '../support/gateway.ts';
import { paw, pawJson } from '../support/paw.ts';
import { addEvent, rowOf, rowsOf } from '../support/rows.ts';

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;

const gateway = useGateway();
const api = restApi(() => gateway.url);

describe.each(bothApis(() => gateway.url))('by $name', (each) => {
  test('a missing token table is a masked and logged internal error, and not an invalid token', async () => {
    const { token } = await seedTenant(gateway);
    const logged = gateway.log().length;
    await gateway.database.write('ALTER TABLE token RENAME TO token_away');
    const { error, response } = await each
      .listProjects(token)
      .finally(() => gateway.database.write('ALTER TABLE token_away RENAME TO token'));
    expect([response.status, error?.reason]).toEqual([500, 'INTERNAL']);
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(response.text).not.toMatch(/no such table|relation|postgres|sql/i);
    const log = gateway.log().slice(logged);
    expect(log).toContain(missingTable('token'));
    expect(log).toContain(response.headers.get('x-request-id'));
  });
});

test('no token issued during the deactivation of its app stays valid', async () => {
  const { token } = await seedTenant(gateway);
  const app = await createApp(api, token);
  const apis = bothApis(() => gateway.url);
  const signIns = () => Promise.all([...apis, ...apis].map((each) => each.signIn(token, keyOf(app))));
  const outcomes = await signIns();
  let done = false;
  const deactivation = run(gateway, 'app', 'deactivate', app.name).finally(() => {
    done = true;
  });
  while (!done) outcomes.push(...(await signIns()));
  await deactivation;
  const refusals = outcomes.flatMap(({ error }) => error?.reason ?? []);
  expect(new Set([...refusals, 'APP_INACTIVE'])).toEqual(new Set(['APP_INACTIVE']));
  const issued = outcomes.flatMap(({ value }) => value?.accessToken ?? []);
  expect(issued.length).toBeGreaterThanOrEqual(4);
  const statuses = await Promise.all(issued.map((each) => tokenStatus(api, each)));
  expect(new Set(statuses)).toEqual(new Set(['TOKEN_INVALID']));
});

async function signInByGraphql({ url }: Gateway, token: string, app: AppFields) {
  const { data } = await mutate(url, token, 'signIn', keyOf(app), 'accessToken expireTime');
  return { ...data.signIn, expireTimeMs: Date.parse(data.signIn.expireTime) };
}

test('PAW_TOKEN_TTL sets the lifetime of project tokens, and expireTime is the end of this lifetime', async () => {
  const own = await testGateway({ PAW_TOKEN_TTL: '90s' });
  const { token } = await seedTenant(own);
  const ownApi = restApi(() => own.url);
  const { accessToken, expireTimeMs } = await signInByGraphql(own, token, await createApp(ownApi, token));
  expect(expireTimeMs).toBe(own.clock() + 90 * SECOND_MS);
  await expectEnd(own, accessToken, expireTimeMs);
});

describe('although the clock advances during the sign-in,', () => {
  async function tickingGateway() {
    let [now, stepMs] = [Date.now(), 1];
    const tick = () => (now += stepMs);
    const stopAt = (time: number) => {
      [now, stepMs] = [time, 0];
    };
    const own = await testGateway({}, Object.assign(tick, { advance() {} }) satisfies TestClock);
    const { token } = await seedTenant(own);
    const ownApi = restApi(() => own.url);
    return { own, ownApi, token, app: await createApp(ownApi, token), stopAt };
  }

  test('a project token is valid until expireTime', async () => {
    const { own, ownApi, token, app, stopAt } = await tickingGateway();
    const { accessToken, expireTimeMs } = await signInByGraphql(own, token, app);
    stopAt(expireTimeMs - 1);
    expect(await tokenStatus(ownApi, accessToken)).toBe('ok');
  });

  test('a token of the old key ends with the key', async () => {
    const { own, token, app } = await tickingGateway();
    await mutate(own.url, token, 'rotateAppKey', { name: app.name, gracePeriod: 60 });
    const { previous_key_expire_time_ms: end } = await rowOf(own.database, app.name);
    const { accessToken, expireTime, expireTimeMs } = await signInByGraphql(own, token, app);
    expect(expireTimeMs).toBe(end);
    const { data } = await graphqlBody(own.url, accessToken, '{ viewer { expireTime } }');
    expect(data.viewer).toEqual({ expireTime });
  });
});

test.each([
  ['90 days by default', [], 90 * DAY_MS],
  ['the time of --expires-in', ['--expires-in', '45s'], 45 * SECOND_MS],
])('an account token is valid for %s', async (_, options, lifeMs) => {
  const own = await testGateway();
  const { account } = await seedTenant(own);
  const earliest = Date.now() + lifeMs;
  const { accessToken, expireTime } = await run(own, 'token', 'create', '--account', account, ...options);
  const expireTimeMs = Date.parse(expireTime);
  expect(expireTimeMs).toBeGreaterThanOrEqual(earliest);
  expect(expireTimeMs).toBeLessThanOrEqual(Date.now() + lifeMs);
  await expectEnd(own, accessToken, expireTimeMs);
});

test.each<[string, (tenant: Tenant, app: AppFields) => string | Promise<string>]>([
  ['text that is not a token', () => 'nonsense'],
  [
    'a token that was never issued',
    () => createCredential('acct', gateway.admin.newId(), gateway.admin.newId()),
  ],
  ["an app's private key", (_tenant, { privateKey }) => privateKey],
  // The commands have the real clock.
  ['an expired token', (tenant) => expiredToken({ admin: { ...gateway.admin, clock: Date.now } }, tenant)],
  ['a live token with another secret', ({ token }) => withOtherSecret(token)],
])('paw token revoke fails for %s with status 1 and one line, and does not repeat it', async (_, make) => {
  const tenant = await seedTenant(gateway);
  const app = await createApp(api, tenant.token);
  await signIn(api, tenant.token, app);
  const token = await make(tenant, app);
  const tokens = async () => (await rowsOf(gateway.database, 'token', tenant.account)).map(({ id }) => id);
  const before = await tokens();
  const settings = { DATABASE_URL: gateway.databaseUrl };
  const { status, stdout, stderr } = await paw(['token', 'revoke'], settings, token);
  expect({ status, stdout }).toEqual({ status: 1, stdout: '' });
  expect(stderr).toMatch(/^paw: [^\n]+\n$/);
  expect(stderr).not.toContain(token);
  expect(await tokens()).toEqual(before);
});

test('a gateway deletes at its start what has expired, and nothing else if its clock is 400 days ahead', async () => {
  const { url } = await testDatabase();
  const right = await testGateway({ DATABASE_URL: url });
  const tenant = await seedTenant(right);
  const ids = async (table: 'audit_event' | 'token') =>
    (await rowsOf(right.database, table)).map(({ id }) => id);
  const valid = await ids('token');
  const past = { ...right.admin, clock: () => Date.now() - 2 * DAY_MS };
  await createAccountToken(past, tenant, 60);
  const sweeping = await startGateway({ DATABASE_URL: url }, right.clock);
  await expect.poll(() => ids('token')).toEqual(valid);
  await sweeping.stop();

  // On PostgreSQL, it is deleted, as the last row of the sweep: rows expire by the clock of the server.
  const old = firstUlid(1);
  const others = await ids('audit_event');
  await addEvent(right.database, ulidOf(tenant.account), { id: old });
  const wrongClock = testClock();
  wrongClock.advance(400 * DAY_MS);
  const wrong = await testGateway({ DATABASE_URL: url }, wrongClock);
  if (inject('engine') === 'sqlite') {
    await expect.poll(wrong.log).toContain('The clock is more than a day ahead of the newest row.');
    expect(await ids('audit_event')).toEqual([old, ...others]);
  } else await expect.poll(() => ids('audit_event')).toEqual(others);
  expect(await ids('token')).toEqual(valid);
});

/** Expects that a token is valid until a time, to the millisecond. */
async function expectEnd({ url, clock }: Gateway, token: string, timeMs: number): Promise<void> {
  clock.advance(timeMs - clock() - 1);
  expect(
    await tokenStatus(
      restApi(() => url),
      token,
    ),
  ).toBe('ok');
  clock.advance(1);
  expect(
    await tokenStatus(
      restApi(() => url),
      token,
    ),
  ).toBe('TOKEN_INVALID');
}

/** Runs a command that has to succeed on the database of a gateway. */
function run({ databaseUrl }: Gateway, ...words: readonly string[]) {
  return pawJson(words, { DATABASE_URL: databaseUrl });
}
