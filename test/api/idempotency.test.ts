import { randomInt, randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PasswordHasher } from '../../src/credentials/password-hasher.ts';
import {
  type Api,
  bothApis,
  type HttpResponse,
  mutationDocument,
  type Outcome,
  postGraphql,
  send,
} from '../support/both-apis.ts';
import { textOf } from '../support/engine.ts';
import { seedTenant, type Tenant, testGateway, useGateway } from '../support/gateway.ts';
import {
  accountToken,
  createApp,
  inLowerCase,
  keyOf,
  MISSING_WALLET,
  PASSWORD,
  projectToken,
  projectTokenOf,
  resultOf,
  secretOf,
  ulidOf,
} from '../support/requests.ts';
import { lockRow, rowOf, rowsOf, setRow } from '../support/rows.ts';
import { logLines } from '../support/run-command.ts';

const DAY_MS = 86_400_000;

const APP = { title: 'App', active: true };

const gateway = useGateway();
const [graphql, rest] = bothApis(() => gateway.url);

let tenant: Tenant;
let wallet: string;
let key: string;

beforeEach(async () => {
  tenant = await seedTenant(gateway, { wallets: 1 });
  wallet = tenant.wallet;
  key = randomUUID();
});

/** Returns an API whose requests have an `Idempotency-Key`. */
function keyed(name: Api['name'], value: string, url = gateway.url): Api {
  const [byGraphql, byRest] = bothApis(() => url, { 'idempotency-key': value });
  return name === 'REST' ? byRest : byGraphql;
}

const isReplayed = ({ headers }: HttpResponse) => headers.get('idempotency-replayed') === 'true';

const failureOf = ({ response, error }: Outcome<unknown>) => [response.status, error?.reason];

/** Expects that a response is the first one again, byte for byte. */
function expectReplay({ response }: Outcome<unknown>, first: Outcome<unknown>): void {
  expect([response.status, response.text, isReplayed(response)]).toEqual([200, first.response.text, true]);
  expect(response.headers.get('content-type')).toBe(first.response.headers.get('content-type'));
}

/** Expects that a request was executed, and not replayed. */
function expectExecuted({ response }: Outcome<unknown>): void {
  expect([response.status, isReplayed(response)]).toEqual([200, false]);
}

async function count(table: 'app' | 'idempotency_key'): Promise<number> {
  return (await rowsOf(gateway.database, table, tenant.account)).length;
}

/** Returns a text that can hardly be compressed. */
function randomText(length: number): string {
  return Array.from({ length }, () => String.fromCodePoint(randomInt(0x10000, 0x110000))).join('');
}

/** Returns a document with several updates, and its variables. */
function updatesOf(inputs: readonly object[]) {
  const names = inputs.map((_, n) => `$m${n}: UpdateWalletInput!`);
  const fields = inputs.map((_, n) => `m${n}: updateWallet(input: $m${n}) { wallet { title } }`);
  const variables = Object.fromEntries(inputs.map((input, n) => [`m${n}`, input]));
  return { query: `mutation (${names}) { ${fields} }`, variables };
}

const titleOf = async (name: string) => (await rowOf(gateway.database, name))['title'];

const restricted = () => accountToken(gateway, tenant, { onlyProject: tenant.project });

describe.each([rest, graphql])('by $name', (api) => {
  const create = (value = key, token = tenant.token) => keyed(api.name, value).createApp(token, APP);
  const update = (changes: object, token = tenant.token, name = wallet) =>
    keyed(api.name, key).updateWallet(token, name, changes);

  test('a repeated creation of an app gives the same bytes, with the private key, and no other app', async () => {
    const [first, ...repeated] = [await create(), await create(), await create()];
    expectExecuted(first);
    for (const each of repeated) expectReplay(each, first);
    expect(await count('app')).toBe(1);
    expect(await projectTokenOf(api, tenant.token, await resultOf(first))).toContain('paw_app_');
  });

  test('a repeated sign-in gives the same project token, and the database has neither it nor the private key', async () => {
    const app = await resultOf(create('app'));
    const signIn = () => keyed(api.name, key).signIn(tenant.token, keyOf(app));
    const [first, second] = [await signIn(), await signIn()];
    expectReplay(second, first);
    const text = await textOf(gateway.database);
    expect(text).toContain(ulidOf(app.name));
    expect(text).not.toContain(key);
    for (const secret of [app.privateKey, (await resultOf(first)).accessToken].map(secretOf)) {
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
    }
  });

  test('a repeated update of a wallet does not undo a later one', async () => {
    const first = await update({ title: 'First', password: PASSWORD });
    await api.updateWallet(tenant.token, wallet, { title: 'Later' });
    expectReplay(await update({ title: 'First', password: PASSWORD }), first);
    expect(await titleOf(wallet)).toBe('Later');
  });

  test('a request that is refused or changes nothing is not kept, so that its key can be used again', async () => {
    expect((await update({}, tenant.token, MISSING_WALLET)).error?.reason).toBe('RESOURCE_NOT_FOUND');
    expect((await update({ title: '' })).error?.reason).toBe('INVALID_FIELD');
    for (let times = 0; times < 2; times += 1) expectExecuted(await update({}));
    expect(await count('idempotency_key')).toBe(0);
    expectExecuted(await update({ title: 'New' }));
    expect(await titleOf(wallet)).toBe('New');
  });

  test('requests without a key, or with other keys, are executed each time', async () => {
    for (let times = 0; times < 2; times += 1) expectExecuted(await api.createApp(tenant.token, APP));
    const longest = `${'!~'.repeat(127)}#`;
    // A text that only begins or ends with a quotation mark is a key as it is.
    const keys = ['a', 'A', longest, '"a', 'a"', '"a"b"'];
    for (const each of keys) expectExecuted(await create(each));
    expect([await count('app'), await count('idempotency_key')]).toEqual([2 + keys.length, keys.length]);
  });

  test.each([
    ['abc', '"abc"'],
    ['a"b\\c', '"a\\"b\\\\c"'],
    ['k'.repeat(255), `"${'k'.repeat(255)}"`],
  ])('the key %s is the same as the quoted string %s', async (plain, quoted) => {
    const first = await create(quoted);
    expectReplay(await create(plain), first);
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
    const status = api === rest ? 400 : 200;
    expect(failureOf(await create(value))).toEqual([status, 'INVALID_FIELD']);
    expect(await count('app')).toBe(0);
  });

  test('a key with another request is refused by 422, with the same token or another one', async () => {
    const first = await create();
    const other = { ...APP, title: 'Another' };
    for (const refused of [
      await keyed(api.name, key).createApp(tenant.token, other),
      await keyed(api.name, key).createApp(await restricted(), other),
      await update({ title: 'Another' }),
    ]) {
      expect(failureOf(refused)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'Wallet 1']);
    expectReplay(await create(), first);
  });

  test.each([
    [
      'that has signed in again',
      async () => {
        const app = await createApp(api, tenant.token);
        const signIn = () => projectTokenOf(api, tenant.token, app);
        return [await signIn(), await signIn()];
      },
    ],
    ['with another account token', async () => [tenant.token, await restricted()]],
  ])('a client %s is told by 409 that its request was applied', async (_, tokensOf) => {
    const [token, again] = await tokensOf();
    const first = await update({ title: 'Once' }, token);
    await api.updateWallet(tenant.token, wallet, { title: 'Later' });
    const sealed = await update({ title: 'Once' }, again);
    expect(failureOf(sealed)).toEqual([409, 'IDEMPOTENCY_RESPONSE_SEALED']);
    expect(sealed.response.headers.has('retry-after')).toBe(false);
    expect(await titleOf(wallet)).toBe('Later');
    expectReplay(await update({ title: 'Once' }, token), first);
  });

  test('the account tokens of each account, and each app, have keys of their own', async () => {
    const other = await seedTenant(gateway, { wallets: 1 });
    for (const each of [tenant, other]) {
      const { wallet: name } = each;
      const apps = [await projectToken(gateway, each), await projectToken(gateway, each)];
      for (const token of [each.token, ...apps]) {
        await setRow(gateway.database, name, { title: 'Old' });
        expectExecuted(await update({ title: 'New' }, token, name));
        expect(await titleOf(name)).toBe('New');
      }
    }
  });

  test('a request with a key that is in use is refused by 409, and repeatable when the first has ended', async () => {
    const { both } = await gateway.database.transaction(async (transaction) => {
      await lockRow(transaction, wallet);
      // One of the two waits for the lock, and the other is refused.
      const both = [update({ title: 'New' }), update({ title: 'New' })];
      const refused = await Promise.race(both);
      expect(failureOf(refused)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
      expect(refused.response.headers.get('retry-after')).toBe('1');
      expect(failureOf(await update({ title: 'Other' }))).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
      return { both };
    });
    const [applied = expect.unreachable(), ...others] = (await Promise.all(both)).filter(
      ({ value }) => value,
    );
    expect(others).toEqual([]);
    expectReplay(await update({ title: 'New' }), applied);
  });

  test('a key is free again after 24 hours', async () => {
    const token = await accountToken(gateway, tenant, {}, 10 * 86_400);
    const first = await create(key, token);
    gateway.clock.advance(DAY_MS - 1);
    expectReplay(await create(key, token), first);
    gateway.clock.advance(1);
    const later = await create(key, token);
    expectExecuted(later);
    expectReplay(await create(key, token), later);
    expect(await count('app')).toBe(2);
  });
});

/** Sends a request of REST with the key, as it is written. */
function sendText(method: string, path: string, body: string, headers = {}): Promise<Response> {
  return fetch(gateway.url + path, {
    method,
    body,
    headers: {
      authorization: `Bearer ${tenant.token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
      ...headers,
    },
  });
}

test('by REST, another spelling of a request is a repetition, and another If-Match is not', async () => {
  const path = `/wallet/${wallet}`;
  const etag = (await sendText('PATCH', path, '{}')).headers.get('etag') ?? '';
  const ifMatch = { 'if-match': etag };
  const body = '{"title":"New","description":""}';
  const first = await (await sendText('PATCH', path, body, ifMatch)).text();
  for (const [otherPath, otherBody] of [
    [path, '{ "description": "", "title": "New" }'],
    [path.replace('wallets/', 'wallets%2F'), body],
    [inLowerCase(path), body],
    [`${path}?`, body],
  ] as const) {
    const response = await sendText('PATCH', otherPath, otherBody, ifMatch);
    expect([response.status, response.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(await response.text()).toBe(first);
  }
  for (const headers of [{}, { 'if-match': '"other"' }]) {
    expect((await sendText('PATCH', path, body, headers)).status).toBe(422);
  }
});

test('the longest response of REST is kept', async () => {
  const changes = { title: randomText(200), description: randomText(2000) };
  const update = () => keyed('REST', key).updateWallet(tenant.token, wallet, changes);
  const first = await update();
  expectReplay(await update(), first);
});

describe('by GraphQL', () => {
  const ask = async (
    document: string,
    variables: object,
    from = { url: gateway.url, token: tenant.token },
  ) => {
    const headers = { 'idempotency-key': key };
    const response = await postGraphql(from.url, from.token, document, variables, headers);
    return { response, ...JSON.parse(response.text), replayed: isReplayed(response) };
  };

  test('several mutations are applied and repeated together, or none of them', async () => {
    const document = `mutation ($input: CreateAppInput!, $wallet: UpdateWalletInput!) {
      createApp(input: $input) { app { name privateKey } }
      updateWallet(input: $wallet) { wallet { name title } }
    }`;
    const both = (name: string) => ask(document, { input: APP, wallet: { name, title: 'New' } });
    const failed = await both(MISSING_WALLET);
    expect(failed.data).toBeNull();
    expect(failed.errors).toMatchObject([{ path: ['updateWallet'], extensions: { code: 'NOT_FOUND' } }]);
    expect([await count('app'), await count('idempotency_key')]).toEqual([0, 0]);
    const [first, second] = [await both(wallet), await both(wallet)];
    expect(first.errors).toBeUndefined();
    expect([second.response.text, second.replayed]).toEqual([first.response.text, true]);
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'New']);
  });

  test('a failed sign-in after another mutation needs no second connection of the pool', async () => {
    const settings = { PAW_POSTGRES_POOL: '1', DATABASE_URL: gateway.databaseUrl };
    const { url } = await testGateway(settings, gateway.clock);
    const { name } = await createApp(graphql, tenant.token);
    const document = `mutation ($app: CreateAppInput!, $signIn: SignInInput!) {
      createApp(input: $app) { app { name } }
      signIn(input: $signIn) { accessToken }
    }`;
    const variables = { app: APP, signIn: { name, privateKey: 'wrong' } };
    const { errors } = await ask(document, variables, { url, token: tenant.token });
    expect(errors[0].extensions.reason).toBe('INVALID_CREDENTIALS');
    expect(await count('app')).toBe(1);
  });

  test('each mutation can set a password, and no hash holds the locks of the transaction', async () => {
    const { wallets, token } = await seedTenant(gateway, { wallets: 3 });
    const [one = '', two = '', three = ''] = wallets;
    const from = { url: gateway.url, token };
    const others = ['a', 'b'].map((title) => ({ name: three, title }));
    const statuses: number[] = [];
    const { hash } = PasswordHasher.prototype;
    const spy = vi.spyOn(PasswordHasher.prototype, 'hash').mockImplementation(async function (
      this: PasswordHasher,
      ...parameters
    ) {
      // It would wait for the locks.
      const { query, variables } = updatesOf(others);
      const headers = { 'idempotency-key': randomUUID() };
      statuses.push((await postGraphql(from.url, token, query, variables, headers)).status);
      return hash.apply(this, parameters);
    });
    onTestFinished(() => spy.mockRestore());
    const { query, variables } = updatesOf([
      { name: one, title: 'New' },
      { name: one, password: PASSWORD },
      { name: two, password: PASSWORD },
      { name: two, password: PASSWORD.toUpperCase() },
      { name: three, password: PASSWORD },
    ]);
    const [first, repeated] = [await ask(query, variables, from), await ask(query, variables, from)];
    expect([first.errors, repeated.replayed, repeated.response.text]).toEqual([
      undefined,
      true,
      first.response.text,
    ]);
    expect(statuses).toEqual([200, 200, 200, 200]);
    const rows = await Promise.all(wallets.map((name) => rowOf(gateway.database, name)));
    const hashes = rows.map((row) => String(row['password_hash']));
    for (const each of hashes) expect(each).toMatch(/^\$argon2id\$/);
    // Equal passwords have different salts.
    expect(new Set(hashes).size).toBe(3);
    expect(await titleOf(one)).toBe('New');
  });

  test('a long response is kept, however many fields it has', async () => {
    const aliases = Array.from({ length: 400 }, (_, n) => `a${n}: description`).join(' ');
    const document = mutationDocument('updateWallet', `wallet { ${aliases} }`);
    const update = () => ask(document, { input: { name: wallet, description: 'd'.repeat(2000) } });
    const [first, second] = [await update(), await update()];
    expect(first.response.text.length).toBeGreaterThan(800_000);
    expect([second.response.text, second.replayed]).toEqual([first.response.text, true]);
  });

  test('a response that is too large to be kept is refused, and nothing is changed', async () => {
    const { token, wallets } = await seedTenant(gateway, { wallets: 4 });
    const [name = '', ...others] = wallets;
    const description = () => randomText(2000);
    for (const each of others) await rest.updateWallet(token, each, { description: description() });
    const fields = 'wallet { project { wallets { nodes { description } } } }';
    const input = { name, title: 'New', description: description() };
    const update = mutationDocument('updateWallet', fields);
    const { errors } = await ask(update, { input }, { url: gateway.url, token });
    expect(errors[0].extensions.reason).toBe('RESPONSE_TOO_LARGE');
    expect(await titleOf(name)).toBe('Wallet 1');
    await postGraphql(gateway.url, token, update, { input });
    expect(await titleOf(name)).toBe('New');
  });

  test('a query ignores the key, and introspection needs no token with one', async () => {
    key = 'not valid';
    const { response } = await ask('{ projects { totalCount } }', {});
    expect([response.status, response.text]).toEqual([200, '{"data":{"projects":{"totalCount":1}}}']);
    const headers = { 'idempotency-key': randomUUID() };
    const introspection = await postGraphql(gateway.url, undefined, '{ __typename }', {}, headers);
    expect(introspection.text).toBe('{"data":{"__typename":"Query"}}');
  });

  test('a mutation of introspection alone needs a valid token if it has a key', async () => {
    const document = 'mutation { __typename }';
    const headers = { 'idempotency-key': key };
    for (const token of [undefined, 'nonsense']) {
      const response = await postGraphql(gateway.url, token, document, {}, headers);
      expect(response.status).toBe(401);
      expect(response.headers.get('www-authenticate')).toMatch(/^Bearer/);
      expect(JSON.parse(response.text).errors[0].extensions.code).toBe('UNAUTHENTICATED');
    }
    expect((await ask(document, {})).data).toEqual({ __typename: 'Mutation' });
  });

  test('a fault while a failed sign-in is recorded is logged with its cause', async () => {
    const broken = await testGateway();
    const { token } = await seedTenant(broken);
    const api = keyed('GraphQL', key, broken.url);
    const { name } = await createApp(keyed('GraphQL', 'app', broken.url), token);
    await broken.database.write('ALTER TABLE audit_event RENAME action TO away');
    const outcome = await api.signIn(token, { name, privateKey: 'wrong' });
    expect(failureOf(outcome)).toEqual([500, 'INTERNAL']);
    expect(outcome.response.text).not.toContain('action');
    const reqId = outcome.response.headers.get('x-request-id');
    const lines = logLines(broken.log()).filter((line) => line.reqId === reqId && line.level >= 40);
    expect(lines[0].err.message).toContain('action');
    expect(lines[1]).toMatchObject({ status: 500, reason: 'INTERNAL' });
  });
});

test('a request without a token is refused before its key is looked at', async () => {
  const headers = { 'idempotency-key': '' };
  expect((await send(`${gateway.url}/auth/apps`, 'POST', undefined, APP, headers)).status).toBe(401);
});

test('200 concurrent requests with 20 keys through two instances create 20 apps', async () => {
  const other = await testGateway({ DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  const responses = new Map<string, Set<string>>();

  /** Repeats a request until its response is 200. Any other one has to say that the request was not executed. */
  async function repeat(n: number): Promise<void> {
    const [{ name }, { url }] = [n % 2 === 0 ? rest : graphql, n % 3 === 0 ? gateway : other];
    const value = `${name}-${Math.floor(n / 2) % 10}`;
    for (;;) {
      const { response, error } = await keyed(name, value, url).createApp(tenant.token, APP);
      if (response.status === 200) {
        responses.set(value, (responses.get(value) ?? new Set()).add(response.text));
        return;
      }
      expect(['IDEMPOTENCY_KEY_IN_USE', 'UNAVAILABLE']).toContain(error?.reason);
    }
  }

  await Promise.all(Array.from({ length: 200 }, (_, n) => repeat(n)));
  expect([...responses.values()].map(({ size }) => size)).toEqual(new Array(20).fill(1));
  expect(await count('app')).toBe(20);
});
