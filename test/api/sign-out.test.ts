import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/operator/create-account-token.ts';
import {
  createApp,
  credentialParts,
  graphqlBody,
  MISSING_APP,
  projectTokenOf,
  tokenNameOf,
  tokenStatus,
} from '../support/actors.ts';
import { graphqlApi, mutationDocument, postGraphql } from '../support/apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2 });

const api = graphqlApi(() => gateway.url);

const accountToken = async () => (await createAccountToken(gateway.admin, tenant, 3600)).accessToken;

// `ended-token.test.ts` shows that the token ends on every instance.
test.each([
  [
    'a sign-out',
    'signOut(input: { clientMutationId: "bye" }) { clientMutationId }',
    { clientMutationId: 'bye' },
  ],
  [
    'a revocation by itself',
    'signOut: revokeToken(input: { id: "$ID" }) { clientMutationId }',
    { clientMutationId: null },
  ],
])('%s ends the token for the later fields of the same request, too', async (_, field, ended) => {
  const token = await accountToken();
  const document = `mutation {
    before: signIn(input: { name: "${MISSING_APP}", privateKey: "x" }) { accessToken }
    ${field.replace('$ID', credentialParts(token).id)}
    again: signOut { clientMutationId }
    createApp(input: { title: "Late", active: true }) { app { name } }
  }`;
  const { data, errors } = await graphqlBody(gateway.url, token, document);
  expect(data).toEqual({ before: null, signOut: ended, again: null, createApp: null });
  const reasons = errors.map(({ extensions }: { extensions: { reason: string } }) => extensions.reason);
  expect(reasons).toEqual(['INVALID_CREDENTIALS', 'TOKEN_INVALID', 'TOKEN_INVALID']);
});

const SIGN_OUT = mutationDocument('signOut');

test('a sign-out that is repeated with its Idempotency-Key is refused, since the token has ended', async () => {
  const token = await accountToken();
  const send = () => postGraphql(gateway.url, token, SIGN_OUT, { input: {} }, { 'idempotency-key': 'bye' });
  expect((await send()).status).toBe(200);
  const { status, text } = await send();
  expect([status, JSON.parse(text).errors[0].extensions.reason]).toEqual([401, 'TOKEN_INVALID']);
});

test('a sign-out is undone if another mutation of the request with an Idempotency-Key fails', async () => {
  const token = await accountToken();
  const document = `mutation { signOut { clientMutationId } again: signOut { clientMutationId } }`;
  const { text } = await postGraphql(gateway.url, token, document, {}, { 'idempotency-key': 'both' });
  expect(JSON.parse(text)).toMatchObject({ data: null });
  expect(await tokenStatus(api, token)).toBe('ok');
});

describe('the viewer', () => {
  const VIEWER = `{
    viewer { name level account project { name title } app { name title privateKey } expireTime }
  }`;

  test('of an account token is the account, with the project of new apps', async () => {
    const [, project] = tenant.projects;
    const options = { account: tenant.account, project };
    const { accessToken, expireTimeMs } = await createAccountToken(gateway.admin, options, 3600);
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

  test('of a project token is its app, in the project of the app', async () => {
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
});
