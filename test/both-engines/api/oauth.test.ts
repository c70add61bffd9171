import { decodeTime } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { setAccountSuspended } from '../../../src/data/set-account-suspended.ts';
import { updateApp } from '../../../src/data/update-app.ts';
import {
  type AppKey,
  createApp,
  createAppIn,
  credentialParts,
  MISSING_APP,
  signIn,
  ulidOf,
  withOtherSecret,
} from '../../support/actors.ts';
import { type HttpResponse, postGraphql, restApi, send } from '../../support/apis.ts';
import { seedTenant, testGateway, useGateway, useTenant } from '../../support/gateway.ts';
import { rowsOf } from '../../support/rows.ts';

// Source: RFC 6749, sections 2.3.1, 4.4 and 5; RFC 7009; RFC 7662; RFC 8414; RFC 8707; RFC 9728.

const CHALLENGE = 'Basic realm="paw", charset="UTF-8", error="invalid_client"';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2, wallets: 1 });
let app: AppKey;
beforeAll(async () => {
  app = await createApp(
    restApi(() => gateway.url),
    tenant.token,
  );
});

type Form = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

const GRANT = { grant_type: 'client_credentials' };

async function post(
  path: 'token' | 'revoke' | 'introspect',
  form: Form | string,
  headers: Record<string, string> = {},
) {
  const body = typeof form === 'string' ? form : new URLSearchParams(form as Record<string, string>);
  const response = await fetch(`${gateway.url}/oauth/${path}`, { method: 'POST', body, headers });
  return answerOf(response);
}

// The body is checked by each test.
// biome-ignore lint/suspicious/noExplicitAny: JSON
type Answer = { readonly status: number; readonly headers: Headers; readonly body: any };

async function answerOf(response: Response): Promise<Answer> {
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function basic(id: string, secret: string): { authorization: string } {
  const pair = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

function inBody({ name, privateKey }: AppKey) {
  return { client_id: name, client_secret: privateKey };
}

async function issue(credentials: AppKey, form: Form = {}): Promise<string> {
  const response = await post('token', { ...GRANT, ...form, ...inBody(credentials) });
  expect(response.status).toBe(200);
  return response.body.access_token;
}

async function acts(account: string): Promise<readonly unknown[]> {
  const rows = await rowsOf(gateway.database, 'audit_event', account);
  return rows.map(({ action, credential_id, token_id }) => ({ action, credential_id, token_id }));
}

const api = restApi(() => gateway.url);

describe('an app that has only its key', () => {
  test.each([
    ['in the header', () => post('token', GRANT, basic(app.name, app.privateKey))],
    ['in the header, with its ULID', () => post('token', GRANT, basic(ulidOf(app.name), app.privateKey))],
    ['in the body', () => post('token', { ...GRANT, ...inBody(app) })],
    [
      'in the body, with its ULID',
      () => post('token', { ...GRANT, ...inBody({ ...app, name: ulidOf(app.name) }) }),
    ],
    [
      'in the header, named in the body as well',
      () => post('token', { ...GRANT, client_id: ulidOf(app.name) }, basic(app.name, app.privateKey)),
    ],
  ])('gets a token for its project with credentials %s', async (_place, request) => {
    const response = await request();
    expect(response.status).toBe(200);
    expect(response.headers.get('cache-control')).toBe('no-store');
    const token = response.body;
    expect(token).toStrictEqual({
      access_token: expect.stringMatching(/^paw_app_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    });
    const { value } = await api.listProjects(token.access_token);
    expect(value?.projects.map(({ name }) => name)).toEqual([tenant.projects[0]]);
  });

  test('gets a token that may change what a project token may', async () => {
    const token = await issue(app, { scope: 'write read' });
    const { value } = await api.updateWallet(token, tenant.wallets[0] ?? '', { title: 'Till' });
    expect(value?.title).toBe('Till');
  });

  test.each(['', '/'])('gets a token for this server, named as the resource, with "%s"', async (end) => {
    expect(await issue(app, { resource: gateway.url + end })).toMatch(/^paw_app_/);
  });

  test('is recorded as one that signs in', async () => {
    const own = await seedTenant(gateway);
    const { name, privateKey } = await createApp(api, own.token);
    const tokenId = (await issue({ name, privateKey })).slice(34, 60);
    await post('token', { ...GRANT, ...inBody({ name, privateKey: withOtherSecret(privateKey) }) });
    expect(await acts(own.account)).toStrictEqual(
      expect.arrayContaining([
        { action: 'sign_in.succeed', credential_id: null, token_id: tokenId },
        { action: 'sign_in.fail', credential_id: null, token_id: null },
      ]),
    );
  });
});

describe('a request for a token is refused', () => {
  test.each<[string, () => [form: object, headers?: Record<string, string>]]>([
    ['without credentials', () => [{}]],
    ['with a wrong key', () => [inBody({ ...app, privateKey: withOtherSecret(app.privateKey) })]],
    ['with a key of another kind', () => [inBody({ ...app, privateKey: tenant.token })]],
    ['with a text that is no key', () => [{}, basic(app.name, 'password')]],
    ['without a key', () => [{ client_id: app.name }]],
    ['for an app that does not exist', () => [inBody({ ...app, name: MISSING_APP })]],
    ['for a malformed app', () => [{}, basic('apps/1', app.privateKey)]],
    ['with a malformed header', () => [{}, { authorization: 'Basic %%%' }]],
    ['with a malformed percent-encoding', () => [{}, { authorization: `Basic ${btoa(`${app.name}:%`)}` }]],
  ])('%s: invalid_client', async (_case, request) => {
    const [form, headers] = request();
    const response = await post('token', { ...GRANT, ...form }, headers);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(CHALLENGE);
    expect(response.body).toStrictEqual({
      error: 'invalid_client',
      error_description: 'The app does not exist, or the private key is wrong.',
    });
  });

  const twice: Form = [
    ['grant_type', 'a'],
    ['grant_type', 'b'],
  ];

  test.each<[string, string, () => [form: Form | string, headers?: Record<string, string>]]>([
    ['invalid_request', 'grant_type', () => [{}]],
    ['invalid_request', 'grant_type', () => [twice]],
    [
      'invalid_request',
      'in one place',
      () => [{ ...GRANT, ...inBody(app) }, basic(app.name, app.privateKey)],
    ],
    [
      'invalid_request',
      'client_id',
      () => [{ ...GRANT, client_id: MISSING_APP }, basic(app.name, app.privateKey)],
    ],
    ['invalid_request', 'x-www-form-urlencoded', () => ['{}', { 'content-type': 'application/json' }]],
    ['unsupported_grant_type', 'grant_type', () => [{ ...inBody(app), grant_type: 'password' }]],
    ['invalid_scope', 'scope', () => [{ ...GRANT, ...inBody(app), scope: 'read admin' }]],
    ['invalid_scope', 'scope', () => [{ ...GRANT, ...inBody(app), scope: 'write' }]],
    ['invalid_target', 'resource', () => [{ ...GRANT, ...inBody(app), resource: 'https://other.example' }]],
    ['invalid_target', 'resource', () => [{ ...GRANT, ...inBody(app), resource: `${gateway.url}/#x` }]],
    [
      'invalid_target',
      'resource',
      () => [[...Object.entries({ ...GRANT, ...inBody(app) }), ['resource', 'a'], ['resource', 'b']]],
    ],
  ])('%s, which names %s', async (error, name, request) => {
    const response = await post('token', ...request());
    expect(response.status).toBe(400);
    expect(response.body).toStrictEqual({ error, error_description: expect.stringContaining(name) });
  });

  test('with a form of more than 4,096 bytes: invalid_request', async () => {
    const size = String(new URLSearchParams({ ...GRANT, padding: '' })).length;
    const forms = [4096, 4097].map((bytes) => ({ ...GRANT, padding: 'x'.repeat(bytes - size) }));
    const responses = await Promise.all(forms.map((form) => post('token', form)));
    expect(responses.map(({ status, body }) => [status, body.error])).toEqual([
      [401, 'invalid_client'],
      [413, 'invalid_request'],
    ]);
  });

  test('for an inactive app: unauthorized_client', async () => {
    const other = await createApp(api, tenant.token);
    await updateApp(gateway.admin, 'operator', { name: other.name, active: false });
    const response = await post('token', { ...GRANT, ...inBody(other) });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('unauthorized_client');
  });

  test('for an app of a suspended account: invalid_client', async () => {
    const own = await seedTenant(gateway);
    const other = await createApp(api, own.token);
    await setAccountSuspended(gateway.admin, { name: own.account }, true);
    const response = await post('token', { ...GRANT, ...inBody(other) });
    expect(response.status).toBe(401);
    expect(await acts(own.account)).not.toContainEqual(expect.objectContaining({ action: 'sign_in.fail' }));
  });
});

describe('a revocation', () => {
  const isValid = async (token: string) => (await api.listProjects(token)).value !== undefined;

  test.each<[string, (token: string) => Promise<Answer>]>([
    ['the token alone', (token) => post('revoke', { token })],
    ['the credentials of its app', (token) => post('revoke', { token, ...inBody(app) })],
    [
      'the credentials of its app in the header',
      (token) => post('revoke', { token, token_type_hint: 'access_token' }, basic(app.name, app.privateKey)),
    ],
  ])('ends a token with %s', async (_case, revoke) => {
    const token = await issue(app, { scope: 'read' });
    const responses = [await revoke(token), await revoke(token)];
    expect(responses.map(({ status }) => status)).toEqual([200, 200]);
    expect(await isValid(token)).toBe(false);
  });

  test('with an unknown token succeeds, and ends nothing', async () => {
    const token = await issue(app);
    for (const unknown of ['x', withOtherSecret(token), app.privateKey]) {
      expect((await post('revoke', { token: unknown })).status).toBe(200);
    }
    expect(await isValid(token)).toBe(true);
  });

  test('by another app is refused', async () => {
    const other = await createApp(api, tenant.token);
    const { accessToken } = await signIn(api, tenant.token, app);
    const response = await post('revoke', { token: accessToken, ...inBody(other) });
    expect(response.status).toBe(400);
    expect(response.body.error).toBe('unauthorized_client');
    expect(await isValid(accessToken)).toBe(true);
  });

  test('with a wrong key is refused', async () => {
    const token = await issue(app);
    const wrong = { ...app, privateKey: withOtherSecret(app.privateKey) };
    expect((await post('revoke', { token, ...inBody(wrong) })).status).toBe(401);
    expect(await isValid(token)).toBe(true);
  });

  test('tests no key without an event', async () => {
    const own = await seedTenant(gateway);
    const key = await createApp(api, own.token);
    const wrong = { ...key, privateKey: withOtherSecret(key.privateKey) };
    const other = await issue(app);
    // The responses say nothing about the key.
    for (const credentials of [key, wrong]) {
      expect((await post('revoke', { token: 'x', ...inBody(credentials) })).status).toBe(200);
      expect((await post('revoke', { token: other, ...inBody(credentials) })).status).toBe(400);
    }
    const token = await issue(key);
    expect((await post('revoke', { token, ...inBody(wrong) })).status).toBe(401);
    expect(await acts(own.account)).toContainEqual({
      action: 'sign_in.fail',
      credential_id: null,
      token_id: null,
    });
  });

  test('with an expired token succeeds, and compares no key', async () => {
    const own = await seedTenant(gateway);
    const key = await createApp(api, own.token);
    const token = await issue(key);
    gateway.clock.advance(3_600_000);
    const before = await acts(own.account);
    for (const { name, privateKey } of [key, app]) {
      for (const secret of [privateKey, withOtherSecret(privateKey)]) {
        const response = await post('revoke', { token, ...inBody({ name, privateKey: secret }) });
        expect([response.status, response.body]).toEqual([200, {}]);
      }
    }
    expect(await acts(own.account)).toEqual(before);
  });

  test('without a token is refused', async () => {
    const response = await post('revoke', inBody(app));
    expect(response.body).toStrictEqual({
      error: 'invalid_request',
      error_description: 'The parameter token is required.',
    });
  });
});

test('the metadata name the endpoints, with the issuer as their base', async () => {
  const response = await answerOf(await fetch(`${gateway.url}/.well-known/oauth-authorization-server`));
  expect(response.body).toStrictEqual({
    issuer: gateway.url,
    token_endpoint: `${gateway.url}/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: `${gateway.url}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint: `${gateway.url}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    scopes_supported: ['read', 'write'],
  });
});

test('the metadata of the resource name its server', async () => {
  const response = await answerOf(await fetch(`${gateway.url}/.well-known/oauth-protected-resource`));
  expect(response.headers.get('access-control-allow-origin')).toBe('*');
  expect(response.body).toStrictEqual({
    resource: gateway.url,
    authorization_servers: [gateway.url],
    scopes_supported: ['read', 'write'],
    bearer_methods_supported: ['header'],
    resource_name: 'PAW gateway',
    resource_documentation: `${gateway.url}/docs/api.md`,
  });
});

describe('behind a path', () => {
  const issuer = 'https://paw.example/a/paw';

  test.each([
    ['oauth-authorization-server', 'issuer'],
    ['oauth-protected-resource', 'resource'],
  ])('%s is between the host and the path, and at no other path', async (document, field) => {
    const prefixed = await testGateway({ PUBLIC_URL: issuer });
    const answers = ['', '/a/paw', '/a', '/a/paw/b'].map(async (path) => {
      const { status, body } = await answerOf(await fetch(`${prefixed.url}/.well-known/${document}${path}`));
      return body[field] ?? status;
    });
    expect(await Promise.all(answers)).toEqual([issuer, issuer, 404, 404]);
  });

  test('the challenge names the metadata of the resource by the public URL', async () => {
    const prefixed = await testGateway({ PUBLIC_URL: issuer });
    const { headers } = await fetch(`${prefixed.url}/project/projects`);
    const url = 'https://paw.example/.well-known/oauth-protected-resource/a/paw';
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="paw", resource_metadata="${url}"`);
  });
});

describe('the challenge', () => {
  const rest = (token?: string) =>
    send(`${gateway.url}/auth/apps`, 'POST', token, { title: 'A', active: true });
  const graphql = (token?: string) =>
    postGraphql(gateway.url, token, 'mutation { signOut { clientMutationId } }');

  test.each<[string, number, () => Promise<Pick<HttpResponse, 'status' | 'headers'>>]>([
    ['of REST without a token', 401, () => rest()],
    ['of REST with a bad token', 401, () => rest('nonsense')],
    ['of REST with a token that may only read', 403, async () => rest(await issue(app, { scope: 'read' }))],
    ['of GraphQL without a token', 401, () => graphql()],
    ['of GraphQL with a bad token', 401, () => graphql('nonsense')],
    [
      'of GraphQL with a token that may only read',
      403,
      async () => graphql(await issue(app, { scope: 'read' })),
    ],
  ])('%s names the metadata of the resource', async (_case, status, request) => {
    const response = await request();
    expect(response.status).toBe(status);
    const url = `${gateway.url}/.well-known/oauth-protected-resource`;
    const challenge = response.headers.get('www-authenticate') ?? '';
    expect(challenge.match(/resource_metadata="[^"]*"/g)).toEqual([`resource_metadata="${url}"`]);
  });
});

describe('an introspection', () => {
  const introspect = async (token: string, credentials: AppKey = app) =>
    post('introspect', { token, ...inBody(credentials) });

  test.each(['read', 'read write'])('by the app of a token with the scope %s describes it', async (scope) => {
    const token = await issue(app, { scope });
    const { serial } = credentialParts(token);
    const iat = Math.floor(decodeTime(serial) / 1000);
    const response = await post('introspect', { token }, basic(app.name, app.privateKey));
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.body).toStrictEqual({
      active: true,
      scope,
      client_id: app.name,
      token_type: 'Bearer',
      exp: iat + 3600,
      iat,
      sub: app.name,
      aud: gateway.url,
      iss: gateway.url,
      jti: `tokens/${serial}`,
      project: tenant.projects[0],
    });
  });

  test('by another app of the project names the app of the token', async () => {
    const other = await createApp(api, tenant.token);
    const { body } = await introspect(await issue(app), other);
    expect(body).toMatchObject({ active: true, client_id: app.name, project: tenant.projects[0] });
  });

  test('of anything else says only that it is not active', async () => {
    const [own, ended, expired] = [await seedTenant(gateway), await issue(app), await issue(app)];
    const foreign = await issue(await createApp(api, own.token));
    await post('revoke', { token: ended });
    const elsewhere = await createAppIn(gateway, api, tenant, tenant.projects[1]);
    const tokens = {
      nonsense: 'x',
      ended,
      foreign,
      'of another project': await issue(elsewhere),
      'with another secret': withOtherSecret(await issue(app)),
      'an account token': tenant.token,
      'a private key': app.privateKey,
    };
    for (const [name, token] of Object.entries(tokens)) {
      const { status, body } = await introspect(token);
      expect([name, status, body]).toEqual([name, 200, { active: false }]);
    }
    expect((await introspect(expired)).body.active).toBe(true);
    gateway.clock.advance(3_600_000);
    expect((await introspect(expired)).body).toStrictEqual({ active: false });
  });

  test.each<[string, () => Promise<Answer>]>([
    ['without credentials', async () => post('introspect', { token: await issue(app) })],
    [
      'with the token alone, as a bearer',
      async () => {
        const token = await issue(app);
        return post('introspect', { token }, { authorization: `Bearer ${token}` });
      },
    ],
    [
      'with a wrong key',
      async () => introspect(await issue(app), { ...app, privateKey: withOtherSecret(app.privateKey) }),
    ],
  ])('%s is refused: invalid_client', async (_case, request) => {
    const response = await request();
    expect([response.status, response.body.error]).toEqual([401, 'invalid_client']);
    expect(response.headers.get('www-authenticate')).toBe(CHALLENGE);
  });

  test('without a token is refused: invalid_request', async () => {
    const response = await post('introspect', inBody(app));
    expect([response.status, response.body.error]).toEqual([400, 'invalid_request']);
  });

  test('with a wrong key is recorded as a failed sign-in, and one that succeeds is not', async () => {
    const own = await seedTenant(gateway);
    const key = await createApp(api, own.token);
    const token = await issue(key);
    const before = await acts(own.account);
    expect((await introspect(token, key)).body.active).toBe(true);
    expect(await acts(own.account)).toEqual(before);
    await introspect(token, { ...key, privateKey: withOtherSecret(key.privateKey) });
    const failure = { action: 'sign_in.fail', credential_id: null, token_id: null };
    const after = await acts(own.account);
    expect([after.length, after]).toEqual([before.length + 1, expect.arrayContaining([failure])]);
  });
});
