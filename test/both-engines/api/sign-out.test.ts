import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import {
  createApp,
  credentialParts,
  graphqlBody,
  projectTokenOf,
  tokenStatus,
} from '../../support/actors.ts';
import { bothApis, graphqlApi, postGraphql } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';

let gateway: Gateway;
/** Another instance on the same database. */
let other: Gateway;
let tenant: Tenant;

const api = graphqlApi(() => gateway.url);

beforeAll(async () => {
  gateway = await startGateway();
  other = await startGateway({ DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  tenant = await seedTenant(gateway, { projects: 2 });
  return async () => {
    await other.stop();
    await gateway.stop();
  };
});

/** A token, and another one of the same account or app. */
const PAIRS: readonly (readonly [level: string, issue: () => Promise<readonly string[]>])[] = [
  [
    'account',
    async () => {
      const tokens = [1, 2].map(() => createAccountToken(gateway.admin, tenant, 3600));
      return (await Promise.all(tokens)).map(({ accessToken }) => accessToken);
    },
  ],
  [
    'project',
    async () => {
      const app = await createApp(api, tenant.token);
      return [await projectTokenOf(api, tenant.token, app), await projectTokenOf(api, tenant.token, app)];
    },
  ],
];

const SIGN_OUT = 'mutation { signOut(input: { clientMutationId: "bye" }) { clientMutationId } }';

describe.each(PAIRS)('signing out with a token of the level %s', (_level, issue) => {
  test('ends this token on every instance, and no other', async () => {
    const [token = '', sibling = ''] = await issue();
    // Both instances have read the token before.
    for (const { url } of [gateway, other])
      expect(
        await tokenStatus(
          graphqlApi(() => url),
          token,
        ),
      ).toBe('ok');
    const { data } = await graphqlBody(gateway.url, token, SIGN_OUT);
    expect(data).toEqual({ signOut: { clientMutationId: 'bye' } });
    for (const each of [...bothApis(() => gateway.url), ...bothApis(() => other.url)]) {
      expect(await tokenStatus(each, token)).toBe('TOKEN_INVALID');
      expect(await tokenStatus(each, sibling)).toBe('ok');
    }
    expect((await postGraphql(gateway.url, token, SIGN_OUT)).status).toBe(401);
  });

  test('ends it for the later fields of the same request, too', async () => {
    const [token] = await issue();
    const document = `mutation {
      before: signIn(input: { name: "apps/${'0'.repeat(26)}", privateKey: "x" }) { accessToken }
      signOut { clientMutationId }
      again: signOut { clientMutationId }
      createApp(input: { title: "Late", active: true }) { app { name } }
    }`;
    const { data, errors } = await graphqlBody(gateway.url, token ?? '', document);
    expect(data).toEqual({
      before: null,
      signOut: { clientMutationId: null },
      again: null,
      createApp: null,
    });
    const reasons = errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason);
    expect(reasons).toEqual(['INVALID_CREDENTIALS', 'TOKEN_INVALID', 'TOKEN_INVALID']);
  });
});

test('a sign-out that is repeated with its Idempotency-Key is refused, since the token has ended', async () => {
  const { accessToken } = await createAccountToken(gateway.admin, tenant, 3600);
  const send = () => postGraphql(gateway.url, accessToken, SIGN_OUT, {}, { 'idempotency-key': 'bye' });
  expect((await send()).status).toBe(200);
  const repeated = await send();
  expect(repeated.status).toBe(401);
  expect(JSON.parse(repeated.text).errors[0].extensions.reason).toBe('TOKEN_INVALID');
});

test('a sign-out is undone if another mutation of the request with an Idempotency-Key fails', async () => {
  const { accessToken } = await createAccountToken(gateway.admin, tenant, 3600);
  const document = `mutation { signOut { clientMutationId } again: signOut { clientMutationId } }`;
  const response = await postGraphql(gateway.url, accessToken, document, {}, { 'idempotency-key': 'both' });
  expect(JSON.parse(response.text)).toMatchObject({ data: null });
  expect(await tokenStatus(api, accessToken)).toBe('ok');
});

describe('the viewer', () => {
  const VIEWER = `{
    viewer { name level account project { name title } app { name title privateKey } expireTime }
  }`;

  test('of an account token is the account, with the project of new apps', async () => {
    const [, project] = tenant.projects;
    const { accessToken, expireTimeMs } = await createAccountToken(
      gateway.admin,
      { ...tenant, project },
      3600,
    );
    const viewer = {
      name: `tokens/${credentialParts(accessToken).serial}`,
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

  test('of a project token is its app, in the project of the app', async () => {
    const app = await createApp(api, tenant.token);
    const token = await projectTokenOf(api, tenant.token, app);
    const { data } = await graphqlBody(gateway.url, token, VIEWER);
    expect(data.viewer).toEqual({
      name: `tokens/${credentialParts(token).serial}`,
      level: 'PROJECT',
      account: tenant.account,
      project: { name: tenant.projects[0], title: 'Tenant' },
      app: { name: app.name, title: app.title, privateKey: '' },
      expireTime: new Date(gateway.clock() + 3_600_000).toISOString(),
    });
  });
});
