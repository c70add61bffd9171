import { expect, test } from 'vitest';
import { type Api, bothApis, graphqlApi } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import {
  type AppKey,
  accountToken,
  createApp,
  credentialParts,
  graphqlBody,
  keyOf,
  mutate,
  payloadOf,
  projectToken,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../support/requests.ts';

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
      const payload = await payloadOf(gateway.url, token, 'rotateAppKey', input, selection);
      if ('reason' in payload) return payload;
      expect(payload.privateKey).toBe(payload.app.privateKey);
      return payload.app;
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

/** Returns the keys of an app. */
async function keysOf(token: string, { name }: AppKey) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { keys { id createTime expireTime } } } }';
  return (await graphqlBody(gateway.url, token, query, { id: name })).data.node.keys;
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
  expect(await signInsWith([app], await accountToken(gateway, tenant))).toEqual(['ok']);
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

test('the keys of an app are the current one, and the one before it until the end of its grace period', async () => {
  const { tenant, token, app, rotate } = await seedApp();
  const keyFrom = (privateKey: string, createTimeMs: number, expireTime: string | null = null) => ({
    id: credentialParts(privateKey).id,
    createTime: timeOf(createTimeMs),
    expireTime,
  });
  const createdMs = gateway.clock();
  for (const each of [token, await projectToken(gateway, tenant)]) {
    expect(await keysOf(each, app)).toEqual([keyFrom(app.privateKey, createdMs)]);
  }
  gateway.clock.advance(MINUTE_MS);
  const second = (await rotate({ gracePeriod: 60 })).privateKey;
  const rotatedMs = gateway.clock();
  const ending = keyFrom(app.privateKey, createdMs, timeOf(rotatedMs + MINUTE_MS));
  expect(await keysOf(token, app)).toEqual([keyFrom(second, rotatedMs), ending]);
  gateway.clock.advance(MINUTE_MS - 1);
  expect(await keysOf(token, app)).toHaveLength(2);
  gateway.clock.advance(1);
  expect(await keysOf(token, app)).toEqual([keyFrom(second, rotatedMs)]);
  const third = (await rotate({ gracePeriod: 0 })).privateKey;
  expect(await keysOf(token, app)).toEqual([keyFrom(third, gateway.clock())]);
});
