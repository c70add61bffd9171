import { describe, expect, test } from 'vitest';
import { bothApis, postGraphql } from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, useGateway, useTenant } from '../support/gateway.ts';
import { expectError } from '../support/refusal.ts';
import {
  accountToken,
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  payloadOf,
  projectToken,
  reasonOf,
} from '../support/requests.ts';
import { setRow } from '../support/rows.ts';

// `secrecy.test.ts` shows that only the hash of a key is stored.

const APP_NAME = /^apps\/[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PRIVATE_KEY = /^paw_key_[0-9A-Z]{52}_[0-9a-f]{72}$/;

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 3 });

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

  test('an app is refused to a token that may not create it, before its values are judged', async () => {
    const token = await projectToken(gateway, tenant);
    expect(await reasonOf(api.createApp(token, { title: '', active: true }))).toBe('ACCOUNT_TOKEN_REQUIRED');
  });
});

describe('created by GraphQL', () => {
  const create = (fields: object, selection: string, token = tenant.token) =>
    payloadOf(gateway.url, token, 'createApp', { title: 'App', active: true, ...fields }, selection);

  test('an app belongs to the project of the input, its ULID in either case, before that of the token', async () => {
    const [, second, third = ''] = tenant.projects;
    const token = await accountToken(gateway, tenant, { project: second });
    for (const project of [third, inLowerCase(third)]) {
      const { app } = await create({ project }, 'app { project { name } }', token);
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
    const refused = await api.createApp(token, input);
    expectError(api, refused, 'FAILED_PRECONDITION', 'TOO_MANY_APPS');
    expect(refused.response.headers.has('retry-after')).toBe(false);
    expect(await textOf(gateway.database)).toBe(before);

    expect(await payloadOf(gateway.url, token, 'deleteApp', { name: apps[0]?.name })).not.toHaveProperty(
      'reason',
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

describe.each(bothApis(() => gateway.url))('a POST by $name with a condition', ({ name }) => {
  const apiOf = (headers: Readonly<Record<string, string>>) =>
    bothApis(() => gateway.url, headers)[name === 'REST' ? 1 : 0];

  test.each(['*', '"r1"'])(
    'is refused with If-Match: %s, because its path has no representation',
    async (value) => {
      const { token } = tenant;
      const before = await textOf(gateway.database);
      const { error, response } = await apiOf({ 'if-match': value }).createApp(token, {
        title: 'A',
        active: true,
      });
      expect([response.status, error?.reason]).toEqual([412, 'ETAG_MISMATCH']);
      expect(await textOf(gateway.database)).toBe(before);
    },
  );

  test('is made with If-None-Match and with dates', async () => {
    const { token } = tenant;
    const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
    const headers = { 'if-none-match': '*', 'if-unmodified-since': date, 'if-modified-since': date };
    expect((await apiOf(headers).createApp(token, { title: 'A', active: true })).response.status).toBe(200);
  });
});
