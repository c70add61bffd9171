import { beforeAll, describe, expect, test } from 'vitest';
import { createCredential, parseCredential } from '../../src/credentials/credential.ts';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { type Api, bothApis, postGraphql, type SignInFields, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { anonymous, codeOf, expectInvalid } from '../support/refusal.ts';

type Key = { readonly name: string; readonly privateKey: string };

const HOUR_MS = 3_600_000;
const MISSING_APP = `apps/${'0'.repeat(26)}`;
const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('an app signs in and gets a token that sees its one project alone', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const { name, privateKey } = await newApp(api, tenant, { project: tenant.projects[1] });
    const result = await signIn(api, tenant.token, { name, privateKey });
    expect(result).toStrictEqual({
      accessToken: expect.stringMatching(/^paw_app_[0-9A-Z]{52}_[0-9a-f]{72}$/),
      app: { name, title: 'App', privateKey: '', active: true },
    });
    const seen = await api.listProjects(result.accessToken);
    expect(seen.value?.projects.map((project) => project.name)).toEqual([tenant.projects[1]]);
    expect(seen.value?.nextPageToken).toBe('');
  });

  test('each sign-in gives another token, and each of them is good', async () => {
    const tenant = await seedTenant(gateway);
    const key = await newApp(api, tenant);
    const tokens = [await signIn(api, tenant.token, key), await signIn(api, tenant.token, key)];
    expect(tokens[0]?.accessToken).not.toBe(tokens[1]?.accessToken);
    for (const { accessToken } of tokens) {
      expect((await api.listProjects(accessToken)).value?.projects).toHaveLength(1);
    }
  });

  test('the token is good for one hour', async () => {
    const tenant = await seedTenant(gateway);
    const { accessToken } = await signIn(api, tenant.token, await newApp(api, tenant));
    gateway.clock.advance(HOUR_MS - 1);
    expect((await api.listProjects(accessToken)).error).toBeUndefined();
    gateway.clock.advance(1);
    expect((await api.listProjects(accessToken)).error?.reason).toBe('TOKEN_INVALID');
  });

  test('neither the token nor the private key is kept or logged', async () => {
    const tenant = await seedTenant(gateway);
    const key = await newApp(api, tenant);
    const { accessToken } = await signIn(api, tenant.token, key);
    const kept = JSON.stringify([
      await gateway.database.query('SELECT * FROM token WHERE namespace = $1', [ulidOf(key.name)]),
      await gateway.database.query('SELECT * FROM app WHERE id = $1', [ulidOf(key.name)]),
    ]);
    expect(kept).toContain(ulidOf(tenant.account));
    for (const secret of [accessToken, key.privateKey].map(secretOf)) {
      expect(kept).not.toContain(secret);
      expect(gateway.log()).not.toContain(secret);
    }
  });

  test('the ULID of the app may be in lower case, and comes back in upper case', async () => {
    const tenant = await seedTenant(gateway);
    const { name, privateKey } = await newApp(api, tenant);
    const lower = `apps/${ulidOf(name).toLowerCase()}`;
    expect((await signIn(api, tenant.token, { name: lower, privateKey })).app.name).toBe(name);
  });

  test.each<[string, (scene: Scene) => Key]>([
    ['an app of another account with its right key', ({ foreign }) => foreign],
    ['an inactive app of another account with its right key', ({ foreignInactive }) => foreignInactive],
    ['a missing app with the key of another', ({ own }) => ({ ...own, name: MISSING_APP })],
    [
      'an app with the key of another app',
      ({ own, sibling }) => ({ ...own, privateKey: sibling.privateKey }),
    ],
    ['an app with a key of its own that it never had', ({ own }) => ({ ...own, privateKey: remade(own) })],
    ['an app with a typo in its key', ({ own }) => ({ ...own, privateKey: withTypo(own.privateKey) })],
    ['an app with a malformed key', ({ own }) => ({ ...own, privateKey: 'not a key' })],
    ['an app with a space behind its key', ({ own }) => ({ ...own, privateKey: `${own.privateKey} ` })],
    [
      'an app with its key in upper case',
      ({ own }) => ({ ...own, privateKey: own.privateKey.toUpperCase() }),
    ],
    ['an app with the account’s token as its key', ({ own, token }) => ({ ...own, privateKey: token })],
    [
      'an inactive app with a wrong key',
      ({ own, inactive }) => ({ ...inactive, privateKey: own.privateKey }),
    ],
  ])('%s gets the same bytes as an app that is unknown, and no token', async (_, pick) => {
    const scene = await setScene(api);
    const sent = pick(scene);
    const unknown = await api.signIn(scene.token, { name: MISSING_APP, privateKey: 'unknown' });
    const refused = await api.signIn(scene.token, sent);
    expect(unknown.error).toMatchObject({ status: 'UNAUTHENTICATED', reason: 'INVALID_CREDENTIALS' });
    expect(unknown.response.status).toBe(api.name === 'REST' ? 401 : 200);
    expect(codeOf(api, unknown.response.text)).toBe(api.name === 'REST' ? 401 : 'UNAUTHENTICATED');
    expect(anonymous(refused)).toEqual(anonymous(unknown));
    expect(await tokensOf(sent.name)).toBe(0);
  });

  test('an inactive app with its right key is told so, and gets no token', async () => {
    const tenant = await seedTenant(gateway);
    const key = await newApp(api, tenant, { active: false });
    const { error, response } = await api.signIn(tenant.token, key);
    expect(error).toMatchObject({ status: 'PERMISSION_DENIED', reason: 'APP_INACTIVE' });
    expect(response.status).toBe(api.name === 'REST' ? 403 : 200);
    expect(codeOf(api, response.text)).toBe(api.name === 'REST' ? 403 : 'FORBIDDEN');
    expect(await tokensOf(key.name)).toBe(0);
  });

  test('a project token signs in the apps of its own project', async () => {
    const tenant = await seedTenant(gateway);
    const [first, second] = [await newApp(api, tenant), await newApp(api, tenant)];
    const { accessToken } = await signIn(api, tenant.token, first);
    const result = await signIn(api, accessToken, second);
    expect(result.app.name).toBe(second.name);
    expect((await api.listProjects(result.accessToken)).value?.projects).toHaveLength(1);
  });

  test.each([true, false])(
    'to a project token an app of another project (active: %s) is as one that is unknown',
    async (active) => {
      const tenant = await seedTenant(gateway, { projects: 2 });
      const own = await newApp(api, tenant);
      const other = await newApp(api, tenant, { project: tenant.projects[1], active });
      const { accessToken } = await signIn(api, tenant.token, own);
      const refused = await api.signIn(accessToken, other);
      expect(refused.error?.reason).toBe('INVALID_CREDENTIALS');
      const unknown = await api.signIn(accessToken, { ...other, name: MISSING_APP });
      expect(anonymous(refused)).toEqual(anonymous(unknown));
    },
  );

  test.each<[string, (key: Key) => string | undefined, string]>([
    ['no token', () => undefined, 'TOKEN_MISSING'],
    ['the private key as its token', ({ privateKey }) => privateKey, 'TOKEN_INVALID'],
  ])('an app with %s does not sign in', async (_, tokenOf, reason) => {
    const key = await newApp(api, await seedTenant(gateway));
    const { error, response } = await api.signIn(tokenOf(key), key);
    expect(error).toMatchObject({ status: 'UNAUTHENTICATED', reason });
    expect(response.status).toBe(401);
    expect(await tokensOf(key.name)).toBe(0);
  });

  test.each<[field: string, what: string, sent: unknown]>([
    ['name', 'missing', undefined],
    ['name', 'null', null],
    ['name', 'a number', 5],
    ['name', 'a list', [`apps/${ULID}`]],
    ['name', 'empty', ''],
    ['name', 'without a ULID', 'apps/'],
    ['name', 'a ULID alone', ULID],
    ['name', 'the name of a wallet', `wallets/${ULID}`],
    ['name', 'in the wrong case', `Apps/${ULID}`],
    ['name', 'a ULID of 25 characters', `apps/${ULID.slice(1)}`],
    ['name', 'a ULID of 27 characters', `apps/0${ULID}`],
    ['name', 'a ULID with the letter U', `apps/${ULID.replace('V', 'U')}`],
    ['name', 'a ULID beyond the largest', `apps/8${ULID.slice(1)}`],
    // Its upper case is the ASCII letter S.
    ['name', 'a ULID with a long s', `apps/${ULID.replace('S', 'ſ')}`],
    ['name', 'a name with a slash behind', `apps/${ULID}/`],
    ['name', 'a name with a line break behind', `apps/${ULID}\n`],
    ['privateKey', 'missing', undefined],
    ['privateKey', 'null', null],
    ['privateKey', 'a number', 5],
    ['privateKey', 'empty', ''],
    ['privateKey', 'text with NUL', 'paw_key_\0'],
    ['privateKey', 'a lone surrogate', 'paw_key_\ud83e'],
  ])('%s that is %s is refused by name', async (field, _, sent) => {
    const { token } = await seedTenant(gateway);
    const outcome = await api.signIn(token, { name: MISSING_APP, privateKey: 'key', [field]: sent });
    expectInvalid(api, outcome, [field]);
  });

  test.each<[string, (key: Key) => object]>([
    ['the name is missing', ({ privateKey }) => ({ privateKey })],
    ['the name is null', ({ privateKey }) => ({ privateKey, name: null })],
    ['the name is malformed', ({ privateKey }) => ({ privateKey, name: 'apps/' })],
    ['there is an unknown field', (key) => ({ ...key, foo: 1 })],
    ['the key is in a list', ({ name, privateKey }) => ({ name, privateKey: [privateKey] })],
    ['the key stands for the name', ({ privateKey }) => ({ name: privateKey, privateKey })],
  ])('the private key is neither repeated nor logged when %s', async (_, pick) => {
    const tenant = await seedTenant(gateway);
    const key = await newApp(api, tenant);
    const { error, response } = await api.signIn(tenant.token, pick(key));
    expect(error?.status).toBe('INVALID_ARGUMENT');
    expect(response.text).not.toContain(secretOf(key.privateKey));
    expect(gateway.log()).not.toContain(secretOf(key.privateKey));
  });
});

describe('by REST alone', () => {
  const ask = (token: string, body: object) =>
    send(`${gateway.url}/auth/accounts:signinIdentity`, 'POST', token, body);

  test('a failed sign-in comes with a challenge that does not call the bearer token bad', async () => {
    const { token } = await seedTenant(gateway);
    const { status, headers } = await ask(token, { privateKey: { name: MISSING_APP, privateKey: 'key' } });
    expect(status).toBe(401);
    // RFC 6750: a client that reads invalid_token throws its good token away.
    expect(headers.get('www-authenticate')).toBe('Bearer realm="paw"');
  });

  test.each<[string, object, string[]]>([
    ['no privateKey', {}, ['privateKey']],
    ['null as privateKey', { privateKey: null }, ['privateKey']],
    ['text as privateKey', { privateKey: 'key' }, ['privateKey']],
    ['a list as privateKey', { privateKey: [] }, ['privateKey']],
    ['an empty privateKey', { privateKey: {} }, ['privateKey.name', 'privateKey.privateKey']],
    ['a malformed name', { privateKey: { name: 'apps/', privateKey: 'key' } }, ['privateKey.name']],
    ['an empty key', { privateKey: { name: MISSING_APP, privateKey: '' } }, ['privateKey.privateKey']],
    ['the fields at the top', { name: MISSING_APP, privateKey: 'key' }, ['name']],
    [
      'a field more in privateKey',
      { privateKey: { name: MISSING_APP, privateKey: 'key', foo: 1 } },
      ['privateKey.foo'],
    ],
    ['a field beside privateKey', { privateKey: { name: MISSING_APP, privateKey: 'key' }, foo: 1 }, ['foo']],
  ])('%s is refused in the words of the request', async (_, body, fields) => {
    const { token } = await seedTenant(gateway);
    const { status, text } = await ask(token, body);
    const [, badRequest] = JSON.parse(text).error.details;
    expect(status).toBe(400);
    expect(badRequest.fieldViolations.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('by GraphQL alone', () => {
  const graphql = graphqlFace();
  const SIGN_IN = `mutation ($input: SignInInput!) {
    signIn(input: $input) { expireTime app { id privateKey project { name } } clientMutationId }
  }`;

  test('the answer says when the token ends, and gives the app without its key', async () => {
    const tenant = await seedTenant(gateway, { projects: 2 });
    const key = await newApp(graphql, tenant, { project: tenant.projects[1] });
    gateway.clock.advance(777);
    const input = { ...key, clientMutationId: 'mine' };
    const { text } = await postGraphql(gateway.url, tenant.token, SIGN_IN, { input });
    expect(JSON.parse(text).data.signIn).toStrictEqual({
      expireTime: new Date(gateway.clock() + HOUR_MS).toISOString(),
      app: { id: key.name, privateKey: '', project: { name: tenant.projects[1] } },
      clientMutationId: 'mine',
    });
  });

  test.each([
    ['clientMutationId', 'with NUL', '\0'],
    ['foo', 'which is unknown', 'text'],
  ])('%s %s is refused by name, and no token is made', async (field, _, sent) => {
    const tenant = await seedTenant(gateway);
    const key = await newApp(graphql, tenant);
    expectInvalid(graphql, await graphql.signIn(tenant.token, { ...key, [field]: sent }), [field]);
    expect(await tokensOf(key.name)).toBe(0);
  });
});

function graphqlFace(): Api {
  const [graphql] = bothApis(() => gateway.url);
  if (graphql === undefined) throw new Error('The first API is GraphQL.');
  return graphql;
}

/** An account with apps, and the app of a stranger. */
type Scene = Record<'own' | 'sibling' | 'inactive' | 'foreign' | 'foreignInactive', Key> & { token: string };

async function setScene(api: Api): Promise<Scene> {
  const [tenant, stranger] = [await seedTenant(gateway), await seedTenant(gateway)];
  return {
    token: tenant.token,
    own: await newApp(api, tenant),
    sibling: await newApp(api, tenant),
    inactive: await newApp(api, tenant, { active: false }),
    foreign: await newApp(api, stranger),
    foreignInactive: await newApp(api, stranger, { active: false }),
  };
}

async function newApp(
  api: Api,
  { account }: Tenant,
  { project, active = true }: { project?: string | undefined; active?: boolean } = {},
): Promise<Key> {
  const { accessToken } = await createAccountToken(gateway.admin, { account, project }, 60);
  const { value, response } = await api.createApp(accessToken, { title: 'App', active });
  if (value === undefined) throw new Error(response.text);
  return { name: value.name, privateKey: value.privateKey };
}

async function signIn(api: Api, token: string, { name, privateKey }: Key): Promise<SignInFields> {
  const { value, response } = await api.signIn(token, { name, privateKey });
  if (value === undefined) throw new Error(response.text);
  return value;
}

async function tokensOf(app: string): Promise<number> {
  const rows = await gateway.database.query('SELECT key FROM token WHERE namespace = $1', [ulidOf(app)]);
  return rows.length;
}

function ulidOf(name: string): string {
  return name.slice(name.indexOf('/') + 1);
}

function secretOf(credential: string): string {
  return credential.slice(-72, -8);
}

/** A key that is right in all but its secret. */
function remade({ privateKey }: Key): string {
  const parts = parseCredential(privateKey);
  if (parts === undefined) throw new Error('The service gives well-formed keys.');
  return createCredential(parts.kind, parts.ownerId, parts.serial);
}

function withTypo(privateKey: string): string {
  const at = privateKey.length - 40;
  return privateKey.slice(0, at) + (privateKey[at] === '0' ? '1' : '0') + privateKey.slice(at + 1);
}
