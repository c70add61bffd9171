import { beforeAll, describe, expect, test } from 'vitest';
import { AuditTrail, expectEvents, type Scene } from '../support/audit-trail.ts';
import { bothApis, graphqlApi, type Outcome, postGraphql, type SignInFields } from '../support/both-apis.ts';
import { seedTenant } from '../support/gateway.ts';
import {
  type AppKey,
  createApp,
  credentialParts,
  keyOf,
  MISSING_APP,
  MISSING_WALLET,
  postSignIn,
  projectTokenOf,
  reasonOf,
  resultOf,
  ULID,
  withOtherSecret,
} from '../support/requests.ts';

/** Bounds the events of failed sign-ins of an account in a minute. */
const MAX_FAILURE_EVENTS = 100;

const audit = new AuditTrail();
const { gateway } = audit;
const graphql = graphqlApi(() => gateway.url);

const wrongKeyOf = ({ name, privateKey }: AppKey) => ({ name, privateKey: withOtherSecret(privateKey) });

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  let scene: Scene;

  beforeAll(async () => {
    scene = await audit.seedScene();
  });

  test('failed sign-ins of one minute, app, credential and address are one event with their number', async () => {
    const { account, token, app } = scene;
    const { accessToken } = await audit.run(['token', 'create', '--account', account]);
    const inactive = keyOf(await createApp(api, token, { active: false }));
    const failure = { action: 'sign_in.fail', resource: app.name, count: 1 };
    const fail = (by = token, key: AppKey = wrongKeyOf(app)) =>
      audit.recorded(scene, () => api.signIn(by, key));
    const { result, events } = await fail();
    expect(events).toEqual([audit.ofClient(scene, token, result, failure)]);
    // The request is that of the first.
    expect((await fail()).events).toEqual([audit.ofClient(scene, token, result, { ...failure, count: 2 })]);
    expect((await fail(accessToken)).events).toMatchObject([failure]);
    const header = { 'x-forwarded-for': '192.0.2.7' };
    const elsewhere = () => postSignIn(api, gateway.url, token, wrongKeyOf(app), header);
    const { events: there } = await audit.recorded(scene, elsewhere);
    expect(there).toMatchObject([{ ...failure, address: '192.0.2.7' }]);
    expect((await fail(token, inactive)).events).toMatchObject([{ ...failure, resource: inactive.name }]);
    audit.nextMinute();
    expect((await fail()).events).toMatchObject([failure]);
  });

  test('sign-ins of one minute, app, credential and address are one event, with the token of the first', async () => {
    const { token, app } = scene;
    const signIn = (by = token) => audit.recorded(scene, () => api.signIn(by, app));
    const actOf = ({ value }: Outcome<SignInFields>) => ({
      ...{ action: 'sign_in.succeed', resource: app.name, count: 1 },
      token: credentialParts(value?.accessToken ?? '').id,
    });
    const { result, events } = await signIn();
    const first = audit.ofClient(scene, token, result, actOf(result));
    expect(events).toEqual([first]);
    expect((await signIn()).events).toEqual([{ ...first, count: 2 }]);
    const project = await projectTokenOf(api, token, app);
    expect((await signIn(project)).events).toMatchObject([{ count: 1 }]);
    audit.nextMinute();
    const later = await signIn();
    expect(later.events).toMatchObject([actOf(later.result)]);
  });

  test('failed sign-ins to apps that do not exist are one event, which names the account', async () => {
    const other = await createApp(api, (await seedTenant(gateway)).token);
    const { privateKey } = scene.app;
    const { events } = await audit.recorded(scene, async () => {
      for (const name of [MISSING_APP, `apps/${ULID}`, other.name]) {
        expect(await reasonOf(api.signIn(scene.token, { name, privateKey }))).toBe('INVALID_CREDENTIALS');
      }
    });
    expect(events).toMatchObject([{ action: 'sign_in.fail', resource: scene.account, count: 3 }]);
  });

  test('a failed sign-in of a request with an Idempotency-Key is recorded, though the request is undone', async () => {
    const inactive = keyOf(await createApp(api, scene.token, { active: false }));
    const header = { 'idempotency-key': 'sign-in' };
    const { events } = await audit.recorded(scene, async () => {
      for (const key of [wrongKeyOf(scene.app), inactive]) {
        await postSignIn(api, gateway.url, scene.token, key, header);
      }
    });
    const failure = { action: 'sign_in.fail', count: 1 };
    expectEvents(events, [
      { ...failure, resource: scene.app.name },
      { ...failure, resource: inactive.name },
    ]);
  });
});

test('30 sign-ins of an app in one request are one event with their number', async () => {
  const scene = await audit.seedScene();
  const fields = Array.from({ length: 30 }, (_, n) => `s${n}: signIn(input: $key) { expireTime }`);
  const document = `mutation ($key: SignInInput!) { ${fields.join(' ')} }`;
  const signIn = () => postGraphql(gateway.url, scene.token, document, { key: scene.app });
  const { events } = await audit.recorded(scene, signIn);
  expect(events).toMatchObject([{ action: 'sign_in.succeed', count: 30 }]);
});

test('concurrent sign-ins of an app are all counted, and a later one in one of their events', async () => {
  const scene = await audit.seedScene();
  const { token, app } = scene;
  const signIn = () => resultOf(graphql.signIn(token, app));
  const { events } = await audit.recorded(scene, () => Promise.all(Array.from({ length: 30 }, signIn)));
  const counted = (all: readonly object[]) =>
    all.reduce((sum, event) => sum + ('count' in event ? Number(event.count) : 0), 0);
  expect(counted(events)).toBe(30);
  const later = await audit.recorded(scene, signIn);
  expect(later.events).toHaveLength(1);
  expect(counted(later.events)).toBeGreaterThan(1);
});

test('each sign-in of a request with an Idempotency-Key that is undone is recorded, with the right key as well', async () => {
  const scene = await audit.seedScene();
  const document = `mutation ($key: SignInInput!, $wallet: ResourceName!) {
    signIn(input: $key) { accessToken }
    updateWallet(input: { name: $wallet, title: "None" }) { wallet { title } }
  }`;
  const { events } = await audit.recorded(scene, async () => {
    for (const key of [scene.app, wrongKeyOf(scene.app), scene.app]) {
      const variables = { key, wallet: MISSING_WALLET };
      const header = { 'idempotency-key': 'test' };
      const { text } = await postGraphql(gateway.url, scene.token, document, variables, header);
      expect(text).not.toContain('paw_app_');
    }
  });
  const failure = { resource: scene.app.name, address: '127.0.0.1' };
  expectEvents(events, [
    { ...failure, action: 'sign_in.undo', count: 2 },
    { ...failure, action: 'sign_in.fail', count: 1 },
  ]);
});

test('an account has a bounded number of events of failed sign-ins in a minute', async () => {
  const scene = await audit.seedScene();
  const addresses = Array.from({ length: MAX_FAILURE_EVENTS + 20 }, (_, n) => `198.51.100.${n + 1}`);
  const { events } = await audit.recorded(scene, async () => {
    for (const address of addresses) {
      const header = { 'x-forwarded-for': address };
      await postSignIn(graphql, gateway.url, scene.token, wrongKeyOf(scene.app), header);
    }
  });
  expect(events).toHaveLength(MAX_FAILURE_EVENTS + 1);
  const rest = { action: 'sign_in.fail', resource: scene.account, address: '', count: 20 };
  expect(events.filter(({ count }) => count > 1)).toMatchObject([rest]);
  // A restoration accepts what a check does.
  expect(await audit.run(['check'])).toMatchObject({ problemCount: 0 });
});
