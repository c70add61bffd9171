import { decodeTime } from 'ulid';
import { beforeAll, describe, expect, test } from 'vitest';
import { updateApp } from '../../src/data/apps/update-app.ts';
import { ERRORS } from '../../src/model/errors.ts';
import { setAccountSuspended } from '../../src/operator/set-account-suspended.ts';
import { restApi } from '../support/both-apis.ts';
import { seedTenant, testGateway, useGateway, useTenant } from '../support/gateway.ts';
import {
  type AppKey,
  createApp,
  createAppIn,
  credentialParts,
  keyOf,
  MISSING_APP,
  tokenStatus,
  ulidOf,
  withOtherSecret,
} from '../support/requests.ts';
import { eventsOf } from '../support/rows.ts';

// Source: RFC 6749, sections 2.3.1, 4.4 and 5; RFC 7009; RFC 7662; RFC 8414; RFC 8707; RFC 9728.

const CHALLENGE = 'Basic realm="paw", charset="UTF-8", error="invalid_client"';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 2, wallets: 1 });
const api = restApi(() => gateway.url);

let app: AppKey;
/** The app by its ULID alone. */
let short: AppKey;
let wrong: AppKey;
beforeAll(async () => {
  app = await createApp(api, tenant.token);
  short = { ...app, name: ulidOf(app.name) };
  wrong = withWrongKey(app);
});

type Form = Readonly<Record<string, string>> | readonly (readonly [string, string])[];

type Path = 'token' | 'revoke' | 'introspect';

/** The form of a request, and its headers. */
type Sent = [form: Form | string, headers?: Record<string, string>];

// The body is checked by each test.
// biome-ignore lint/suspicious/noExplicitAny: JSON
type Answer = { readonly status: number; readonly headers: Headers; readonly body: any };

const GRANT = { grant_type: 'client_credentials' };

const withWrongKey = ({ name, privateKey }: AppKey) => ({ name, privateKey: withOtherSecret(privateKey) });

function post(path: Path, ...[form, headers = {}]: Sent): Promise<Answer> {
  const body = typeof form === 'string' ? form : new URLSearchParams(form as Record<string, string>);
  return fetchJson(`${gateway.url}/oauth/${path}`, { method: 'POST', body, headers });
}

async function fetchJson(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  return { status: response.status, headers: response.headers, body: await response.json() };
}

function inHeader({ name, privateKey }: AppKey) {
  const pair = `${encodeURIComponent(name)}:${encodeURIComponent(privateKey)}`;
  return { authorization: `Basic ${btoa(pair)}` };
}

function headerWith(part: RegExp, replacement: string) {
  return { authorization: inHeader(short).authorization.replace(part, replacement) };
}

/** Returns the end of a text in base64 whose last bits, which a decoder ignores, are others. */
function nextOf(end: string): string {
  return String.fromCharCode(end.charCodeAt(0) + 1) + end.slice(1);
}

function inBody({ name, privateKey }: AppKey) {
  return { client_id: name, client_secret: privateKey };
}

async function issue(credentials: AppKey = app, form: Form = {}): Promise<string> {
  const response = await post('token', { ...GRANT, ...form, ...inBody(credentials) });
  expect(response.status).toBe(200);
  return response.body.access_token;
}

/** Returns an app of another account, and a function that returns the audit events of this account. */
async function seedApp() {
  const { account, token } = await seedTenant(gateway);
  const acts = () => eventsOf(gateway.database, account);
  return { account, acts, key: keyOf(await createApp(api, token)) };
}

const FAILURE = expect.objectContaining({ action: 'sign_in.fail', credential: null, token: null });

describe('an app that has only its key', () => {
  test.each<[string, () => Sent]>([
    ['in the header', () => [GRANT, inHeader(app)]],
    ['in the header, with its ULID', () => [GRANT, inHeader(short)]],
    ['in the header, behind several spaces', () => [GRANT, headerWith(/ /, '   ')]],
    ['in the header, with the scheme in another case', () => [GRANT, headerWith(/Basic/, 'bASIC')]],
    ['in the body', () => [{ ...GRANT, ...inBody(app) }]],
    ['in the body, beside a token', () => [{ ...GRANT, ...inBody(app) }, { authorization: 'Bearer x' }]],
    ['in the body, with its ULID', () => [{ ...GRANT, ...inBody(short) }]],
    ['in the header, named in the body as well', () => [{ ...GRANT, client_id: short.name }, inHeader(app)]],
  ])('gets a token for its project with credentials %s', async (_place, sent) => {
    const { status, headers, body } = await post('token', ...sent());
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toStrictEqual({
      access_token: expect.stringMatching(/^paw_app_/),
      token_type: 'Bearer',
      expires_in: 3600,
      scope: 'read write',
    });
    const { value } = await api.listProjects(body.access_token);
    expect(value?.projects.map(({ name }) => name)).toEqual([tenant.projects[0]]);
  });

  test('gets a token that may change what a project token may', async () => {
    const token = await issue(app, { scope: 'write read' });
    const { value } = await api.updateWallet(token, tenant.wallet, { title: 'Till' });
    expect(value?.title).toBe('Till');
  });

  test.each(['', '/', '/graphql', '/project/projects', '/auth/accounts:signinIdentity'])(
    'gets a token for this server, or a path of it that needs a token, named as the resource: "%s"',
    async (path) => {
      expect(await issue(app, { resource: gateway.url + path })).toMatch(/^paw_app_/);
    },
  );

  test('is recorded as one that signs in', async () => {
    const { key, acts } = await seedApp();
    const token = credentialParts(await issue(key)).id;
    await post('token', { ...GRANT, ...inBody(withWrongKey(key)) });
    const success = expect.objectContaining({ action: 'sign_in.succeed', credential: null, token });
    expect(await acts()).toEqual(expect.arrayContaining([success, FAILURE]));
  });
});

describe('a request is refused', () => {
  test.each<[Path, string, () => Sent | Promise<Sent>]>([
    ['token', 'without credentials', () => [{}]],
    ['token', 'with a wrong key', () => [inBody(wrong)]],
    ['token', 'with a key of another kind', () => [inBody({ ...app, privateKey: tenant.token })]],
    ['token', 'with a text that is no key', () => [{}, inHeader({ ...app, privateKey: 'password' })]],
    ['token', 'without a key', () => [{ client_id: app.name }]],
    ['token', 'for an app that does not exist', () => [inBody({ ...app, name: MISSING_APP })]],
    ['token', 'for a malformed app', () => [{}, inHeader({ ...app, name: 'apps/1' })]],
    ['token', 'with a malformed header', () => [{}, { authorization: 'Basic %%%' }]],
    [
      'token',
      'with a malformed header and the right key',
      () => [inBody(app), { authorization: 'Basic %%%' }],
    ],
    ['token', 'with an empty header and the right key', () => [inBody(app), { authorization: 'Basic' }]],
    ['token', 'with a bad encoding', () => [{}, { authorization: `Basic ${btoa(`${app.name}:%`)}` }]],
    ['revoke', 'with a wrong key', async () => [{ token: await issue(), ...inBody(wrong) }]],
    ['introspect', 'without credentials', async () => [{ token: await issue() }]],
    [
      ...(['introspect', 'with the token alone, as a bearer'] as const),
      async () => {
        const token = await issue();
        return [{ token }, { authorization: `Bearer ${token}` }];
      },
    ],
    ['introspect', 'with a wrong key', async () => [{ token: await issue(), ...inBody(wrong) }]],
  ])('by /oauth/%s %s: invalid_client', async (path, _case, sent) => {
    const [form, authorization] = await sent();
    const response = await post(path, { ...GRANT, ...(form as object) }, authorization);
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe(CHALLENGE);
    expect(response.body).toStrictEqual({
      error: 'invalid_client',
      error_description: ERRORS.INVALID_CREDENTIALS[1],
    });
  });

  // Source: RFC 9110, sections 11.4 and 11.6.2; RFC 7617, section 2; RFC 4648, section 4.
  test.each<[string, (pair: string) => string]>([
    ['another text behind the padding', (pair) => `Basic ${pair}AAAA`],
    ['no padding', (pair) => `Basic ${pair.replaceAll('=', '')}`],
    ['less padding', (pair) => `Basic ${pair.slice(0, -1)}`],
    ['more padding', (pair) => `Basic ${pair}=`],
    ['padding before the end', (pair) => `Basic ${pair.slice(0, 8)}=${pair.slice(8)}`],
    ['trailing bits that are not zero', (pair) => `Basic ${pair.replace(/.==$/, (end) => nextOf(end))}`],
    ['the alphabet of URLs', () => `Basic ${Buffer.from(`${short.name}:???>>>`).toString('base64url')}`],
    ['quotes', (pair) => `Basic "${pair}"`],
    ['a quote', (pair) => `Basic ${pair}"`],
    ['a character that is not base64', (pair) => `Basic ${pair.slice(0, 8)}!${pair.slice(8)}`],
    ['a space inside', (pair) => `Basic ${pair.slice(0, 8)} ${pair.slice(8)}`],
    ['a character that is not ASCII', (pair) => `Basic ${pair}\u00e9`],
    ['a parameter', (pair) => `Basic ${pair}, realm="paw"`],
    ['a second header', (pair) => `Basic ${pair}, Basic ${pair}`],
    ['a header of another scheme', (pair) => `Bearer x, Basic ${pair}`],
    ['a tab', (pair) => `Basic\t${pair}`],
    ['a tab behind a space', (pair) => `Basic \t${pair}`],
    ['no space', (pair) => `Basic${pair}`],
    ['a comma', (pair) => `Basic,${pair}`],
    ['nothing', () => 'Basic'],
    ['a NUL before the id', (pair) => `Basic ${btoa(`\0${atob(pair)}`)}`],
    ['a line feed behind the key', (pair) => `Basic ${btoa(`${atob(pair)}\n`)}`],
    ['a NUL in percent-encoding', (pair) => `Basic ${btoa(`${atob(pair)}%00`)}`],
    ['bytes that are not UTF-8', (pair) => `Basic ${btoa(`${atob(pair)}\xff`)}`],
  ])('with the right key and %s in the header: invalid_client', async (_case, headerOf) => {
    const token = await issue();
    const authorization = headerOf(btoa(`${short.name}:${short.privateKey}`));
    for (const path of ['token', 'revoke', 'introspect'] as const) {
      const { status, body } = await post(path, { ...GRANT, token }, { authorization });
      expect([path, status, body.error]).toEqual([path, 401, 'invalid_client']);
    }
    expect(await tokenStatus(api, token)).toBe('ok');
  });

  const asked = (form: object = {}) => ({ ...GRANT, ...inBody(app), ...form });
  const twice = (name: string) =>
    [...Object.entries(asked()), [name, 'a'], [name, 'b']] as [string, string][];

  test.each<[Path, string, string, () => Sent]>([
    ['token', 'invalid_request', 'grant_type', () => [{}]],
    ['token', 'invalid_request', 'grant_type', () => [twice('grant_type')]],
    ['token', 'invalid_request', 'in one place', () => [asked(), inHeader(app)]],
    ['token', 'invalid_request', 'client_id', () => [{ ...GRANT, client_id: MISSING_APP }, inHeader(app)]],
    [
      ...(['token', 'invalid_request', 'x-www-form-urlencoded'] as const),
      () => ['{}', { 'content-type': 'application/json' }],
    ],
    ['token', 'unsupported_grant_type', 'grant_type', () => [asked({ grant_type: 'password' })]],
    ['token', 'invalid_scope', 'scope', () => [asked({ scope: 'read admin' })]],
    ['token', 'invalid_scope', 'scope', () => [asked({ scope: 'write' })]],
    ['token', 'invalid_target', 'resource', () => [asked({ resource: 'https://other.example' })]],
    ...['0/graphql', '/#x', '/docs', '/oauth/token', '/graphql/', '/graphql?a=b', '/a/../graphql'].map(
      (path): [Path, string, string, () => Sent] => {
        return ['token', 'invalid_target', 'resource', () => [asked({ resource: gateway.url + path })]];
      },
    ),
    ['token', 'invalid_target', 'resource', () => [twice('resource')]],
    ['revoke', 'invalid_request', 'token', () => [inBody(app)]],
    ['introspect', 'invalid_request', 'token', () => [inBody(app)]],
  ])('by /oauth/%s: %s, which names %s', async (path, error, name, sent) => {
    const response = await post(path, ...sent());
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
    const { key } = await seedApp();
    await updateApp(gateway.operator, { name: key.name, active: false });
    const { status, body } = await post('token', { ...GRANT, ...inBody(key) });
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
  });

  test('for an app of a suspended account: invalid_client', async () => {
    const { account, key, acts } = await seedApp();
    const token = await issue(key);
    await setAccountSuspended(gateway.operator, { name: account }, true);
    for (const path of ['token', 'introspect'] as const) {
      expect((await post(path, { ...GRANT, token, ...inBody(key) })).status).toBe(401);
    }
    expect(await acts()).not.toContainEqual(FAILURE);
    // Its token can be ended, for the time after the suspension.
    expect((await post('revoke', { token })).status).toBe(200);
    await setAccountSuspended(gateway.operator, { name: account }, false);
    expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  });
});

describe('a revocation', () => {
  test.each<[string, (token: string) => Sent]>([
    ['the token alone', (token) => [{ token }]],
    ['the credentials of its app', (token) => [{ token, ...inBody(app) }]],
    [
      'the credentials of its app in the header',
      (token) => [{ token, token_type_hint: 'access_token' }, inHeader(app)],
    ],
  ])('ends a token with %s, and can be repeated', async (_case, sent) => {
    const token = await issue(app, { scope: 'read' });
    for (let times = 0; times < 2; times += 1)
      expect((await post('revoke', ...sent(token))).status).toBe(200);
    expect(await tokenStatus(api, token)).toBe('TOKEN_INVALID');
  });

  test('with an unknown token, by another app or with a wrong key ends nothing', async () => {
    const token = await issue();
    for (const unknown of ['x', withOtherSecret(token), app.privateKey]) {
      expect((await post('revoke', { token: unknown })).status).toBe(200);
    }
    const other = await createApp(api, tenant.token);
    const { status, body } = await post('revoke', { token, ...inBody(other) });
    expect([status, body.error]).toEqual([400, 'unauthorized_client']);
    expect((await post('revoke', { token, ...inBody(wrong) })).status).toBe(401);
    expect(await tokenStatus(api, token)).toBe('ok');
  });

  test('tests no key without an event', async () => {
    const { key, acts } = await seedApp();
    const other = await issue();
    // The responses say nothing about the key.
    for (const credentials of [key, withWrongKey(key)]) {
      expect((await post('revoke', { token: 'x', ...inBody(credentials) })).status).toBe(200);
      expect((await post('revoke', { token: other, ...inBody(credentials) })).status).toBe(400);
    }
    const token = await issue(key);
    expect(await acts()).not.toContainEqual(FAILURE);
    expect((await post('revoke', { token, ...inBody(withWrongKey(key)) })).status).toBe(401);
    expect(await acts()).toContainEqual(FAILURE);
  });

  test('with an expired token succeeds, and compares no key', async () => {
    const { key, acts } = await seedApp();
    const token = await issue(key);
    gateway.clock.advance(3_600_000);
    const before = await acts();
    for (const credentials of [key, withWrongKey(key), app, wrong]) {
      const { status, body } = await post('revoke', { token, ...inBody(credentials) });
      expect([status, body]).toEqual([200, {}]);
    }
    expect(await acts()).toEqual(before);
  });
});

test('the metadata name the endpoints, with the issuer as their base', async () => {
  const { body } = await fetchJson(`${gateway.url}/.well-known/oauth-authorization-server`);
  expect(body).toStrictEqual({
    issuer: gateway.url,
    token_endpoint: `${gateway.url}/oauth/token`,
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    revocation_endpoint: `${gateway.url}/oauth/revoke`,
    revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    introspection_endpoint: `${gateway.url}/oauth/introspect`,
    introspection_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    grant_types_supported: ['client_credentials'],
    scopes_supported: ['read', 'write'],
  });
});

test.each(['', '/graphql', '/wallet/wallets/1'])(
  'the metadata of the resource "%s" name its server',
  async (path) => {
    const { headers, body } = await fetchJson(`${gateway.url}/.well-known/oauth-protected-resource${path}`);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toStrictEqual({
      resource: gateway.url + path,
      authorization_servers: [gateway.url],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
      resource_name: 'PAW gateway',
      resource_documentation: `${gateway.url}/docs/api.md`,
    });
  },
);

describe('behind a path', () => {
  const issuer = 'https://paw.example/a/paw';

  test.each([
    ['oauth-authorization-server', 'issuer'],
    ['oauth-protected-resource', 'resource'],
  ])('%s is between the host and the path, and at no other path', async (document, field) => {
    const prefixed = await testGateway({ PUBLIC_URL: issuer });
    const answers = ['', '/a/paw', '/a', '/a/paw/b'].map(async (path) => {
      const { status, body } = await fetchJson(`${prefixed.url}/.well-known/${document}${path}`);
      return body[field] ?? status;
    });
    expect(await Promise.all(answers)).toEqual([issuer, issuer, 404, 404]);
  });

  test.each([
    ['/project/projects?pageSize=1', '/project/projects'],
    ['/wallet/a"b', '/wallet/a%22b'],
    [`/wallet/${'a'.repeat(2000)}`, ''],
  ])('the challenge of %s names the metadata of its resource by the public URL', async (target, path) => {
    const prefixed = await testGateway({ PUBLIC_URL: issuer });
    const method = path.startsWith('/project') ? 'GET' : 'PATCH';
    const { headers } = await fetch(prefixed.url + target, { method });
    const url = `https://paw.example/.well-known/oauth-protected-resource/a/paw${path}`;
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="paw", resource_metadata="${url}"`);
    const { body } = await fetchJson(url.replace('https://paw.example', prefixed.url));
    expect(body.resource).toBe(issuer + path);
  });
});

describe('an introspection', () => {
  const introspect = (token: string, credentials: AppKey = app) =>
    post('introspect', { token, ...inBody(credentials) });

  test.each(['read', 'read write'])('by the app of a token with the scope %s describes it', async (scope) => {
    const token = await issue(app, { scope });
    const { id } = credentialParts(token);
    const iat = Math.floor(decodeTime(id) / 1000);
    const { status, headers, body } = await post('introspect', { token }, inHeader(app));
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(body).toStrictEqual({
      active: true,
      scope,
      client_id: app.name,
      token_type: 'Bearer',
      exp: iat + 3600,
      iat,
      sub: app.name,
      aud: gateway.url,
      iss: gateway.url,
      jti: `tokens/${id}`,
      project: tenant.projects[0],
    });
  });

  test('by another app of the project names the app of the token', async () => {
    const other = await createApp(api, tenant.token);
    const { body } = await introspect(await issue(), other);
    expect(body).toMatchObject({ active: true, client_id: app.name, project: tenant.projects[0] });
  });

  test('of anything else says only that it is not active', async () => {
    const [ended, expired] = [await issue(), await issue()];
    const foreign = await issue((await seedApp()).key);
    await post('revoke', { token: ended });
    const elsewhere = await createAppIn(gateway, api, tenant, tenant.projects[1]);
    const tokens = {
      nonsense: 'x',
      ended,
      foreign,
      'of another project': await issue(elsewhere),
      'with another secret': withOtherSecret(await issue()),
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

  test('with a wrong key is recorded as a failed sign-in, and one that succeeds is not', async () => {
    const { key, acts } = await seedApp();
    const token = await issue(key);
    const before = await acts();
    expect((await introspect(token, key)).body.active).toBe(true);
    expect(await acts()).toEqual(before);
    await introspect(token, withWrongKey(key));
    const after = await acts();
    expect([after.length, after]).toEqual([before.length + 1, expect.arrayContaining([FAILURE])]);
  });
});
