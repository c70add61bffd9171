import { describe, expect, test } from 'vitest';
import {
  type AppKey,
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  keyOf,
  MISSING_APP,
  projectToken,
  projectTokenOf,
  reasonOf,
  resultOf,
  signIn,
  tokenStatus,
  ulidOf,
  withOtherSecret,
  withoutRequestId,
} from '../support/actors.ts';
import { type Api, bothApis, graphqlApi, restApi } from '../support/apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { expectError } from '../support/refusal.ts';
import { rowsOf, setRow } from '../support/rows.ts';

const HOUR_MS = 3_600_000;

/** The maximum number of tokens of an app. */
const LIMIT = 3;

const SETTINGS = { PAW_APP_TOKENS: String(LIMIT) };

const gateway = useGateway(SETTINGS);
/** Another instance on the same database. */
const other = useGateway(SETTINGS, gateway);

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

  test('a private key as the bearer token is refused as such', async () => {
    const { token } = await seedTenant(gateway);
    const { error } = await api.listProjects((await createApp(api, token)).privateKey);
    expect(error?.message).toContain('This is the private key of an app');
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

test('GraphQL also returns when the token expires, and the app without its key', async () => {
  const tenant = await seedTenant(gateway, { projects: 2 });
  const api = graphqlApi(() => gateway.url);
  const key = keyOf(await createAppIn(gateway, api, tenant, tenant.projects[1]));
  gateway.clock.advance(777);
  const mutation = `mutation ($input: SignInInput!) {
    signIn(input: $input) { expireTime app { id privateKey project { name } } clientMutationId }
  }`;
  const input = { ...key, clientMutationId: 'mine' };
  const { data } = await graphqlBody(gateway.url, tenant.token, mutation, { input });
  expect(data.signIn).toStrictEqual({
    expireTime: new Date(gateway.clock() + HOUR_MS).toISOString(),
    app: { id: key.name, privateKey: '', project: { name: tenant.projects[1] } },
    clientMutationId: 'mine',
  });
});

test.each([
  ['is deactivated', { active: 0 }, 'APP_INACTIVE'],
  ['gets a new key', { private_key_id: 'new', private_key_hash: 'new' }, 'INVALID_CREDENTIALS'],
] as const)(
  'an app that %s after a sign-in has compared its key gets no token',
  async (_, change, reason) => {
    const api = restApi(() => gateway.url);
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
