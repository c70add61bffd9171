import { expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/operator/create-account-token.ts';
import {
  type AppKey,
  authorize,
  createApp,
  credentialParts,
  graphqlBody,
  keyOf,
  mutate,
  projectToken,
  projectTokenOf,
  reasonOf,
  tokenStatus,
  withOtherSecret,
} from '../support/actors.ts';
import { type Api, type AppFields, bothApis, graphqlApi, postGraphql } from '../support/apis.ts';
import { seedTenant, testGateway, useGateway } from '../support/gateway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const ENDED_KEY = 'INVALID_CREDENTIALS';
const ENDED = 'TOKEN_INVALID';

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);

const api = graphqlApi(() => gateway.url);

/** Adds an app, whose keys and tokens are tried on both instances by both APIs. */
async function seedApp() {
  const tenant = await seedTenant(gateway);
  const { token } = tenant;
  const app = await createApp(api, token);
  const everywhere = <T>(items: readonly T[], ask: (api: Api, item: T) => Promise<string>) => {
    const apis = [...bothApis(() => gateway.url), ...bothApis(() => other.url)];
    const reasons = items.map(async (item) => {
      const each = await Promise.all(apis.map((one) => ask(one, item)));
      return [...new Set(each)].join(', ');
    });
    return Promise.all(reasons);
  };
  return {
    ...{ tenant, token, app },
    async rotate(fields: object = {}) {
      const input = { name: app.name, ...fields };
      const selection = 'app { name title privateKey active } privateKey';
      const { data, errors } = await mutate(gateway.url, token, 'rotateAppKey', input, selection);
      if (errors) return errors[0].extensions;
      expect(data.rotateAppKey.privateKey).toBe(data.rotateAppKey.app.privateKey);
      return data.rotateAppKey.app;
    },
    tokenOf: (key: AppKey) => projectTokenOf(api, token, key),
    /** What each key is good for. */
    signInsWith: (keys: readonly AppKey[], by = token) =>
      everywhere(keys, (one, key) => reasonOf(one.signIn(by, keyOf(key)))),
    /** What each token is good for. */
    statusOf: (...tokens: readonly string[]) => everywhere(tokens, tokenStatus),
  };
}

const timeOf = (timeMs: number) => new Date(timeMs).toISOString();

/** Returns the keys and the last sign-in of an app. */
async function read(token: string, { name }: Pick<AppFields, 'name'>) {
  const query = `query ($name: ID!) {
    node(id: $name) { ... on App { keys { id createTime expireTime } lastSignInTime } }
  }`;
  return (await graphqlBody(gateway.url, token, query, { name })).data.node;
}

/** Waits until the last sign-in of an app has a value, which is written after the response of the sign-in. */
function expectLastSignIn(token: string, app: AppFields, timeMs: number) {
  return expect.poll(() => read(token, app)).toHaveProperty('lastSignInTime', timeOf(timeMs));
}

test.each([{}, { gracePeriod: 0 }, { gracePeriod: null }])(
  'a rotation with %j gives a new key once, and ends the old one and its tokens at once',
  async (fields) => {
    const { app, rotate, tokenOf, signInsWith, statusOf } = await seedApp();
    const token = await tokenOf(app);
    const rotated = await rotate(fields);
    expect(rotated).toStrictEqual({ ...app, privateKey: expect.stringMatching(/^paw_key_/) });
    expect(rotated.privateKey).not.toBe(app.privateKey);
    expect(await signInsWith([app, rotated])).toEqual([ENDED_KEY, 'ok']);
    expect(await statusOf(token)).toEqual([ENDED]);
  },
);

test('with a grace period, the old key and the tokens of it end after this time, to the millisecond', async () => {
  const { token, app, rotate, tokenOf, signInsWith, statusOf } = await seedApp();
  const before = await tokenOf(app);
  const rotated = await rotate({ gracePeriod: 600 });
  const endMs = gateway.clock() + 10 * MINUTE_MS;
  gateway.clock.advance(5 * MINUTE_MS);
  // A token of the old key lives no longer than the key.
  const { data } = await mutate(gateway.url, token, 'signIn', keyOf(app), 'accessToken expireTime');
  const { accessToken: during, expireTime } = data.signIn;
  expect(expireTime).toBe(new Date(endMs).toISOString());
  const tokens = [before, during, await tokenOf(rotated)];
  gateway.clock.advance(5 * MINUTE_MS - 1);
  expect(await signInsWith([app, rotated])).toEqual(['ok', 'ok']);
  expect(await statusOf(...tokens)).toEqual(['ok', 'ok', 'ok']);

  gateway.clock.advance(1);
  expect(await signInsWith([app, rotated])).toEqual([ENDED_KEY, 'ok']);
  expect(await statusOf(...tokens)).toEqual([ENDED, ENDED, 'ok']);
});

test('a grace period does not prolong the life of a token', async () => {
  const { tenant, app, rotate, tokenOf, signInsWith, statusOf } = await seedApp();
  const token = await tokenOf(app);
  await rotate({ gracePeriod: 7 * 86_400 });
  gateway.clock.advance(HOUR_MS - 1);
  expect(await statusOf(token)).toEqual(['ok']);
  gateway.clock.advance(1);
  expect(await statusOf(token)).toEqual([ENDED]);
  gateway.clock.advance(6 * DAY_MS);
  // The account token has ended, too.
  const { accessToken } = await createAccountToken(gateway.admin, tenant, 3600);
  expect(await signInsWith([app], accessToken)).toEqual(['ok']);
});

test('a second rotation ends the key before the old one and its tokens at once', async () => {
  const { app: first, rotate, tokenOf, signInsWith, statusOf } = await seedApp();
  const tokens = [await tokenOf(first)];
  const second = await rotate({ gracePeriod: 3600 });
  tokens.push(await tokenOf(first), await tokenOf(second));
  const third = await rotate({ gracePeriod: 60 });
  tokens.push(await tokenOf(second), await tokenOf(third));
  expect(await signInsWith([first, second, third])).toEqual([ENDED_KEY, 'ok', 'ok']);
  expect(await statusOf(...tokens)).toEqual([ENDED, ENDED, 'ok', 'ok', 'ok']);

  gateway.clock.advance(MINUTE_MS);
  expect(await signInsWith([first, second, third])).toEqual([ENDED_KEY, ENDED_KEY, 'ok']);
  expect(await statusOf(...tokens)).toEqual([ENDED, ENDED, ENDED, ENDED, 'ok']);

  await rotate({ gracePeriod: 3600 });
  const last = await rotate();
  expect(await signInsWith([third, last])).toEqual([ENDED_KEY, 'ok']);
  expect(await statusOf(...tokens)).toEqual(tokens.map(() => ENDED));
});

test('tokens that are issued during a rotation end with the key for which they were issued', async () => {
  const { app, rotate, tokenOf, statusOf } = await seedApp();
  const signIns = () => Array.from({ length: 10 }, () => tokenOf(app));
  const before = signIns();
  const rotation = rotate({ gracePeriod: 60 });
  const tokens = await Promise.all([...before, ...signIns()]);
  await rotation;
  expect(new Set(await statusOf(...tokens))).toEqual(new Set(['ok']));
  gateway.clock.advance(MINUTE_MS);
  expect(new Set(await statusOf(...tokens))).toEqual(new Set([ENDED]));
});

test.each([-1, 604_801])(
  'a grace period of %i seconds is refused, and changes nothing',
  async (gracePeriod) => {
    const { app, rotate, signInsWith } = await seedApp();
    const refused = { reason: 'INVALID_FIELD', fieldViolations: [{ field: 'gracePeriod' }] };
    expect(await rotate({ gracePeriod })).toMatchObject(refused);
    expect(await signInsWith([app])).toEqual(['ok']);
  },
);

test('the keys of an app are the current one, and the one before it until the end of its grace period', async () => {
  const { tenant, token, app, rotate } = await seedApp();
  const keyFrom = (privateKey: string, createTimeMs: number, expireTime: string | null = null) => ({
    id: credentialParts(privateKey).id,
    createTime: timeOf(createTimeMs),
    expireTime,
  });
  const createdMs = gateway.clock();
  for (const each of [token, await projectToken(gateway, tenant)]) {
    const keys = [keyFrom(app.privateKey, createdMs)];
    expect(await read(each, app)).toEqual({ keys, lastSignInTime: null });
  }
  gateway.clock.advance(MINUTE_MS);
  const second = (await rotate({ gracePeriod: 60 })).privateKey;
  const rotatedMs = gateway.clock();
  const ending = keyFrom(app.privateKey, createdMs, timeOf(rotatedMs + MINUTE_MS));
  expect((await read(token, app)).keys).toEqual([keyFrom(second, rotatedMs), ending]);
  gateway.clock.advance(MINUTE_MS - 1);
  expect((await read(token, app)).keys).toHaveLength(2);
  gateway.clock.advance(1);
  expect((await read(token, app)).keys).toEqual([keyFrom(second, rotatedMs)]);
  const third = (await rotate({ gracePeriod: 0 })).privateKey;
  expect((await read(token, app)).keys).toEqual([keyFrom(third, gateway.clock())]);
});

test.each([
  ...bothApis(() => gateway.url).map((each) => ({
    name: each.name,
    signIn: (token: string, app: AppFields) => each.signIn(token, keyOf(app)),
  })),
  { name: 'OAuth', signIn: (_: string, app: AppFields) => authorize(gateway, app) },
])('the last sign-in by $name is stored at most once an hour', async ({ signIn }) => {
  const { token, app } = await seedApp();
  const failing = await createApp(api, token);
  expect(await read(token, app)).toHaveProperty('lastSignInTime', null);
  const firstMs = gateway.clock();
  await signIn(token, app);
  await expectLastSignIn(token, app, firstMs);
  await signIn(token, { ...failing, privateKey: withOtherSecret(failing.privateKey) });
  gateway.clock.advance(60 * MINUTE_MS - 1);
  await signIn(token, app);
  gateway.clock.advance(1);
  await signIn(token, app);
  // The write of the sign-in before would have come first.
  await expectLastSignIn(token, app, firstMs + 60 * MINUTE_MS);
  expect(await read(token, failing)).toHaveProperty('lastSignInTime', null);
});

test('concurrent first sign-ins of an app all succeed, and store one time', async () => {
  const { token, app } = await seedApp();
  const signIns = Array.from({ length: 40 }, () => authorize(gateway, app));
  expect((await Promise.all(signIns)).map(({ status }) => status)).toEqual(signIns.map(() => 200));
  await expectLastSignIn(token, app, gateway.clock());
});

test('a sign-in in a request that is undone is not the last one', async () => {
  const { token, app } = await seedApp();
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
