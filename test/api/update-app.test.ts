import { describe, expect, test } from 'vitest';
import { bothApis, graphqlApi } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import {
  createApp,
  graphqlBody,
  inLowerCase,
  keyOf,
  mutate,
  payloadOf,
  projectTokenOf,
  reasonOf,
  signIn,
  tokenStatus,
} from '../support/requests.ts';
import { pawJson } from '../support/run-command.ts';

// `ended-token.test.ts` shows that the tokens of an app end on every instance when it is deactivated.

const gateway = useGateway();
const tenant = useTenant(gateway);
const api = graphqlApi(() => gateway.url);

async function etagOf(id: string): Promise<string> {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { etag } } }';
  return (await graphqlBody(gateway.url, tenant.token, query, { id })).data.node.etag;
}

describe('an update of an app', () => {
  const update = (input: object) =>
    payloadOf(
      gateway.url,
      tenant.token,
      'updateApp',
      input,
      'app { name title privateKey active } clientMutationId',
    );

  test('changes the given fields alone, and does not return the private key', async () => {
    const app = await createApp(api, tenant.token);
    const name = inLowerCase(app.name);
    const renamed = { ...app, privateKey: '', title: 'Till' };
    expect(await update({ name, title: 'Till', clientMutationId: 'mine' })).toEqual({
      app: renamed,
      clientMutationId: 'mine',
    });
    expect(await update({ name, active: false })).toMatchObject({ app: { ...renamed, active: false } });
    expect(await update({ name })).toEqual({ app: { ...renamed, active: false }, clientMutationId: null });
    expect(await update({ name, active: true })).toMatchObject({ app: renamed });
  });

  test('that deactivates it ends its tokens permanently, and its sign-ins until it is active', async () => {
    const app = await createApp(api, tenant.token);
    const token = await projectTokenOf(api, tenant.token, app);
    const activate = (active: boolean) => update({ name: app.name, title: 'Till', active });
    const signIn = () => reasonOf(api.signIn(tenant.token, keyOf(app)));
    await activate(true);
    expect(await tokenStatus(api, token)).toBe('ok');
    await activate(false);
    expect(await signIn()).toBe('APP_INACTIVE');
    await activate(true);
    expect([await tokenStatus(api, token), await signIn()]).toEqual(['TOKEN_INVALID', 'ok']);
  });
});

test('no token issued during the deactivation of its app stays valid', async () => {
  const { token } = tenant;
  const app = await createApp(api, token);
  const apis = bothApis(() => gateway.url);
  const signIns = () => Promise.all([...apis, ...apis].map((each) => each.signIn(token, keyOf(app))));
  const outcomes = await signIns();
  let done = false;
  const deactivation = pawJson(['app', 'deactivate', app.name], {
    DATABASE_URL: gateway.databaseUrl,
  }).finally(() => {
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

test('the etag of an app changes with each update and rotation, not with a sign-in, and is compared', async () => {
  const { token } = tenant;
  const app = await createApp(api, token);
  const { name } = app;
  const first = await etagOf(name);
  await signIn(api, token, app);
  expect(await etagOf(name)).toBe(first);
  const change = (mutation: string, input: object, by = token) =>
    mutate(gateway.url, by, mutation, { name, ...input }, 'app { etag privateKey }');
  const seen = new Set([first]);
  let ifMatch = first;
  for (const [mutation, input] of [
    ['updateApp', { title: 'New' }],
    ['updateApp', { active: false }],
    ['rotateAppKey', {}],
    ['updateApp', { active: true }],
  ] as const) {
    const { etag } = (await change(mutation, mutation === 'updateApp' ? { ...input, ifMatch } : input)).data[
      mutation
    ].app;
    expect(etag).toBe(await etagOf(name));
    seen.add(etag);
    ifMatch = etag;
  }
  expect(seen.size).toBe(5);
  const before = await textOf(gateway.database);
  for (const changes of [{ title: 'Late' }, { active: false }, {}]) {
    const { data, errors } = await change('updateApp', { ifMatch: first, ...changes });
    expect([data.updateApp, errors[0].extensions.reason]).toEqual([null, 'ETAG_MISMATCH']);
  }
  expect(await textOf(gateway.database)).toBe(before);
  // The level of the token is judged first.
  const { privateKey } = (await change('rotateAppKey', {})).data.rotateAppKey.app;
  const appToken = await projectTokenOf(api, token, { name, privateKey });
  const { errors } = await change('updateApp', { ifMatch: first, title: 'x' }, appToken);
  expect(errors[0].extensions.reason).toBe('ACCOUNT_TOKEN_REQUIRED');
});
