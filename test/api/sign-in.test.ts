import { describe, expect, test } from 'vitest';
import {
  type Api,
  type AppFields,
  bothApis,
  graphqlApi,
  postGraphql,
  restApi,
} from '../support/both-apis.ts';
import { type Gateway, seedTenant, type TestClock, testGateway, useGateway } from '../support/gateway.ts';
import { expectError } from '../support/refusal.ts';
import {
  type AppKey,
  authorize,
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  keyOf,
  MISSING_APP,
  mutate,
  projectToken,
  projectTokenOf,
  reasonOf,
  resultOf,
  signIn,
  tokenStatus,
  ulidOf,
  withOtherSecret,
  withoutRequestId,
} from '../support/requests.ts';
import { rowOf, rowsOf, setRow } from '../support/rows.ts';

const HOUR_MS = 3_600_000;

/** The maximum number of tokens of an app. */
const LIMIT = 3;

const SETTINGS = { PAW_APP_TOKENS: String(LIMIT) };

const gateway = useGateway(SETTINGS);
/** Another instance on the same database. */
const other = useGateway(SETTINGS, gateway);
const api = graphqlApi(() => gateway.url);

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const [elsewhere] = bothApis(() => other.url).filter(({ name }) => name === api.name) as [Api];

  test('an app signs in and gets a token, and itself without its key', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const app = await createAppIn(gateway, api, tenant, tenant.projects[1]);
    // The ULID of the app may be in lower case.
    const result = await signIn(api, tenant.token, { ...app, name: inLowerCase(app.name) });
    expect(result).toMatchObject({
      accessToken: expect.stringMatching(/^paw_app_[0-9A-Z]{52}_[0-9a-f]{72}$/),
      app: { ...app, privateKey: '' },
    });
  });

  test.each<[string, (apps: Apps) => AppKey]>([
    ['an app of another account with its own key', ({ foreign }) => foreign],
    ['a missing app with the key of another', ({ own }) => ({ ...own, name: MISSING_APP })],
    ['an app with the key of another app', ({ own, other }) => ({ ...own, privateKey: other.privateKey })],
    [
      'an app with a key of another secret',
      ({ own }) => ({ ...own, privateKey: withOtherSecret(own.privateKey) }),
    ],
    ['an app with a malformed key', ({ own }) => ({ ...own, privateKey: 'not a key' })],
    [
      'an inactive app with a wrong key',
      ({ inactive, own }) => ({ ...inactive, privateKey: own.privateKey }),
    ],
    ['an inactive app of another project, for a project token,', ({ elsewhere }) => elsewhere],
  ])('%s gets the same response as an unknown app, and no token', async (what, pick) => {
    const apps = await seedApps(api);
    const key = pick(apps);
    const token = what.includes('project token') ? apps.projectToken : apps.token;
    const unknown = await api.signIn(token, { name: MISSING_APP, privateKey: 'unknown' });
    const refused = await api.signIn(token, keyOf(key));
    expectError(api, unknown, 'UNAUTHENTICATED', 'INVALID_CREDENTIALS');
    expect(withoutRequestId(refused.response)).toEqual(withoutRequestId(unknown.response));
    expect(await tokenCount(key.name)).toBe(0);
  });

  test('an inactive app with its own key gets an error that says so, and no token', async () => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token, { active: false });
    expectError(api, await api.signIn(token, keyOf(app)), 'PERMISSION_DENIED', 'APP_INACTIVE');
    expect(await tokenCount(app.name)).toBe(0);
  });

  test('a sign-in beyond the limit ends the oldest token of the app, and no other', async () => {
    const { token } = await seedTenant(gateway);
    const [app, neighbour] = [await createApp(api, token), await createApp(api, token)];
    const unaffected = await projectTokenOf(api, token, neighbour);
    const tokens: string[] = [];
    for (let count = 0; count < LIMIT + 2; count += 1) {
      tokens.push(await projectTokenOf(count % 2 ? elsewhere : api, token, app));
      gateway.clock.advance(1);
    }
    const statuses = await Promise.all([...tokens, unaffected, token].map((each) => tokenStatus(api, each)));
    const [ended, live] = [Array(2).fill('TOKEN_INVALID'), Array(LIMIT + 2).fill('ok')];
    expect(statuses).toEqual([...ended, ...live]);
  });

  test('after concurrent sign-ins on two instances, the next one leaves the limit', async () => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token);
    const instances = Array.from({ length: 4 * LIMIT }, (_, index) => (index % 2 ? elsewhere : api));
    const tokens = await Promise.all(instances.map((instance) => projectTokenOf(instance, token, app)));
    tokens.push(await projectTokenOf(api, token, app));
    const statuses = await Promise.all(tokens.map((each) => tokenStatus(api, each)));
    expect(statuses.filter((status) => status === 'ok')).toHaveLength(LIMIT);
    expect(await tokenCount(app.name)).toBe(LIMIT);
  });
});

test.each([
  ['is deactivated', { active: 0 }, 'APP_INACTIVE'],
  ['gets a new key', { private_key_id: 'new', private_key_hash: 'new' }, 'INVALID_CREDENTIALS'],
] as const)(
  'an app that %s after a sign-in has compared its key gets no token',
  async (_, change, reason) => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token);
    const { refused } = await gateway.database.transaction(async (transaction) => {
      await setRow(transaction, app.name, change);
      // It reads the app as it was before the transaction, and then waits for the lock.
      const refused = reasonOf(api.signIn(token, keyOf(app)));
      for (let times = 0; times < 5; times += 1) await resultOf(api.listProjects(token));
      return { refused };
    });
    expect(await refused).toBe(reason);
    expect(await tokenCount(app.name)).toBe(0);
  },
);

async function signInByGraphql({ url }: Gateway, token: string, app: AppFields) {
  const { data } = await mutate(url, token, 'signIn', keyOf(app), 'accessToken expireTime');
  return { ...data.signIn, expireTimeMs: Date.parse(data.signIn.expireTime) };
}

test('PAW_TOKEN_TTL sets the lifetime of project tokens, and expireTime is the end of this lifetime', async () => {
  const own = await testGateway({ PAW_TOKEN_TTL: '90s' });
  const { token } = await seedTenant(own);
  const ownApi = restApi(() => own.url);
  const { accessToken, expireTimeMs } = await signInByGraphql(own, token, await createApp(ownApi, token));
  expect(expireTimeMs).toBe(own.clock() + 90_000);
  own.clock.advance(expireTimeMs - own.clock() - 1);
  expect(await tokenStatus(ownApi, accessToken)).toBe('ok');
  own.clock.advance(1);
  expect(await tokenStatus(ownApi, accessToken)).toBe('TOKEN_INVALID');
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

/** Returns the last sign-in of an app. */
async function lastSignInOf(token: string, { name }: AppKey) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { lastSignInTime } } }';
  return (await graphqlBody(gateway.url, token, query, { id: name })).data.node.lastSignInTime;
}

/** Waits until the last sign-in of an app has a value, which is written after the response of the sign-in. */
function expectLastSignIn(token: string, app: AppKey, timeMs: number) {
  return expect.poll(() => lastSignInOf(token, app)).toBe(new Date(timeMs).toISOString());
}

test.each([
  ...bothApis(() => gateway.url).map((each) => ({
    name: each.name,
    signIn: (token: string, app: AppFields) => each.signIn(token, keyOf(app)),
  })),
  { name: 'OAuth', signIn: (_: string, app: AppFields) => authorize(gateway, app) },
])('the last sign-in by $name is stored at most once an hour', async ({ signIn }) => {
  const tenant = await seedTenant(gateway);
  const { token } = tenant;
  const app = await createApp(api, token);
  const failing = await createApp(api, token);
  for (const reader of [token, await projectToken(gateway, tenant)]) {
    expect(await lastSignInOf(reader, app)).toBeNull();
  }
  const firstMs = gateway.clock();
  await signIn(token, app);
  await expectLastSignIn(token, app, firstMs);
  await signIn(token, { ...failing, privateKey: withOtherSecret(failing.privateKey) });
  gateway.clock.advance(HOUR_MS - 1);
  await signIn(token, app);
  gateway.clock.advance(1);
  await signIn(token, app);
  // The write of the sign-in before would have come first.
  await expectLastSignIn(token, app, firstMs + HOUR_MS);
  expect(await lastSignInOf(token, failing)).toBeNull();
});

test('concurrent first sign-ins of an app all succeed, and store one time', async () => {
  const { token } = await seedTenant(gateway);
  const app = await createApp(api, token);
  const signIns = Array.from({ length: 40 }, () => authorize(gateway, app));
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(signIns.map(() => 200));
  await expectLastSignIn(token, app, gateway.clock());
});

test('a sign-in in a request that is undone is not the last one', async () => {
  const { token } = await seedTenant(gateway);
  const app = await createApp(api, token);
  const document = `mutation ($first: SignInInput!, $second: SignInInput!) {
    first: signIn(input: $first) { accessToken } second: signIn(input: $second) { accessToken }
  }`;
  const ask = (second: object, key: string) =>
    postGraphql(gateway.url, token, document, { first: keyOf(app), second }, { 'idempotency-key': key });
  await ask({ ...keyOf(app), privateKey: withOtherSecret(app.privateKey) }, 'undone');
  gateway.clock.advance(1);
  const keptMs = gateway.clock();
  await ask(keyOf(app), 'kept');
  await expectLastSignIn(token, app, keptMs);
});

test('a sign-in succeeds although its time cannot be stored', async () => {
  const own = await testGateway();
  const { token } = await seedTenant(own);
  const [ownApi] = bothApis(() => own.url);
  const app = await createApp(ownApi, token);
  await own.database.write('ALTER TABLE app RENAME COLUMN last_sign_in_time_ms TO other');
  const past = 'BIGINT CONSTRAINT past CHECK (last_sign_in_time_ms < 0)';
  await own.database.write(`ALTER TABLE app ADD COLUMN last_sign_in_time_ms ${past}`);
  expect((await authorize(own, app)).status).toBe(200);
  await expect.poll(own.log).toContain('could not store a last use');
});

/** Apps of an account, and of another one, and tokens of the first account and its first project. */
type Apps = Record<'own' | 'other' | 'inactive' | 'elsewhere' | 'foreign', AppKey> &
  Record<'token' | 'projectToken', string>;

async function seedApps(api: Api): Promise<Apps> {
  const [tenant, stranger] = [await seedTenant(gateway, { projects: 2 }), await seedTenant(gateway)];
  const { token, projects } = tenant;
  return {
    ...{ token, projectToken: await projectToken(gateway, tenant) },
    own: await createApp(api, token),
    other: await createApp(api, token),
    inactive: await createApp(api, token, { active: false }),
    elsewhere: await createAppIn(gateway, api, tenant, projects[1], { active: false }),
    foreign: await createApp(api, stranger.token),
  };
}

async function tokenCount(app: string): Promise<number> {
  const rows = await rowsOf(gateway.database, 'token');
  return rows.filter(({ app_id }) => app_id === ulidOf(app)).length;
}
