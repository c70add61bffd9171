import { request as httpRequest } from 'node:http';
import { beforeEach, describe, expect, test } from 'vitest';
import { setAccountSuspended } from '../../src/operator/set-account-suspended.ts';
import {
  type AppFields,
  bothApis,
  challengeOf,
  graphqlApi,
  type HttpResponse,
  readResponse,
  send,
} from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { documentOf, inputOf, MUTATION_NAMES, type MutationName } from '../support/mutations.ts';
import {
  accountToken,
  createApp,
  keyOf,
  mutate,
  projectTokenOf,
  tokenNameOf,
  tokenStatus,
} from '../support/requests.ts';
import { rowOf, setRow } from '../support/rows.ts';

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);
const api = graphqlApi(() => other.url);
const everywhere = [...bothApis(() => gateway.url), ...bothApis(() => other.url)];

let tenant: Tenant;
let app: AppFields;
let tokens: { readonly account: string; readonly project: string };

beforeEach(async () => {
  tenant = await seedTenant(gateway, { wallets: 1, addresses: 1 });
  app = await createApp(api, tenant.token);
  tokens = {
    account: await accountToken(gateway, tenant),
    project: await projectTokenOf(api, tenant.token, app),
  };
});

type Request = {
  readonly method: string;
  readonly path: string;
  body(): object;
  readonly headers?: Readonly<Record<string, string>>;
};

const rest = (method: string, path: string, body: () => object): Request => ({ method, path, body });

const graphql = (query: string, input: () => object = () => ({}), headers = {}): Request => ({
  ...{ method: 'POST', path: '/graphql', headers },
  body: () => ({ query, variables: { input: input() } }),
});

const newApp = () => ({ title: 'New', active: true });

const mutation = (name: MutationName) => graphql(documentOf(name), () => inputOf(name, { ...tenant, app }));

const CREATE_APPS = `mutation ($input: CreateAppInput!) {
  first: createApp(input: $input) { privateKey }
  second: createApp(input: $input) { privateKey }
}`;

const CHANGES: Readonly<Record<string, Request>> = {
  'createApp of REST': rest('POST', '/auth/apps', newApp),
  'signIn of REST': rest('POST', '/auth/accounts:signinIdentity', () => ({ privateKey: keyOf(app) })),
  'two createApp': graphql(CREATE_APPS, newApp),
  'two createApp with a key': graphql(CREATE_APPS, newApp, { 'idempotency-key': 'late' }),
  ...Object.fromEntries(
    // A sign-out succeeds although the token has ended.
    MUTATION_NAMES.filter((name) => name !== 'signOut').map((name) => [name, mutation(name)]),
  ),
};

const READS: Readonly<Record<string, Request>> = {
  viewer: graphql('{ viewer { level } }'),
  projects: graphql('{ projects { totalCount nodes { id title wallets { nodes { id } } } } }'),
  'a query with introspection': graphql('{ __schema { queryType { name } } viewer { name } }'),
};

const KEYED: Readonly<Record<string, Request>> = {
  REST: { ...rest('POST', '/auth/apps', newApp), headers: { 'idempotency-key': 'kept' } },
  GraphQL: graphql(CREATE_APPS, newApp, { 'idempotency-key': 'kept' }),
};

/** Sends the head of a request. Returns a function that sends the body, after the token was authenticated. */
async function sendHead({ method, path, body, headers }: Request, token: string) {
  const text = JSON.stringify(body());
  const request = httpRequest(gateway.url + path.replace(':wallet', tenant.wallet), {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      ...headers,
    },
  });
  // Written when the token is authenticated.
  await setRow(gateway.database, tokenNameOf(token), { last_use_time_ms: null });
  request.flushHeaders();
  const row = () => rowOf(gateway.database, tokenNameOf(token));
  await expect.poll(row).not.toMatchObject({ last_use_time_ms: null });
  return async (): Promise<HttpResponse> => {
    const response = new Promise<HttpResponse>((resolve, reject) => {
      request.on('response', (message) => resolve(readResponse(message))).on('error', reject);
    });
    request.end(text);
    return response;
  };
}

function expectRefusal(response: HttpResponse): void {
  const { status, text } = response;
  expect([status, text]).toEqual([401, expect.stringContaining('"TOKEN_INVALID"')]);
  expect(challengeOf(response)).toBe('Bearer realm="paw", error="invalid_token"');
  expect(JSON.parse(text)).not.toHaveProperty('data');
}

const change = (name: string, input: object, token = tenant.token) => mutate(other.url, token, name, input);

const revoke = (token: string) => change('revokeToken', { id: tokenNameOf(token) });

describe('a token that is revoked at another instance between the head and the body of a request', () => {
  test.each(Object.entries(CHANGES))('changes nothing by %s', async (_, request) => {
    const sendBody = await sendHead(request, tokens.account);
    expect(await revoke(tokens.account)).not.toHaveProperty('errors');
    const before = await textOf(gateway.database);
    expectRefusal(await sendBody());
    expect(await textOf(gateway.database)).toBe(before);
  });

  test.each(Object.entries(READS))('reads nothing by %s', async (_, request) => {
    // Compiled at the second execution, with another token, whose last use is another row.
    for (let times = 0; times < 3; times += 1) {
      const { status } = await send(gateway.url + request.path, request.method, tenant.token, request.body());
      expect(status).toBe(200);
    }
    const sendBody = await sendHead(request, tokens.account);
    await revoke(tokens.account);
    expectRefusal(await sendBody());
  });

  test.each(Object.entries(KEYED))('gets no kept response by %s', async (_, request) => {
    const first = await (await sendHead(request, tokens.account))();
    expect([first.status, first.text]).toEqual([200, expect.stringContaining('"privateKey":"paw_key_')]);
    const replay = await (await sendHead(request, tokens.account))();
    expect([replay.text, replay.headers.get('idempotency-replayed')]).toEqual([first.text, 'true']);
    const sendBody = await sendHead(request, tokens.account);
    await revoke(tokens.account);
    expectRefusal(await sendBody());
  });
});

const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
  'is revoked': () => revoke(tokens.project),
  'is signed out': () => change('signOut', {}, tokens.project),
  expires: async () => gateway.clock.advance(3_600_000),
  'ends with the activity of its app': () => change('updateApp', { name: app.name, active: false }),
  'ends with the key of its app': () => change('rotateAppKey', { name: app.name }),
  'ends with its app': () => change('deleteApp', { name: app.name }),
  'is refused with its account': () => setAccountSuspended(gateway.operator, { name: tenant.account }, true),
};

describe.each([
  ['REST', rest('PATCH', '/wallet/:wallet', () => ({ title: 'New' }))],
  ['GraphQL', mutation('updateWallet')],
])('by %s', (_api, request) => {
  test.each(Object.entries(ENDS))(
    'a token that %s before the body has come changes nothing, and is refused on every instance, where others go on',
    async (what, end) => {
      const sibling = await projectTokenOf(
        api,
        tenant.token,
        what.includes('app') ? await createApp(api, tenant.token) : app,
      );
      const sendBody = await sendHead(request, tokens.project);
      for (const each of everywhere) expect(await tokenStatus(each, tokens.project)).toBe('ok');
      await end();
      for (const each of everywhere) {
        expect(await tokenStatus(each, tokens.project)).toBe('TOKEN_INVALID');
        if (!/expires|account/.test(what)) expect(await tokenStatus(each, sibling)).toBe('ok');
      }
      const before = await textOf(gateway.database);
      expectRefusal(await sendBody());
      expect(await textOf(gateway.database)).toBe(before);
    },
  );

  test('a body that comes late is executed while the token is valid', async () => {
    const { status, text } = await (await sendHead(request, tokens.project))();
    expect([status, text]).toEqual([200, expect.stringContaining('New')]);
  });
});

describe.each(bothApis(() => gateway.url))('by $name', (each) => {
  test('a missing column of the tokens is a masked and logged internal error, and not an invalid token', async () => {
    const logged = gateway.log().length;
    await gateway.database.write('ALTER TABLE token RENAME is_read_only TO away');
    const { error, response } = await each
      .listProjects(tenant.token)
      .finally(() => gateway.database.write('ALTER TABLE token RENAME away TO is_read_only'));
    expect([response.status, error?.reason]).toEqual([500, 'INTERNAL']);
    expect(response.headers.has('www-authenticate')).toBe(false);
    expect(response.text).not.toMatch(/column|postgres|sql/i);
    const log = gateway.log().slice(logged);
    expect(log).toContain('is_read_only');
    expect(log).toContain(response.headers.get('x-request-id'));
  });
});
