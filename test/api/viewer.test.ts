import { expect, test } from 'vitest';
import { graphqlApi } from '../support/both-apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import {
  createAccountToken,
  createApp,
  graphqlBody,
  projectTokenOf,
  tokenNameOf,
} from '../support/requests.ts';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2 });
const api = graphqlApi(() => gateway.url);

const VIEWER = `{
  viewer { name level account project { name title } app { name title privateKey } expireTime }
}`;

test('the viewer of an account token is the account, with the project of new apps', async () => {
  const [, project] = tenant.projects;
  const options = { account: tenant.account, project };
  const { accessToken, expireTimeMs } = await createAccountToken(gateway.operator, options, 3600);
  const viewer = {
    name: tokenNameOf(accessToken),
    level: 'ACCOUNT',
    account: tenant.account,
    project: { name: project, title: 'Project 2' },
    app: null,
    expireTime: new Date(expireTimeMs).toISOString(),
  };
  // Executed by Apollo Server, and then compiled.
  for (let times = 0; times < 3; times += 1) {
    expect(await graphqlBody(gateway.url, accessToken, VIEWER)).toEqual({ data: { viewer } });
  }
});

test('the viewer of a project token is its app, in the project of the app', async () => {
  const app = await createApp(api, tenant.token);
  const token = await projectTokenOf(api, tenant.token, app);
  const { data } = await graphqlBody(gateway.url, token, VIEWER);
  expect(data.viewer).toEqual({
    name: tokenNameOf(token),
    level: 'PROJECT',
    account: tenant.account,
    project: { name: tenant.projects[0], title: 'Tenant' },
    app: { name: app.name, title: app.title, privateKey: '' },
    expireTime: new Date(gateway.clock() + 3_600_000).toISOString(),
  });
});
