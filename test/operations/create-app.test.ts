import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { type Api, type AppFields, bothApis, type Outcome, postGraphql } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { codeOf, expectInvalid } from '../support/refusal.ts';

const APP_NAME = /^apps\/[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PRIVATE_KEY = /^paw_key_[0-9A-Z]{52}_[0-9a-f]{72}$/;
const MISSING_PROJECT = `projects/${'0'.repeat(26)}`;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([true, false])(
    'an app is created with its title, a private key, and active as sent: %s',
    async (active) => {
      const tenant = await seedTenant(gateway);
      const app = await create(api, tenant.token, { title: 'My app', active });
      expect(app).toStrictEqual({
        name: expect.stringMatching(APP_NAME),
        title: 'My app',
        privateKey: expect.stringMatching(PRIVATE_KEY),
        active,
      });
      const again = await create(api, tenant.token, { title: 'My app', active });
      expect(again.name).not.toBe(app.name);
      expect(again.privateKey).not.toBe(app.privateKey);
    },
  );

  test('the private key is given once, and nothing but its hash is kept', async () => {
    const { token } = await seedTenant(gateway);
    const app = await create(api, token, { title: 'App', active: true });
    const [row] = await gateway.database.query('SELECT * FROM app WHERE id = $1', [app.name.slice(5)]);
    expect(row?.['private_key_hash']).toBe(createHash('sha256').update(app.privateKey).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(secretOf(app.privateKey));
    expect((await readApp(token, app.name)).privateKey).toBe('');
    expect(gateway.log()).not.toContain(secretOf(app.privateKey));
  });

  test('an app belongs to the first project of the account', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 3 });
    const app = await create(api, token, { title: 'App', active: true });
    expect((await readApp(token, app.name)).project.name).toBe(projects[0]);
  });

  test('an app belongs to the project that the account token was made for', async () => {
    const { account, projects } = await seedTenant(gateway, { projects: 3 });
    const { accessToken } = await createAccountToken(gateway.admin, { account, project: projects[1] }, 60);
    const app = await create(api, accessToken, { title: 'App', active: true });
    expect((await readApp(accessToken, app.name)).project.name).toBe(projects[1]);
  });

  test.each([
    ['1 character', 'a'],
    ['200 characters', 'a'.repeat(200)],
    ['1 emoji', '🦊'],
    ['200 emoji', '🦊'.repeat(200)],
    ['spaces and line breaks', ' a\n\tb '],
  ])('a title may be %s, and is kept as it is', async (_, title) => {
    const { token } = await seedTenant(gateway);
    const app = await create(api, token, { title, active: true });
    expect(app.title).toBe(title);
    expect((await readApp(token, app.name)).title).toBe(title);
  });

  test.each<[field: string, what: string, sent: unknown]>([
    ['title', 'missing', undefined],
    ['title', 'null', null],
    ['title', 'empty', ''],
    ['title', '201 characters', 'a'.repeat(201)],
    ['title', '201 emoji', '🦊'.repeat(201)],
    ['title', 'a number', 5],
    ['title', 'a list', ['App']],
    ['title', 'text with NUL', 'a\0b'],
    ['title', 'a lone high surrogate', 'a\ud83e'],
    ['title', 'a lone low surrogate', '\udd8ab'],
    ['active', 'missing', undefined],
    ['active', 'null', null],
    ['active', 'a string', 'true'],
    ['active', 'a string with a semicolon', 'yes; no'],
    ['active', 'a number', 1],
  ])('%s that is %s is refused by name, and nothing is created', async (field, _, sent) => {
    const tenant = await seedTenant(gateway);
    const outcome = await api.createApp(tenant.token, { title: 'App', active: true, [field]: sent });
    expectInvalid(api, outcome, [field]);
    expect(await appsOf(tenant)).toBe(0);
  });

  test.each(['name', 'privateKey', 'id', 'foo'])(
    'a field that is not the client’s, %s, is refused by name, and nothing is created',
    async (field) => {
      const tenant = await seedTenant(gateway);
      const outcome = await api.createApp(tenant.token, { title: 'App', active: true, [field]: 'text' });
      expectInvalid(api, outcome, [field]);
      expect(await appsOf(tenant)).toBe(0);
    },
  );

  test('a project token may not create apps, not even in its own project', async () => {
    const tenant = await seedTenant(gateway);
    const { name, privateKey } = await create(api, tenant.token, { title: 'App', active: true });
    const signedIn = await api.signIn(tenant.token, { name, privateKey });
    const { error, response } = await api.createApp(signedIn.value?.accessToken, {
      title: 'App',
      active: true,
    });
    expect(error).toMatchObject({ status: 'PERMISSION_DENIED', reason: 'ACCOUNT_TOKEN_REQUIRED' });
    expect(codeOf(api, response.text)).toBe(api.name === 'REST' ? 403 : 'FORBIDDEN');
    expect(response.status).toBe(api.name === 'REST' ? 403 : 200);
    expect(await appsOf(tenant)).toBe(1);
  });

  test('no app is created without a token', async () => {
    const { error, response } = await api.createApp(undefined, { title: 'App', active: true });
    expect(error).toMatchObject({ status: 'UNAUTHENTICATED', reason: 'TOKEN_MISSING' });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="paw"');
  });
});

describe('by REST alone', () => {
  const [, rest] = facePair();

  test('every field at fault is named at once', async () => {
    const { token } = await seedTenant(gateway);
    expectInvalid(rest, await rest.createApp(token, {}), ['title', 'active']);
    const others = { title: 'App', active: true, foo: 1, bar: 2 };
    expectInvalid(rest, await rest.createApp(token, others), ['foo', 'bar']);
  });

  test('project is not a field of the request, and nothing is created', async () => {
    const tenant = await seedTenant(gateway);
    const sent = { title: 'App', active: true, project: tenant.projects[0] };
    expectInvalid(rest, await rest.createApp(tenant.token, sent), ['project']);
    expect(await appsOf(tenant)).toBe(0);
  });
});

describe('by GraphQL alone', () => {
  const [graphql] = facePair();

  test('the answer gives the project as an object and the time of creation', async () => {
    const { token, projects } = await seedTenant(gateway);
    gateway.clock.advance(1234);
    const { data } = await ask(
      token,
      `mutation ($input: CreateAppInput!) {
        createApp(input: $input) { app { id name createTime project { id title } } }
      }`,
      { input: { title: 'App', active: true } },
    );
    const { app } = data.createApp;
    expect(app.id).toBe(app.name);
    expect(app.createTime).toBe(new Date(gateway.clock()).toISOString());
    expect(app.project.id).toBe(projects[0]);
    expect(app.project.title).toEqual(expect.stringMatching(/./));
  });

  test.each<[string, (project: string) => string]>([
    ['as it is', (project) => project],
    ['in lower case', inLowerCase],
  ])('project may name another project of the account, its ULID %s', async (_, spell) => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const [, other = ''] = projects;
    const app = await create(graphql, token, { title: 'App', active: true, project: spell(other) });
    expect((await readApp(token, app.name)).project.name).toBe(other);
  });

  test('a key that was made is given, whatever fails beside it', async () => {
    const { token } = await seedTenant(gateway);
    const { text } = await postGraphql(
      gateway.url,
      token,
      `mutation {
        good: createApp(input: { title: "App", active: true }) { app { privateKey } }
        bad: createApp(input: { title: "", active: true }) { app { privateKey } }
      }`,
    );
    const { data, errors } = JSON.parse(text);
    expect(data).toEqual({ good: { app: { privateKey: expect.stringMatching(PRIVATE_KEY) } }, bad: null });
    expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test('project goes before the project that the account token was made for', async () => {
    const { account, projects } = await seedTenant(gateway, { projects: 3 });
    const { accessToken } = await createAccountToken(gateway.admin, { account, project: projects[1] }, 60);
    const sent = { title: 'App', active: true, project: projects[2] };
    const app = await create(graphql, accessToken, sent);
    expect((await readApp(accessToken, app.name)).project.name).toBe(projects[2]);
  });

  test('a project of another account is refused in the same bytes as one that is missing', async () => {
    const [tenant, stranger] = [await seedTenant(gateway), await seedTenant(gateway)];
    const sent = { title: 'App', active: true };
    const missing = await graphql.createApp(tenant.token, { ...sent, project: MISSING_PROJECT });
    const foreign = await graphql.createApp(tenant.token, { ...sent, project: stranger.projects[0] });
    expectInvalid(graphql, missing, ['project']);
    expect(withoutRequestId(foreign)).toBe(withoutRequestId(missing));
    expect([await appsOf(tenant), await appsOf(stranger)]).toEqual([0, 0]);
  });

  test.each([
    ['no name', 'project'],
    ['empty', ''],
    ['a number', 5],
    ['the name of a wallet', `wallets/${'0'.repeat(26)}`],
    ['a name with too short a ULID', 'projects/0'],
  ])('a project that is %s is refused by name, and nothing is created', async (_, project) => {
    const tenant = await seedTenant(gateway);
    const outcome = await graphql.createApp(tenant.token, { title: 'App', active: true, project });
    expectInvalid(graphql, outcome, ['project']);
    expect(await appsOf(tenant)).toBe(0);
  });

  const ECHO = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { clientMutationId } }';

  test.each([
    ['text', 'my text; 🦊', 'my text; 🦊'],
    ['empty text', '', ''],
    ['null', null, null],
    ['nothing', undefined, null],
  ])('clientMutationId comes back as it was sent: %s', async (_, clientMutationId, echo) => {
    const { token } = await seedTenant(gateway);
    const { data } = await ask(token, ECHO, { input: { title: 'App', active: true, clientMutationId } });
    expect(data.createApp).toStrictEqual({ clientMutationId: echo });
  });

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud83e'],
  ])('clientMutationId with %s is refused by name, and nothing is created', async (_, clientMutationId) => {
    const tenant = await seedTenant(gateway);
    const outcome = await graphql.createApp(tenant.token, { title: 'App', active: true, clientMutationId });
    expectInvalid(graphql, outcome, ['clientMutationId']);
    expect(await appsOf(tenant)).toBe(0);
  });
});

function facePair(): readonly [Api, Api] {
  const [graphql, rest] = bothApis(() => gateway.url);
  if (graphql === undefined || rest === undefined) throw new Error('There are two APIs.');
  return [graphql, rest];
}

async function create(api: Api, token: string, sent: object): Promise<AppFields> {
  const { value, response } = await api.createApp(token, sent);
  if (value === undefined) throw new Error(response.text);
  return value;
}

async function ask(token: string, query: string, variables: object) {
  return JSON.parse((await postGraphql(gateway.url, token, query, variables)).text);
}

async function readApp(token: string, id: string) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { title privateKey project { name } } } }';
  return (await ask(token, query, { id })).data.node;
}

async function appsOf({ account }: Tenant): Promise<number> {
  const rows = await gateway.database.query('SELECT id FROM app WHERE account_id = $1', [account.slice(9)]);
  return rows.length;
}

function withoutRequestId({ error, response }: Outcome<AppFields>): string {
  return response.text.replaceAll(error?.requestId ?? '', '');
}

function secretOf(privateKey: string): string {
  return privateKey.slice(-72, -8);
}

function inLowerCase(name: string): string {
  return name.replace(/[^/]+$/, (ulid) => ulid.toLowerCase());
}
