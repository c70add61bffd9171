import { expect, test } from 'vitest';
import {
  authorize,
  createApp,
  credentialParts,
  graphqlBody,
  keyOf,
  mutate,
  projectToken,
  withOtherSecret,
} from '../../support/actors.ts';
import { type AppFields, bothApis, graphqlApi, postGraphql } from '../../support/apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';

const MINUTE_MS = 60_000;

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

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

async function rotate(token: string, { name }: AppFields, gracePeriod: number): Promise<string> {
  const { data } = await mutate(gateway.url, token, 'rotateAppKey', { name, gracePeriod }, 'privateKey');
  return data.rotateAppKey.privateKey;
}

async function seedApp() {
  const tenant = await seedTenant(gateway);
  return { ...{ tenant, token: tenant.token }, app: await createApp(api, tenant.token) };
}

test('the keys of an app are the current one, and the one before it until the end of its grace period', async () => {
  const { tenant, token, app } = await seedApp();
  const keyFrom = (privateKey: string, createTimeMs: number, expireTime: string | null = null) => ({
    id: credentialParts(privateKey).serial,
    createTime: timeOf(createTimeMs),
    expireTime,
  });
  const createdMs = gateway.clock();
  for (const each of [token, await projectToken(gateway, tenant)]) {
    expect((await read(each, app)).keys).toEqual([keyFrom(app.privateKey, createdMs)]);
  }
  gateway.clock.advance(MINUTE_MS);
  const second = await rotate(token, app, 60);
  const rotatedMs = gateway.clock();
  const ending = keyFrom(app.privateKey, createdMs, timeOf(rotatedMs + MINUTE_MS));
  expect((await read(token, app)).keys).toEqual([keyFrom(second, rotatedMs), ending]);
  gateway.clock.advance(MINUTE_MS - 1);
  expect((await read(token, app)).keys).toHaveLength(2);
  gateway.clock.advance(1);
  expect((await read(token, app)).keys).toEqual([keyFrom(second, rotatedMs)]);
  const third = await rotate(token, app, 0);
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
