import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/operator/create-account-token.ts';
import {
  authorize,
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  keyOf,
  mutate,
  projectToken,
  projectTokenOf,
  reasonOf,
  tokenStatus,
} from '../support/actors.ts';
import { bothApis, postGraphql } from '../support/apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway, useTenant } from '../support/gateway.ts';
import { setRow } from '../support/rows.ts';

// `ended-token.test.ts` shows that the tokens of an app end with it on every instance, and `secrecy.test.ts` that only the
// hash of a key is stored.

const APP_NAME = /^apps\/[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PRIVATE_KEY = /^paw_key_[0-9A-Z]{52}_[0-9a-f]{72}$/;

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const tenant = useTenant(gateway, { projects: 3 });

const [graphql] = bothApis(() => gateway.url);

/** Runs a mutation of an app, and returns its payload, or the extensions of its error. */
async function change(mutation: string, input: object, selection: string, token = tenant.token) {
  const { data, errors } = await mutate(gateway.url, token, mutation, input, selection);
  return errors ? errors[0].extensions : data[mutation];
}

async function readApp(id: string) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { title project { name } } } }';
  return (await graphqlBody(gateway.url, tenant.token, query, { id })).data.node;
}

describe.each(bothApis(() => gateway.url))('created by $name', (api) => {
  test.each([true, false])(
    'with active: %s, an app has this value, and a new name and key',
    async (active) => {
      const create = () => createApp(api, tenant.token, { title: 'My app', active });
      const [app, again] = [await create(), await create()];
      const name = expect.stringMatching(APP_NAME);
      const privateKey = expect.stringMatching(PRIVATE_KEY);
      expect(app).toMatchObject({ name, title: 'My app', privateKey, active });
      expect(again.name).not.toBe(app.name);
      expect(again.privateKey).not.toBe(app.privateKey);
    },
  );

  test('an app belongs to the project of the account token, which is the first one by default', async () => {
    const [first, second] = tenant.projects;
    const apps = [await createApp(api, tenant.token), await createAppIn(gateway, api, tenant, second)];
    const projects = apps.map(async ({ name }) => (await readApp(name)).project.name);
    expect(await Promise.all(projects)).toEqual([first, second]);
  });

  test('an app has its title unchanged', async () => {
    const title = ` a\n\tb ${'🦊'.repeat(194)}`;
    const app = await createApp(api, tenant.token, { title });
    expect([app.title, (await readApp(app.name)).title]).toEqual([title, title]);
  });

  test('an app is refused to a token that may not create it, before its values are judged', async () => {
    const token = await projectToken(gateway, tenant);
    expect(await reasonOf(api.createApp(token, { title: '', active: true }))).toBe('ACCOUNT_TOKEN_REQUIRED');
  });
});

describe('created by GraphQL', () => {
  const create = (fields: object, selection: string, token = tenant.token) =>
    change('createApp', { title: 'App', active: true, ...fields }, selection, token);

  test('an app belongs to the project of the input, its ULID in either case, before that of the token', async () => {
    const [, second, third = ''] = tenant.projects;
    const { accessToken } = await createAccountToken(
      gateway.admin,
      { account: tenant.account, project: second },
      60,
    );
    for (const project of [third, inLowerCase(third)]) {
      const { app } = await create({ project }, 'app { project { name } }', accessToken);
      expect(app.project.name).toBe(third);
    }
  });

  test('an app has its key in the response even if another mutation of the request fails', async () => {
    const fields = 'app { privateKey } privateKey';
    const { data, errors } = await graphqlBody(
      gateway.url,
      tenant.token,
      `mutation {
        good: createApp(input: { title: "App", active: true }) { ${fields} }
        bad: createApp(input: { title: "", active: true }) { ${fields} }
      }`,
    );
    const { privateKey } = data.good;
    expect(privateKey).toMatch(PRIVATE_KEY);
    expect(data).toEqual({ good: { app: { privateKey }, privateKey }, bad: null });
    expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test.each(['my text; 🦊', '', null])(
    'clientMutationId is returned unchanged: %j',
    async (clientMutationId) => {
      expect(await create({ clientMutationId }, 'clientMutationId')).toStrictEqual({ clientMutationId });
    },
  );
});

describe('an update of an app', () => {
  const update = (input: object) =>
    change('updateApp', input, 'app { name title privateKey active } clientMutationId');

  test('changes the given fields alone, and does not return the private key', async () => {
    const app = await createApp(graphql, tenant.token);
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
    const app = await createApp(graphql, tenant.token);
    const token = await projectTokenOf(graphql, tenant.token, app);
    const activate = (active: boolean) => update({ name: app.name, title: 'Till', active });
    const signIn = () => reasonOf(graphql.signIn(tenant.token, keyOf(app)));
    await activate(true);
    expect(await tokenStatus(graphql, token)).toBe('ok');
    await activate(false);
    expect(await signIn()).toBe('APP_INACTIVE');
    await activate(true);
    expect([await tokenStatus(graphql, token), await signIn()]).toEqual(['TOKEN_INVALID', 'ok']);
  });

  test('with an invalid field is refused, and changes nothing', async () => {
    const app = await createApp(graphql, tenant.token);
    const { name } = app;
    for (const [field, input] of [
      ['title', { title: '', active: false }],
      ['active', { title: 'Till', active: null }],
      ['title', { title: null, active: false }],
      ['name', { name: 'apps/x', title: 'Till' }],
      ['clientMutationId', { title: 'Till', clientMutationId: 'x'.repeat(2001) }],
      ['privateKey', { title: 'Till', privateKey: 'mine' }],
    ] as const) {
      expect(await update({ name, ...input })).toMatchObject({ fieldViolations: [{ field }] });
    }
    expect(await update({ name })).toMatchObject({ app: { ...app, privateKey: '' } });
  });
});

test.each(bothApis(() => gateway.url))(
  'an account has at most 100,000 apps, also of concurrent creations by $name',
  async (api) => {
    const { account, token } = await seedTenant(gateway);
    await setRow(gateway.database, account, { app_count: 99_999 });
    const input = { title: 'More', active: true };
    const created = await Promise.all(Array.from({ length: 6 }, () => api.createApp(token, input)));
    const apps = created.flatMap(({ value }) => value ?? []);
    expect(apps).toHaveLength(1);
    const before = await textOf(gateway.database);
    const { error, response } = await api.createApp(token, input);
    expect(error).toMatchObject({ status: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_APPS' });
    expect(response.headers.has('retry-after')).toBe(false);
    expect(await textOf(gateway.database)).toBe(before);

    expect(await change('deleteApp', { name: apps[0]?.name }, 'deletedAppId', token)).toHaveProperty(
      'deletedAppId',
    );
    expect((await api.createApp(token, input)).error).toBeUndefined();
    expect((await api.createApp(token, input)).error).toMatchObject({ reason: 'TOO_MANY_APPS' });
  },
);

test('the apps of one request are counted, and with an Idempotency-Key none is created beyond the maximum', async () => {
  const { account, token } = await seedTenant(gateway);
  await setRow(gateway.database, account, { app_count: 99_990 });
  const fields = Array.from({ length: 30 }, (_, n) => `a${n}: createApp(input: $input) { app { name } }`);
  const document = `mutation ($input: CreateAppInput!) { ${fields.join(' ')} }`;
  const create = (headers = {}) =>
    postGraphql(gateway.url, token, document, { input: { title: 'One', active: true } }, headers);
  const keyed = JSON.parse((await create({ 'idempotency-key': 'many' })).text);
  expect([keyed.data, keyed.errors[0].extensions.reason]).toEqual([null, 'TOO_MANY_APPS']);
  const { data, errors } = JSON.parse((await create()).text);
  expect(Object.values(data).filter((payload) => payload !== null)).toHaveLength(10);
  expect(errors).toHaveLength(20);
});

test('an app that is deleted is gone with its key, on every instance, and cannot be deleted again', async () => {
  const { token, projects } = await seedTenant(gateway);
  const [app, sibling] = [await createApp(graphql, token), await createApp(graphql, token)];
  const remove = () =>
    change('deleteApp', { name: app.name, clientMutationId: 'a' }, 'deletedAppId clientMutationId', token);
  expect(await remove()).toEqual({ deletedAppId: app.name, clientMutationId: 'a' });
  expect(await remove()).toMatchObject({ reason: 'RESOURCE_NOT_FOUND' });

  for (const each of [...bothApis(() => gateway.url), ...bothApis(() => other.url)]) {
    expect(await reasonOf(each.signIn(token, keyOf(app)))).toBe('INVALID_CREDENTIALS');
  }
  expect((await authorize(other, app)).status).toBe(401);
  const document = `query ($ids: [ID!]!, $project: ID!) {
    nodes(ids: $ids) { id } node(id: $project) { ... on Project { apps { totalCount nodes { id } } } }
  }`;
  const variables = { ids: [app.name, sibling.name], project: projects[0] };
  const { data } = await graphqlBody(other.url, token, document, variables);
  expect(data.nodes).toEqual([null, { id: sibling.name }]);
  expect(data.node.apps).toEqual({ totalCount: 1, nodes: [{ id: sibling.name }] });
});
