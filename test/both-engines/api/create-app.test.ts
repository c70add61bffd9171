import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import {
  createApp,
  createAppIn,
  graphqlBody,
  inLowerCase,
  mutate,
  projectToken,
  reasonOf,
  secretOf,
} from '../../support/actors.ts';
import { bothApis, graphqlApi } from '../../support/apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { rowOf } from '../../support/rows.ts';

const APP_NAME = /^apps\/[0-7][0-9A-HJKMNP-TV-Z]{25}$/;
const PRIVATE_KEY = /^paw_key_[0-9A-Z]{52}_[0-9a-f]{72}$/;

const gateway = useGateway();

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([true, false])('an app is created with active: %s, and a new name and key', async (active) => {
    const { token } = await seedTenant(gateway);
    const create = () => createApp(api, token, { title: 'My app', active });
    const [app, again] = [await create(), await create()];
    const name = expect.stringMatching(APP_NAME);
    const privateKey = expect.stringMatching(PRIVATE_KEY);
    expect(app).toMatchObject({ name, title: 'My app', privateKey, active });
    expect(again.name).not.toBe(app.name);
    expect(again.privateKey).not.toBe(app.privateKey);
  });

  test('the private key is returned once, and only its hash is stored', async () => {
    const { token } = await seedTenant(gateway);
    const app = await createApp(api, token);
    const row = await rowOf(gateway.database, app.name);
    expect(row['private_key_hash']).toBe(createHash('sha256').update(app.privateKey).digest('hex'));
    expect(JSON.stringify(row)).not.toContain(secretOf(app.privateKey));
    expect((await readApp(token, app.name)).privateKey).toBe('');
  });

  test('an app belongs to the project of the account token, which is the first one by default', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const [first, second] = tenant.projects;
    const apps = [await createApp(api, tenant.token), await createAppIn(gateway, api, tenant, second)];
    const projects = apps.map(async ({ name }) => (await readApp(tenant.token, name)).project.name);
    expect(await Promise.all(projects)).toEqual([first, second]);
  });

  test('a title is stored unchanged', async () => {
    const { token } = await seedTenant(gateway);
    const title = ` a\n\tb ${'🦊'.repeat(194)}`;
    const app = await createApp(api, token, { title });
    expect([app.title, (await readApp(token, app.name)).title]).toEqual([title, title]);
  });

  test('a token that may not create apps is refused before its values are judged', async () => {
    const token = await projectToken(gateway, await seedTenant(gateway));
    expect(await reasonOf(api.createApp(token, { title: '', active: true }))).toBe('ACCOUNT_TOKEN_REQUIRED');
  });
});

describe('by GraphQL alone', () => {
  const api = graphqlApi(() => gateway.url);

  const create = async (token: string, fields: object, selection: string) =>
    (await mutate(gateway.url, token, 'createApp', { title: 'App', active: true, ...fields }, selection)).data
      .createApp;

  test('the result has the project as an object and the time of creation', async () => {
    const { token, projects } = await seedTenant(gateway);
    gateway.clock.advance(1234);
    const { app } = await create(token, {}, 'app { id name createTime project { id title } }');
    expect(app).toEqual({
      id: app.name,
      name: expect.stringMatching(APP_NAME),
      createTime: new Date(gateway.clock()).toISOString(),
      project: { id: projects[0], title: 'Tenant' },
    });
  });

  test('project takes precedence over the project of the account token, its ULID in either case', async () => {
    const { account, projects } = await seedTenant(gateway, { projects: 3 });
    const { accessToken } = await createAccountToken(gateway.admin, { account, project: projects[1] }, 60);
    const [, , project = ''] = projects;
    for (const spelling of [project, inLowerCase(project)]) {
      const app = await createApp(api, accessToken, { project: spelling });
      expect((await readApp(accessToken, app.name)).project.name).toBe(project);
    }
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

  test.each(['my text; 🦊', '', null])(
    'clientMutationId is returned unchanged: %j',
    async (clientMutationId) => {
      const { token } = await seedTenant(gateway);
      expect(await create(token, { clientMutationId }, 'clientMutationId')).toStrictEqual({
        clientMutationId,
      });
    },
  );
});

async function readApp(token: string, id: string) {
  const query = 'query ($id: ID!) { node(id: $id) { ... on App { title privateKey project { name } } } }';
  return (await graphqlBody(gateway.url, token, query, { id })).data.node;
}
