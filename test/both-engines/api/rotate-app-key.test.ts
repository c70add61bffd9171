import { expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import {
  type AppKey,
  createApp,
  graphqlBody,
  keyOf,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../../support/actors.ts';
import { type Api, bothApis, graphqlApi, mutationDocument } from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
let tenant: Tenant;

const api = graphqlApi(() => gateway.url);

const ROTATE = `mutation ($input: RotateAppKeyInput!) {
  rotateAppKey(input: $input) { app { name title privateKey active } privateKey clientMutationId }
}`;

const SIGN_IN = mutationDocument('signIn', 'accessToken expireTime');

async function newApp() {
  tenant = await seedTenant(gateway);
  return createApp(api, tenant.token);
}

async function rotate(input: object) {
  const { data, errors } = await graphqlBody(gateway.url, tenant.token, ROTATE, { input });
  return errors ? errors[0].extensions : data.rotateAppKey.app;
}

/** What each key is good for, on both instances and by both APIs. */
function signInsWith(...keys: readonly AppKey[]): Promise<readonly string[]> {
  return everywhere(keys, (api, key) => reasonOf(api.signIn(tenant.token, keyOf(key))));
}

/** What each token is good for, on both instances and by both APIs. */
function statusOf(...tokens: readonly string[]): Promise<readonly string[]> {
  return everywhere(tokens, tokenStatus);
}

function everywhere<T>(
  items: readonly T[],
  ask: (api: Api, item: T) => Promise<string>,
): Promise<readonly string[]> {
  const apis = [...bothApis(() => gateway.url), ...bothApis(() => other.url)];
  const reasons = items.map(async (item) => {
    const each = await Promise.all(apis.map((api) => ask(api, item)));
    return [...new Set(each)].join(', ');
  });
  return Promise.all(reasons);
}

const ENDED_KEY = 'INVALID_CREDENTIALS';
const ENDED = 'TOKEN_INVALID';

test.each([{}, { gracePeriod: 0 }, { gracePeriod: null }])(
  'with %j gives a new key once, and ends the old one and its tokens at once',
  async (fields) => {
    const app = await newApp();
    const token = await projectTokenOf(api, tenant.token, app);
    const rotated = await rotate({ name: app.name, ...fields });
    expect(rotated).toStrictEqual({ ...app, privateKey: expect.stringMatching(/^paw_key_/) });
    expect(rotated.privateKey).not.toBe(app.privateKey);
    expect(await signInsWith(app, rotated)).toEqual([ENDED_KEY, 'ok']);
    expect(await statusOf(token)).toEqual([ENDED]);
  },
);

test('with a grace period, the old key and the tokens of it end after this time, to the millisecond', async () => {
  const app = await newApp();
  const before = await projectTokenOf(api, tenant.token, app);
  const rotated = await rotate({ name: app.name, gracePeriod: 600 });
  const endMs = gateway.clock() + 10 * MINUTE_MS;
  gateway.clock.advance(5 * MINUTE_MS);
  // A token of the old key lives no longer than the key.
  const { data } = await graphqlBody(gateway.url, tenant.token, SIGN_IN, { input: keyOf(app) });
  const { accessToken: during, expireTime } = data.signIn;
  expect(expireTime).toBe(new Date(endMs).toISOString());
  const after = await projectTokenOf(api, tenant.token, rotated);
  gateway.clock.advance(5 * MINUTE_MS - 1);
  expect(await signInsWith(app, rotated)).toEqual(['ok', 'ok']);
  expect(await statusOf(before, during, after)).toEqual(['ok', 'ok', 'ok']);

  gateway.clock.advance(1);
  expect(await signInsWith(app, rotated)).toEqual([ENDED_KEY, 'ok']);
  expect(await statusOf(before, during, after)).toEqual([ENDED, ENDED, 'ok']);
});

test('a grace period does not prolong the life of a token', async () => {
  const app = await newApp();
  const token = await projectTokenOf(api, tenant.token, app);
  await rotate({ name: app.name, gracePeriod: 7 * 86_400 });
  gateway.clock.advance(HOUR_MS - 1);
  expect(await statusOf(token)).toEqual(['ok']);
  gateway.clock.advance(1);
  expect(await statusOf(token)).toEqual([ENDED]);
  gateway.clock.advance(6 * DAY_MS);
  // The account token has ended, too.
  tenant = { ...tenant, token: await seedToken(tenant) };
  expect(await signInsWith(app)).toEqual(['ok']);
});

test('a second rotation ends the key before the old one and its tokens at once', async () => {
  const first = await newApp();
  const tokens = [await projectTokenOf(api, tenant.token, first)];
  const second = await rotate({ name: first.name, gracePeriod: 3600 });
  tokens.push(
    await projectTokenOf(api, tenant.token, first),
    await projectTokenOf(api, tenant.token, second),
  );
  const third = await rotate({ name: first.name, gracePeriod: 60 });
  tokens.push(
    await projectTokenOf(api, tenant.token, second),
    await projectTokenOf(api, tenant.token, third),
  );
  expect(await signInsWith(first, second, third)).toEqual([ENDED_KEY, 'ok', 'ok']);
  expect(await statusOf(...tokens)).toEqual([ENDED, ENDED, 'ok', 'ok', 'ok']);

  gateway.clock.advance(MINUTE_MS);
  expect(await signInsWith(first, second, third)).toEqual([ENDED_KEY, ENDED_KEY, 'ok']);
  expect(await statusOf(...tokens)).toEqual([ENDED, ENDED, ENDED, ENDED, 'ok']);

  await rotate({ name: first.name, gracePeriod: 3600 });
  const last = await rotate({ name: first.name });
  expect(await signInsWith(third, last)).toEqual([ENDED_KEY, 'ok']);
  expect(await statusOf(...tokens)).toEqual(tokens.map(() => ENDED));
});

test('tokens that are issued during a rotation end with the key for which they were issued', async () => {
  const app = await newApp();
  const signIns = () =>
    Array.from({ length: 10 }, async () => (await api.signIn(tenant.token, keyOf(app))).value?.accessToken);
  const before = signIns();
  const rotation = rotate({ name: app.name, gracePeriod: 60 });
  const issued = await Promise.all([...before, ...signIns()]);
  await rotation;
  const tokens = issued.filter((token) => token !== undefined);
  expect(tokens).toHaveLength(20);
  expect(new Set(await statusOf(...tokens))).toEqual(new Set(['ok']));
  gateway.clock.advance(MINUTE_MS);
  expect(new Set(await statusOf(...tokens))).toEqual(new Set([ENDED]));
});

test.each([-1, 604_801])(
  'a grace period of %i seconds is refused, and changes nothing',
  async (gracePeriod) => {
    const app = await newApp();
    const { reason, fieldViolations } = await rotate({ name: app.name, gracePeriod });
    expect([reason, fieldViolations[0].field]).toEqual(['INVALID_FIELD', 'gracePeriod']);
    expect(await signInsWith(app)).toEqual(['ok']);
  },
);

async function seedToken({ account }: Tenant): Promise<string> {
  return (await createAccountToken(gateway.admin, { account }, 3600)).accessToken;
}
