import { randomInt, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { MISSING_WALLET, PASSWORD, projectToken, secretOf, ulidOf } from '../../support/actors.ts';
import { type HttpResponse, mutationDocument, postGraphql, send } from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { seedTenant, startGateway, type Tenant, testGateway, useGateway } from '../../support/gateway.ts';
import { logLines } from '../../support/paw.ts';
import { lockRow, rowOf, rowsOf, setRow } from '../../support/rows.ts';

const DAY_MS = 86_400_000;

const gateway = useGateway();
let tenant: Tenant;
let wallet: string;
let key: string;

beforeEach(async () => {
  tenant = await seedTenant(gateway, { wallets: 1 });
  wallet = tenant.wallets[0] ?? '';
  key = randomUUID();
});

/** The token and the `Idempotency-Key` of a request, and the server. The default is the account token, and no key. */
type From = { readonly url?: string; readonly token?: string; readonly key?: string };

/** Requests that change something, by one of the two APIs. */
type Api = {
  readonly name: string;
  createApp(from: From, title?: string): Promise<HttpResponse>;
  signIn(from: From, app: object): Promise<HttpResponse>;
  updateWallet(
    from: From,
    changes: { readonly name?: string; readonly [field: string]: unknown },
  ): Promise<HttpResponse>;
  /** The status and the reason of the error in a response. */
  errorOf(response: HttpResponse): readonly [status: number, reason: string];
};

const REST: Api = {
  name: 'REST',
  createApp: (from, title = 'App') => sendRest(from, 'POST', '/auth/apps', { title, active: true }),
  signIn: (from, privateKey) => sendRest(from, 'POST', '/auth/accounts:signinIdentity', { privateKey }),
  updateWallet: (from, { name = wallet, ...changes }) => sendRest(from, 'PATCH', `/wallet/${name}`, changes),
  errorOf: ({ status, text }) => [status, JSON.parse(text).error.details[0].reason],
};

const GRAPHQL: Api = {
  name: 'GraphQL',
  createApp: (from, title = 'App') =>
    mutate(from, 'createApp', { title, active: true }, 'app { name privateKey }'),
  signIn: (from, app) => mutate(from, 'signIn', app, 'accessToken expireTime'),
  updateWallet: (from, changes) =>
    mutate(from, 'updateWallet', { name: wallet, ...changes }, 'wallet { title }'),
  errorOf: ({ status, text }) => [status, JSON.parse(text).errors[0].extensions.reason],
};

const headersOf = ({ key: value }: From) => (value === undefined ? {} : { 'idempotency-key': value });

function sendRest(from: From, method: string, path: string, body: object): Promise<HttpResponse> {
  const { url = gateway.url, token = tenant.token } = from;
  return send(url + path, method, token, body, headersOf(from));
}

function mutate(from: From, field: string, input: object, fields: string): Promise<HttpResponse> {
  return sendGraphql(from, mutationDocument(field, fields), { input });
}

function sendGraphql(from: From, query: string, variables: object): Promise<HttpResponse> {
  const { url = gateway.url, token = tenant.token } = from;
  return postGraphql(url, token, query, variables, headersOf(from));
}

const isReplayed = ({ headers }: HttpResponse) => headers.get('idempotency-replayed') === 'true';

/** The app in the response to its creation. */
function appOf({ text }: HttpResponse): { name: string; privateKey: string } {
  const body = JSON.parse(text);
  const { name, privateKey } = body.data?.createApp.app ?? body;
  return { name, privateKey };
}

/** Returns a project token of an app. */
async function signInTo(app: object): Promise<string> {
  return JSON.parse((await REST.signIn({}, app)).text).accessToken;
}

async function count(table: 'app' | 'idempotency_key'): Promise<number> {
  return (await rowsOf(gateway.database, table, tenant.account)).length;
}

/** Returns a text that can hardly be compressed. */
function randomText(length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(randomInt(0x10000, 0x110000))).join('');
}

const titleOf = async (wallet: string) => (await rowOf(gateway.database, wallet))['title'];

describe.each([REST, GRAPHQL])('by $name', (api) => {
  const { createApp, signIn, updateWallet, errorOf } = api;

  test('a repeated creation of an app gives the same bytes, with the private key, and no other app', async () => {
    const responses = [await createApp({ key }), await createApp({ key }), await createApp({ key })];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(responses.map(isReplayed)).toEqual([false, true, true]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    expect(new Set(responses.map(({ headers }) => headers.get('content-type'))).size).toBe(1);
    expect(await count('app')).toBe(1);
    const app = appOf(responses[2] ?? expect.unreachable());
    expect((await signIn({}, app)).text).toContain('paw_app_');
  });

  test('a repeated sign-in gives the same project token, and the database has neither it nor the private key', async () => {
    const app = appOf(await createApp({ key: 'app' }));
    const [first, second] = [await signIn({ key }, app), await signIn({ key }, app)];
    expect([second.text, isReplayed(second)]).toEqual([first.text, true]);
    const [token = ''] = /paw_app_\w+/.exec(first.text) ?? [];
    const text = await textOf(gateway.database);
    expect(text).toContain(ulidOf(app.name));
    expect(text).not.toContain(key);
    for (const secret of [app.privateKey, token].map(secretOf)) {
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
    }
  });

  test('a repeated update of a wallet does not undo a later one', async () => {
    const first = await updateWallet({ key }, { title: 'First', password: PASSWORD });
    await updateWallet({}, { title: 'Later' });
    const repeated = await updateWallet({ key }, { title: 'First', password: PASSWORD });
    expect([repeated.text, isReplayed(repeated)]).toEqual([first.text, true]);
    expect(await titleOf(wallet)).toBe('Later');
  });

  test('a request that is refused or changes nothing is not kept, so that its key can be used again', async () => {
    expect(errorOf(await updateWallet({ key }, { name: MISSING_WALLET }))[1]).toBe('RESOURCE_NOT_FOUND');
    expect(errorOf(await updateWallet({ key }, { title: '' }))[1]).toBe('INVALID_FIELD');
    const [first, second] = [await updateWallet({ key }, {}), await updateWallet({ key }, {})];
    expect([first.status, second.text, isReplayed(second)]).toEqual([200, first.text, false]);
    expect(await count('idempotency_key')).toBe(0);
    expect((await updateWallet({ key }, { title: 'New' })).status).toBe(200);
    expect(await titleOf(wallet)).toBe('New');
  });

  test('requests without a key, or with other keys, are executed each time', async () => {
    const longest = `${'!~'.repeat(127)}#`;
    for (const each of [{}, {}, { key: 'a' }, { key: 'A' }, { key: longest }]) {
      expect((await createApp(each)).status).toBe(200);
    }
    expect([await count('app'), await count('idempotency_key')]).toEqual([5, 3]);
  });

  test.each([
    ['abc', '"abc"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['k'.repeat(255), `"${'k'.repeat(255)}"`],
  ])('the key %s is the same as the quoted string %s', async (plain, quoted) => {
    const first = await createApp({ key: quoted });
    const second = await createApp({ key: plain });
    expect([second.status, second.text, isReplayed(second)]).toEqual([200, first.text, true]);
    expect(await count('app')).toBe(1);
  });

  test('a text that only begins or ends with a quotation mark is a key as it is', async () => {
    for (const each of ['"a', 'a"', 'a', '"a"b"']) {
      expect(isReplayed(await createApp({ key: each }))).toBe(false);
    }
    expect(await count('app')).toBe(4);
  });

  test.each([
    ['empty', ''],
    ['an empty quoted string', '""'],
    ['a quoted string of 256 characters', `"${'k'.repeat(256)}"`],
    ['a quoted string with a space', '"a b"'],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a character that is not ASCII', 'é'],
  ])('a key that is %s is refused, and nothing is changed', async (_, value) => {
    // Like other input that does not fit, by GraphQL over HTTP.
    const status = api === REST ? 400 : 200;
    expect(errorOf(await createApp({ key: value }))).toEqual([status, 'INVALID_FIELD']);
    expect(await count('app')).toBe(0);
  });

  test('a key with another request is refused by 422, with the same token or another one', async () => {
    const { accessToken: token } = await createAccountToken(gateway.admin, tenant, 3600);
    await createApp({ key });
    for (const other of [
      await createApp({ key }, 'Another'),
      await updateWallet({ key }, { title: 'Another' }),
      await createApp({ key, token }, 'Another'),
    ]) {
      expect(errorOf(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'Wallet 1']);
    expect(isReplayed(await createApp({ key }))).toBe(true);
  });

  test.each([
    [
      'that has signed in again',
      async () => {
        const app = appOf(await createApp({}));
        return [await signInTo(app), await signInTo(app)];
      },
    ],
    [
      'with another account token',
      async () => {
        const input = { account: tenant.account, onlyProject: tenant.projects[0] };
        return [tenant.token, (await createAccountToken(gateway.admin, input, 3600)).accessToken];
      },
    ],
  ])('a client %s is told by 409 that its request was applied', async (_, tokensOf) => {
    const [token = '', again = ''] = await tokensOf();
    expect((await updateWallet({ key, token }, { title: 'Once' })).status).toBe(200);
    await updateWallet({}, { title: 'Later' });
    const sealed = await updateWallet({ key, token: again }, { title: 'Once' });
    expect(errorOf(sealed)).toEqual([409, 'IDEMPOTENCY_RESPONSE_SEALED']);
    expect(sealed.headers.has('retry-after')).toBe(false);
    expect(await titleOf(wallet)).toBe('Later');
    expect(isReplayed(await updateWallet({ key, token }, { title: 'Once' }))).toBe(true);
  });

  test('the account tokens of each account, and each app, have keys of their own', async () => {
    const other = await seedTenant(gateway, { wallets: 1 });
    const name = other.wallets[0] ?? '';
    const requests = [
      { token: tenant.token },
      { token: await projectToken(gateway, tenant) },
      { token: await projectToken(gateway, tenant) },
      { token: other.token, name },
      { token: await projectToken(gateway, other), name },
    ];
    for (const { token, name = wallet } of requests) {
      await setRow(gateway.database, name, { title: 'Old' });
      const response = await updateWallet({ key, token }, { name, title: 'New' });
      expect([response.status, isReplayed(response), await titleOf(name)]).toEqual([200, false, 'New']);
    }
  });

  test('a request with a key that is in use is refused by 409, and repeatable when the first has ended', async () => {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = gateway.database.transaction(async (transaction) => {
      await lockRow(transaction, wallet);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    // One of the two waits for the lock, and the other is refused.
    const both = [updateWallet({ key }, { title: 'New' }), updateWallet({ key }, { title: 'New' })];
    const refused = await Promise.race(both);
    expect(errorOf(refused)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    expect(refused.headers.get('retry-after')).toBe('1');
    held.resolve();
    await holder;
    const applied = (await Promise.all(both)).filter(({ status }) => status === 200);
    expect(applied).toHaveLength(1);
    const repeated = await updateWallet({ key }, { title: 'New' });
    expect([repeated.text, isReplayed(repeated)]).toEqual([applied[0]?.text, true]);
  });

  test('a key is free again after 24 hours', async () => {
    const { accessToken: token } = await createAccountToken(gateway.admin, tenant, 10 * 86_400);
    const first = await createApp({ key, token });
    gateway.clock.advance(DAY_MS - 1);
    expect(isReplayed(await createApp({ key, token }))).toBe(true);
    gateway.clock.advance(1);
    const later = await createApp({ key, token });
    expect([later.status, isReplayed(later)]).toEqual([200, false]);
    expect(later.text).not.toBe(first.text);
    const repeated = await createApp({ key, token });
    expect([repeated.text, isReplayed(repeated)]).toEqual([later.text, true]);
  });
});

test('the longest response of REST is kept', async () => {
  const changes = { title: randomText(200), description: randomText(2000) };
  const [first, second] = [
    await REST.updateWallet({ key }, changes),
    await REST.updateWallet({ key }, changes),
  ];
  expect([first.status, second.text, isReplayed(second)]).toEqual([200, first.text, true]);
});

describe('by GraphQL', () => {
  const both = (name: string) => {
    const document = `mutation ($input: CreateAppInput!, $wallet: UpdateWalletInput!) {
      createApp(input: $input) { app { name privateKey } }
      updateWallet(input: $wallet) { wallet { name title } }
    }`;
    const variables = { input: { title: 'App', active: true }, wallet: { name, title: 'New' } };
    return sendGraphql({ key }, document, variables);
  };

  test('several mutations are applied and repeated together, or none of them', async () => {
    const failed = JSON.parse((await both(MISSING_WALLET)).text);
    expect(failed.data).toBeNull();
    expect(failed.errors).toMatchObject([{ path: ['updateWallet'], extensions: { code: 'NOT_FOUND' } }]);
    expect([await count('app'), await count('idempotency_key')]).toEqual([0, 0]);
    const [first, second] = [await both(wallet), await both(wallet)];
    expect(JSON.parse(first.text).errors).toBeUndefined();
    expect([second.text, isReplayed(second)]).toEqual([first.text, true]);
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'New']);
  });

  test('a failed sign-in after another mutation needs no second connection of the pool', async () => {
    const settings = { PAW_POSTGRES_POOL: '1', PAW_REQUEST_TIMEOUT: '2s', DATABASE_URL: gateway.databaseUrl };
    const { url, stop } = await startGateway(settings, gateway.clock);
    onTestFinished(stop);
    const { name } = appOf(await GRAPHQL.createApp({}));
    const document = `mutation ($app: CreateAppInput!, $signIn: SignInInput!) {
      createApp(input: $app) { app { name } }
      signIn(input: $signIn) { accessToken }
    }`;
    const variables = { app: { title: 'Other', active: true }, signIn: { name, privateKey: 'wrong' } };
    const response = await sendGraphql({ url, key }, document, variables);
    expect(GRAPHQL.errorOf(response)).toEqual([200, 'INVALID_CREDENTIALS']);
    expect(await count('app')).toBe(1);
  });

  test('only the first mutation can set a password, so that the hash holds no lock', async () => {
    const document = `mutation ($first: UpdateWalletInput!, $second: UpdateWalletInput!) {
      first: updateWallet(input: $first) { wallet { title } }
      second: updateWallet(input: $second) { wallet { title } }
    }`;
    const update = async (...[first, second]: [object, object]) => {
      const variables = { first: { name: wallet, ...first }, second: { name: wallet, ...second } };
      return JSON.parse((await sendGraphql({ key }, document, variables)).text);
    };
    const refused = await update({ title: 'New' }, { password: PASSWORD });
    expect(refused.data).toBeNull();
    const violation = { extensions: { fieldViolations: [{ field: 'password' }] } };
    expect(refused.errors).toMatchObject([{ path: ['second'], ...violation }]);
    expect(await titleOf(wallet)).not.toBe('New');
    expect((await update({ password: PASSWORD }, { title: 'New' })).errors).toBeUndefined();
    expect(await titleOf(wallet)).toBe('New');
  });

  test('a long response is kept, however many fields it has', async () => {
    const aliases = Array.from({ length: 400 }, (_, n) => `a${n}: description`).join(' ');
    const update = () =>
      mutate({ key }, 'updateWallet', { name: wallet, description }, `wallet { ${aliases} }`);
    const description = 'd'.repeat(2000);
    const [first, second] = [await update(), await update()];
    expect(first.text.length).toBeGreaterThan(800_000);
    expect([second.text, isReplayed(second)]).toEqual([first.text, true]);
  });

  test('a response that is too large to be kept is refused, and nothing is changed', async () => {
    const { token, wallets } = await seedTenant(gateway, { wallets: 4 });
    const [wallet = '', ...others] = wallets;
    for (const name of others) await REST.updateWallet({ token }, { name, description: randomText(2000) });
    const fields = 'wallet { project { wallets { nodes { description } } } }';
    const changes = { name: wallet, title: 'New', description: randomText(2000) };
    const refused = await mutate({ key, token }, 'updateWallet', changes, fields);
    expect(GRAPHQL.errorOf(refused)[1]).toBe('RESPONSE_TOO_LARGE');
    expect(await titleOf(wallet)).toBe('Wallet 1');
    expect(
      JSON.parse((await mutate({ token }, 'updateWallet', changes, fields)).text).errors,
    ).toBeUndefined();
    expect(await titleOf(wallet)).toBe('New');
  });

  test('a query ignores the key, and introspection needs no token with one', async () => {
    const { status, text } = await sendGraphql({ key: 'not valid' }, '{ projects { totalCount } }', {});
    expect([status, text]).toEqual([200, '{"data":{"projects":{"totalCount":1}}}']);
    const introspection = await postGraphql(gateway.url, undefined, '{ __typename }', {}, headersOf({ key }));
    expect(introspection.text).toBe('{"data":{"__typename":"Query"}}');
  });

  test('a mutation of introspection alone needs a valid token if it has a key', async () => {
    for (const token of [undefined, 'nonsense']) {
      const { status, headers, text } = await postGraphql(
        ...([gateway.url, token, 'mutation { __typename }', {}, headersOf({ key })] as const),
      );
      expect([status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)]);
      expect(JSON.parse(text).errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
    const { text } = await sendGraphql({ key }, 'mutation { __typename }', {});
    expect(text).toBe('{"data":{"__typename":"Mutation"}}');
  });

  test('a fault while a failed sign-in is recorded is logged with its cause', async () => {
    const broken = await testGateway();
    const { token } = await seedTenant(broken);
    const { name } = appOf(await GRAPHQL.createApp({ url: broken.url, token }));
    await broken.database.write('ALTER TABLE audit_event RENAME TO missing');
    const response = await GRAPHQL.signIn({ url: broken.url, token, key }, { name, privateKey: 'wrong' });
    expect(GRAPHQL.errorOf(response)).toEqual([500, 'INTERNAL']);
    expect(response.text).not.toContain('audit_event');
    const reqId = response.headers.get('x-request-id');
    const lines = logLines(broken.log()).filter((line) => line.reqId === reqId && line.level >= 40);
    expect(lines[0].err.message).toContain('audit_event');
    expect(lines[1]).toMatchObject({ status: 500, reason: 'INTERNAL' });
  });
});

test('a request without a token is refused before its key is looked at', async () => {
  const { url } = gateway;
  const app = { title: 'App', active: true };
  expect((await send(`${url}/auth/apps`, 'POST', undefined, app, { 'idempotency-key': '' })).status).toBe(
    401,
  );
});

test('200 concurrent requests with 20 keys through two instances create 20 apps', async () => {
  const other = await testGateway({ DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  const responses = new Map<string, Set<string>>();

  /** Repeats a request until it is answered. Another response than 200 has to be 409 or 503. */
  async function createApp(n: number): Promise<void> {
    const [api, { url }] = [n % 2 === 0 ? REST : GRAPHQL, n % 3 === 0 ? gateway : other];
    const name = `${api.name}-${Math.floor(n / 2) % 10}`;
    for (let times = 0; times < 200; times += 1) {
      const response = await api.createApp({ url, key: name });
      if (response.status === 200) {
        responses.set(name, (responses.get(name) ?? new Set()).add(response.text));
        return;
      }
      expect(['IDEMPOTENCY_KEY_IN_USE', 'UNAVAILABLE']).toContain(api.errorOf(response)[1]);
    }
    expect.unreachable('It was never answered.');
  }

  await Promise.all(Array.from({ length: 200 }, (_, n) => createApp(n)));
  expect([...responses.values()].map(({ size }) => size)).toEqual(new Array(20).fill(1));
  expect(await count('app')).toBe(20);
});
