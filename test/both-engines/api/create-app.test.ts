import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import {
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  MISSING_PROJECT,
  secretOf,
  ulidOf,
  withoutRequestId,
} from '../../support/actors.ts';
import { bothApis, graphqlApi } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { expectInvalid } from '../../support/refusal.ts';

const APP_NAME = /^apps\/[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PRIVATE_KEY = /^paw_key_[0-9A-Z]{52}_[0-9a-f]{72}$/;

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([true, false])(
    'an app is created with its title, a private key, and the value of active: %s',
    async (active) => {
      const { token } = await seedTenant(gateway);
      const app = await createApp(api, token, { title: 'My app', active });
      expect(app).toStrictEqual({
        name: expect.stringMatching(APP_NAME),
        title: 'My app',
        privateKey: expect.stringMatching(PRIVATE_KEY),
        active,
      });
      const again = await createApp(api, token, { title: 'My app', active });
      expect(again.name).not.toBe(app.name);
      expect(again.privateKey).not.toBe(app.privateKey);
    },
  );

  test('the private key is returned once, and only its hash is stored', async () => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token);
    const [row] = await gateway.database.read('SELECT * FROM app WHERE id = $1', [ulidOf(app.name)]);
    expect(row?.['private_key_hash']).toBe(createHash('sha256').update(app.privateKey).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(secretOf(app.privateKey));
    expect((await readApp(token, app.name)).privateKey).toBe('');
  });

  test('an app belongs to the first project of the account by default', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 3 });
    const app = await createApp(api, token);
    expect((await readApp(token, app.name)).project.name).toBe(projects[0]);
  });

  test('an app belongs to the project of the account token, if it was made for one', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const app = await createAppIn(gateway, api, tenant, tenant.projects[1]);
    expect((await readApp(tenant.token, app.name)).project.name).toBe(tenant.projects[1]);
  });

  test.each([
    ['200 emoji', '🦊'.repeat(200)],
    ['spaces and line breaks', ' a\n\tb '],
  ])('a title of %s is stored unchanged', async (_, title) => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token, { title });
    expect(app.title).toBe(title);
    expect((await readApp(token, app.name)).title).toBe(title);
  });
});

describe('by GraphQL alone', () => {
  const api = graphqlApi(() => gateway.url);

  test('the result has the project as an object and the time of creation', async () => {
    const { token, projects } = await seedTenant(gateway);
    gateway.clock.advance(1234);
    const mutation = `mutation ($input: CreateAppInput!) {
      createApp(input: $input) { app { id name createTime project { id title } } }
    }`;
    const input = { title: 'App', active: true };
    const { data } = await graphqlBody(gateway.url, token, mutation, { input });
    const { app } = data.createApp;
    expect(app).toEqual({
      id: app.name,
      name: expect.stringMatching(APP_NAME),
      createTime: new Date(gateway.clock()).toISOString(),
      project: { id: projects[0], title: 'Tenant' },
    });
  });

  test.each<[string, (project: string) => string]>([
    ['in upper case', (project) => project],
    ['in lower case', inLowerCase],
  ])('project may name another project of the account, its ULID %s', async (_, spell) => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const [, other = ''] = projects;
    const app = await createApp(api, token, { project: spell(other) });
    expect((await readApp(token, app.name)).project.name).toBe(other);
  });

  test('project takes precedence over the project of the account token', async () => {
    const { account, projects } = await seedTenant(gateway, { projects: 3 });
    const { accessToken } = await createAccountToken(gateway.admin, { account, project: projects[1] }, 60);
    const app = await createApp(api, accessToken, { project: projects[2] });
    expect((await readApp(accessToken, app.name)).project.name).toBe(projects[2]);
  });

  test('a project of another account gets the same response as a missing one', async () => {
    const [tenant, stranger] = [await seedTenant(gateway), await seedTenant(gateway)];
    const app = { title: 'App', active: true };
    const missing = await api.createApp(tenant.token, { ...app, project: MISSING_PROJECT });
    const foreign = await api.createApp(tenant.token, { ...app, project: stranger.projects[0] });
    expectInvalid(api, missing, ['project']);
    expect(withoutRequestId(foreign.response)).toEqual(withoutRequestId(missing.response));
    expect([await appCount(tenant), await appCount(stranger)]).toEqual([0, 0]);
  });

  test('a key is returned even if another mutation of the request fails', async () => {
    const { token } = await seedTenant(gateway);
    const { data, errors } = await graphqlBody(
      gateway.url,
      token,
      `mutation {
        good: createApp(input: { title: "App", active: true }) { app { privateKey } privateKey }
        bad: createApp(input: { title: "", active: true }) { app { privateKey } privateKey }
      }`,
    );
    const { privateKey } = data.good;
    expect(privateKey).toMatch(PRIVATE_KEY);
    expect(data).toEqual({ good: { app: { privateKey }, privateKey }, bad: null });
    expect(errors).toMatchObject([{ path: ['bad'], extensions: { code: 'BAD_USER_INPUT' } }]);
  });

  test.each([
    ['text', 'my text; 🦊', 'my text; 🦊'],
    ['empty text', '', ''],
    ['null', null, null],
    ['nothing', undefined, null],
  ])('clientMutationId is returned unchanged: %s', async (_, clientMutationId, expected) => {
    const { token } = await seedTenant(gateway);
    const mutation = 'mutation ($input: CreateAppInput!) { createApp(input: $input) { clientMutationId } }';
    const input = { title: 'App', active: true, clientMutationId };
    const { data } = await graphqlBody(gateway.url, token, mutation, { input });
    expect(data.createApp).toStrictEqual({ clientMutationId: expected });
  });
});

async function readApp(token: string, id: string) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { title privateKey project { name } } } }';
  return (await graphqlBody(gateway.url, token, query, { id })).data.node;
}

async function appCount({ account }: Tenant): Promise<number> {
  const rows = await gateway.database.read('SELECT id FROM app WHERE account_id = $1', [ulidOf(account)]);
  return rows.length;
}
