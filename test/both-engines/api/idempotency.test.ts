import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import {
  createAppIn,
  keyOf,
  MISSING_WALLET,
  PASSWORD,
  projectToken,
  projectTokenOf,
  secretOf,
  ulidOf,
} from '../../support/actors.ts';
import { bothApis, type HttpResponse, postGraphql, send } from '../../support/apis.ts';
import { textOf } from '../../support/engine.ts';
import { type Gateway, makeDatabase, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { startServerProcess } from '../../support/paw.ts';

const DAY_MS = 86_400_000;

let gateway: Gateway;
let tenant: Tenant;
let wallet: string;
let key: string;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

beforeEach(async () => {
  tenant = await seedTenant(gateway, { projects: 2, wallets: 1 });
  wallet = tenant.wallets[0] ?? '';
  key = randomUUID();
});

type Headers = Readonly<Record<string, string>>;

/** Requests that change something, by one of the two APIs. */
type Api = {
  readonly name: string;
  createApp(url: string, token: string, title: string, headers: Headers): Promise<HttpResponse>;
  signIn(url: string, token: string, app: object, headers: Headers): Promise<HttpResponse>;
  updateWallet(
    url: string,
    token: string,
    name: string,
    changes: object,
    headers: Headers,
  ): Promise<HttpResponse>;
  /** The status and the reason of the error in a response. */
  errorOf(response: HttpResponse): readonly [status: number, reason: string];
};

const REST: Api = {
  name: 'REST',
  createApp: (url, token, title, headers) =>
    send(`${url}/auth/apps`, 'POST', token, { title, active: true }, headers),
  signIn: (url, token, privateKey, headers) =>
    send(`${url}/auth/accounts:signinIdentity`, 'POST', token, { privateKey }, headers),
  updateWallet: (url, token, name, changes, headers) =>
    send(`${url}/wallet/${name}`, 'PATCH', token, changes, headers),
  errorOf: ({ status, text }) => [status, JSON.parse(text).error.details[0].reason],
};

const GRAPHQL: Api = {
  name: 'GraphQL',
  createApp: (url, token, title, headers) =>
    mutate(
      url,
      token,
      'createApp',
      { title, active: true },
      'app { name privateKey project { name } }',
      headers,
    ),
  signIn: (url, token, app, headers) => mutate(url, token, 'signIn', app, 'accessToken expireTime', headers),
  updateWallet: (url, token, name, changes, headers) =>
    mutate(url, token, 'updateWallet', { name, ...changes }, 'wallet { title updateTime }', headers),
  errorOf: ({ status, text }) => [status, JSON.parse(text).errors[0].extensions.reason],
};

function mutate(url: string, token: string, field: string, input: object, fields: string, headers: Headers) {
  const type = `${field.charAt(0).toUpperCase()}${field.slice(1)}Input!`;
  const query = `mutation ($input: ${type}) { ${field}(input: $input) { ${fields} } }`;
  return postGraphql(url, token, query, { input }, headers);
}

const keyed = (value = key): Headers => ({ 'idempotency-key': value });

const isReplayed = ({ headers }: HttpResponse) => headers.get('idempotency-replayed') === 'true';

/** The app in the response to its creation. */
function appOf({ text }: HttpResponse): { name: string; privateKey: string } {
  const body = JSON.parse(text);
  return body.data?.createApp.app ?? body;
}

async function count(table: 'app' | 'token' | 'idempotency_key', account = tenant.account): Promise<number> {
  const [row] = await gateway.database.read<{ count: number }>(
    `SELECT COUNT(*) AS count FROM ${table} WHERE account_id = $1`,
    [ulidOf(account)],
  );
  return row?.count ?? Number.NaN;
}

async function titleOf(name: string): Promise<unknown> {
  const [row] = await gateway.database.read('SELECT title FROM wallet WHERE id = $1', [ulidOf(name)]);
  return row?.['title'];
}

describe.each([REST, GRAPHQL])('by $name', (api) => {
  const createApp = (headers: Headers, title = 'App', token = tenant.token) =>
    api.createApp(gateway.url, token, title, headers);
  const updateWallet = (changes: object, headers: Headers, name = wallet) =>
    api.updateWallet(gateway.url, tenant.token, name, changes, headers);

  test('a repeated creation of an app gives the same bytes, with the private key, and no other app', async () => {
    const responses = [await createApp(keyed()), await createApp(keyed()), await createApp(keyed())];
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(responses.map(isReplayed)).toEqual([false, true, true]);
    expect(new Set(responses.map(({ text }) => text)).size).toBe(1);
    const [type, ...types] = responses.map(({ headers }) => headers.get('content-type'));
    expect(types).toEqual([type, type]);
    expect(await count('app')).toBe(1);
    const app = appOf(responses[2] ?? expect.unreachable());
    const signedIn = await api.signIn(
      gateway.url,
      tenant.token,
      { name: app.name, privateKey: app.privateKey },
      {},
    );
    expect(signedIn.text).toContain('paw_app_');
  });

  test('a repeated sign-in gives the same project token', async () => {
    const { name, privateKey } = appOf(await createApp({}));
    const request = () => api.signIn(gateway.url, tenant.token, { name, privateKey }, keyed());
    const [first, second] = [await request(), await request()];
    expect(first.text).toContain('paw_app_');
    expect([second.text, isReplayed(second)]).toEqual([first.text, true]);
  });

  test('a repeated update of a wallet does not undo a later one', async () => {
    const first = await updateWallet({ title: 'First', password: PASSWORD }, keyed());
    await updateWallet({ title: 'Later' }, {});
    const repeated = await updateWallet({ title: 'First', password: PASSWORD }, keyed());
    expect([repeated.text, isReplayed(repeated)]).toEqual([first.text, true]);
    expect(await titleOf(wallet)).toBe('Later');
  });

  test('the response to a request that changes nothing is not kept', async () => {
    const [first, second] = [await updateWallet({}, keyed()), await updateWallet({}, keyed())];
    expect([first.status, second.text, isReplayed(second)]).toEqual([200, first.text, false]);
    expect(await count('idempotency_key')).toBe(0);
    expect((await updateWallet({ title: 'New' }, keyed())).status).toBe(200);
    expect(await titleOf(wallet)).toBe('New');
  });

  test('requests without a key, or with other keys, are executed each time, and keep nothing without one', async () => {
    for (const headers of [{}, {}, keyed('a'), keyed('b'), keyed('A')]) await createApp(headers);
    expect([await count('app'), await count('idempotency_key')]).toEqual([5, 3]);
  });

  test('a key with another request is refused by 422, with the same token or another one', async () => {
    const { accessToken } = await createAccountToken(gateway.admin, tenant, 3600);
    await createApp(keyed());
    for (const other of [
      await createApp(keyed(), 'Another'),
      await updateWallet({ title: 'Another' }, keyed()),
      await createApp(keyed(), 'Another', accessToken),
    ]) {
      expect(api.errorOf(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'Wallet 1']);
    expect(isReplayed(await createApp(keyed()))).toBe(true);
  });

  test('a client that has signed in again is told by 409 that its request was applied', async () => {
    const [project, again] = [await projectToken(gateway, tenant), await projectToken(gateway, tenant)];
    const update = (token: string) =>
      api.updateWallet(gateway.url, token, wallet, { title: 'Once' }, keyed());
    expect((await update(project)).status).toBe(200);
    await updateWallet({ title: 'Later' }, {});
    const sealed = await update(again);
    expect(api.errorOf(sealed)).toEqual([409, 'IDEMPOTENCY_RESPONSE_SEALED']);
    expect(sealed.headers.has('retry-after')).toBe(false);
    expect(await titleOf(wallet)).toBe('Later');
    expect(isReplayed(await update(project))).toBe(true);
  });

  test('what is kept for a project and for an account is bounded, until the oldest expires', async () => {
    const settings = {
      PAW_IDEMPOTENCY_BYTES: '3000',
      PAW_TOKEN_TTL: '72h',
      DATABASE_URL: gateway.databaseUrl,
    };
    const limited = await startGateway(settings, gateway.clock);
    onTestFinished(limited.stop);
    const owner = await seedTenant(limited, { projects: 5 });
    const { accessToken } = await createAccountToken(limited.admin, owner, 10 * 86_400);
    /** Signs an app of a project in with its own token and new keys, until a request is refused. */
    const fill = async (project: string | undefined) => {
      const app = keyOf(await createAppIn(limited, bothApis(() => limited.url)[0], owner, project));
      const token = await projectTokenOf(bothApis(() => limited.url)[0], accessToken, app);
      const signIn = (headers: Headers) => api.signIn(limited.url, token, app, headers);
      for (let n = 1; n <= 10; n += 1) {
        const response = await signIn(keyed(`${n}`));
        if (!response.text.includes('paw_app_')) return { response, signIn };
        limited.clock.advance(60_000);
      }
      return expect.unreachable('No request was refused.');
    };
    const createApp = (value: string) => api.createApp(limited.url, accessToken, 'App', keyed(value));

    const { response, signIn } = await fill(owner.projects[1]);
    expect(api.errorOf(response)).toEqual([429, 'TOO_MANY_IDEMPOTENCY_KEYS']);
    const kept = await count('idempotency_key', owner.account);
    expect(response.headers.get('retry-after')).toBe(`${86_400 - 60 * kept}`);
    expect(isReplayed(await signIn(keyed('1')))).toBe(true);
    expect((await signIn({})).text).toContain('paw_app_');
    expect((await createApp('account')).status).toBe(200);

    for (const project of owner.projects.slice(2)) await fill(project);
    const refused = await createApp('refused');
    expect(api.errorOf(refused)).toEqual([429, 'TOO_MANY_IDEMPOTENCY_KEYS']);
    limited.clock.advance(1000 * Number(refused.headers.get('retry-after')) - 1);
    expect(api.errorOf(await createApp('refused'))[1]).toBe('TOO_MANY_IDEMPOTENCY_KEYS');
    limited.clock.advance(1);
    expect((await createApp('refused')).status).toBe(200);
  });

  test('two principals can use the same key', async () => {
    const project = await projectToken(gateway, tenant);
    const other = await seedTenant(gateway, { wallets: 1 });
    const requests = [
      [tenant.token, wallet],
      [project, wallet],
      [other.token, other.wallets[0] ?? ''],
    ] as const;
    for (const [token, name] of requests) {
      const response = await api.updateWallet(
        gateway.url,
        token,
        name,
        { title: token.slice(0, 60) },
        keyed(),
      );
      expect([response.status, isReplayed(response)]).toEqual([200, false]);
      expect(await titleOf(name)).toBe(token.slice(0, 60));
    }
  });

  test('a request with a key that is in use is refused by 409, and repeatable when the first has ended', async () => {
    const held = Promise.withResolvers<void>();
    const locked = Promise.withResolvers<void>();
    const holder = gateway.database.transaction(async (transaction) => {
      await transaction.write('UPDATE wallet SET title = title WHERE id = $1', [ulidOf(wallet)]);
      locked.resolve();
      await held.promise;
    });
    await locked.promise;
    const first = updateWallet({ title: 'New' }, keyed());
    // One of the two waits for the lock, and the other is refused.
    const second = updateWallet({ title: 'New' }, keyed());
    const refused = await Promise.race([first, second]);
    expect(api.errorOf(refused)).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE']);
    expect(refused.headers.get('retry-after')).toBe('1');
    held.resolve();
    await holder;
    const responses = (await Promise.all([first, second])).filter(({ status }) => status === 200);
    expect(responses).toHaveLength(1);
    const repeated = await updateWallet({ title: 'New' }, keyed());
    expect([repeated.text, isReplayed(repeated)]).toEqual([responses[0]?.text, true]);
  });

  test('a refused request is not kept', async () => {
    const missing = await updateWallet({ title: 'New' }, keyed(), MISSING_WALLET);
    expect(api.errorOf(missing)[1]).toBe('RESOURCE_NOT_FOUND');
    for (const title of ['', 5]) {
      expect(api.errorOf(await updateWallet({ title }, keyed()))[1]).toBe('INVALID_FIELD');
    }
    expect(await count('idempotency_key')).toBe(0);
    const update = await updateWallet({ title: 'New' }, keyed());
    expect([update.status, isReplayed(update), await titleOf(wallet)]).toEqual([200, false, 'New']);
  });

  test.each([
    ['empty', ''],
    ['of 256 characters', 'k'.repeat(256)],
    ['with a space', 'a b'],
    ['with a character that is not ASCII', 'é'],
  ])('a key that is %s is refused, and nothing is changed', async (_, value) => {
    // Like other input that does not fit, by GraphQL over HTTP.
    const status = api.name === 'REST' ? 400 : 200;
    expect(api.errorOf(await createApp(keyed(value)))).toEqual([status, 'INVALID_FIELD']);
    expect(await count('app')).toBe(0);
  });

  test('a key of 255 visible characters is valid', async () => {
    const long = `${'!~'.repeat(127)}#`;
    const [first, second] = [await createApp(keyed(long)), await createApp(keyed(long))];
    expect([first.status, second.text]).toEqual([200, first.text]);
  });

  test('a key is free again after 24 hours', async () => {
    const first = await createApp(keyed());
    gateway.clock.advance(DAY_MS - 1);
    const { accessToken } = await createAccountToken(gateway.admin, tenant, 10 * 86_400);
    // The token of the tenant lives for a day.
    expect(isReplayed(await createApp(keyed()))).toBe(true);
    gateway.clock.advance(1);
    const later = await createApp(keyed(), 'App', accessToken);
    expect([later.status, isReplayed(later)]).toEqual([200, false]);
    expect(later.text).not.toBe(first.text);
    const repeated = await createApp(keyed(), 'App', accessToken);
    expect([repeated.text, isReplayed(repeated)]).toEqual([later.text, true]);
  });

  test('the database does not contain the private key or the project token of a response', async () => {
    const created = await createApp(keyed());
    const { name, privateKey } = appOf(created);
    const signedIn = await api.signIn(gateway.url, tenant.token, { name, privateKey }, keyed('sign-in'));
    const [accessToken = ''] = /paw_app_\w+/.exec(signedIn.text) ?? [];
    const text = await textOf(gateway.database);
    expect(text).toContain(ulidOf(name));
    for (const secret of [privateKey, accessToken].map(secretOf)) {
      expect(secret).toMatch(/^[0-9a-f]{64}$/);
      expect(text).not.toContain(secret);
      expect(text).not.toContain(Buffer.from(secret).toString('base64').slice(0, 40));
    }
    expect(text).not.toContain(key);
  });
});

describe('by GraphQL', () => {
  const document = `mutation ($input: CreateAppInput!, $wallet: UpdateWalletInput!) {
    createApp(input: $input) { app { name privateKey } }
    updateWallet(input: $wallet) { wallet { name title } }
  }`;
  const both = (name: string, headers = keyed()) => {
    const variables = { input: { title: 'App', active: true }, wallet: { name, title: 'New' } };
    return postGraphql(gateway.url, tenant.token, document, variables, headers);
  };

  test('the response to an update of an app without a change is not kept', async () => {
    const { name } = appOf(await GRAPHQL.createApp(gateway.url, tenant.token, 'App', {}));
    const update = () =>
      mutate(gateway.url, tenant.token, 'updateApp', { name }, 'app { name title }', keyed());
    const [first, second] = [await update(), await update()];
    expect(JSON.parse(first.text).data.updateApp.app).toEqual({ name, title: 'App' });
    expect([second.text, isReplayed(second)]).toEqual([first.text, false]);
    expect(await count('idempotency_key')).toBe(0);
  });

  test('several mutations are repeated together', async () => {
    const [first, second] = [await both(wallet), await both(wallet)];
    expect(JSON.parse(first.text).errors).toBeUndefined();
    expect([second.text, isReplayed(second)]).toEqual([first.text, true]);
    expect([await count('app'), await titleOf(wallet)]).toEqual([1, 'New']);
  });

  test('of several mutations with a key none is applied if one fails', async () => {
    const failed = JSON.parse((await both(MISSING_WALLET)).text);
    expect(failed.data).toBeNull();
    expect(failed.errors).toMatchObject([{ path: ['updateWallet'], extensions: { code: 'NOT_FOUND' } }]);
    expect([await count('app'), await count('idempotency_key')]).toEqual([0, 0]);
    expect(JSON.parse((await both(wallet)).text).errors).toBeUndefined();
    expect(await count('app')).toBe(1);
  });

  test('a failed sign-in after another mutation needs no second connection of the pool', async () => {
    const app = appOf(await GRAPHQL.createApp(gateway.url, tenant.token, 'App', {}));
    const settings = { PAW_POSTGRES_POOL: '1', PAW_POSTGRES_TIMEOUT: '2s' };
    const other = await startGateway({ ...settings, DATABASE_URL: gateway.databaseUrl }, gateway.clock);
    onTestFinished(other.stop);
    const query = `mutation ($app: CreateAppInput!, $signIn: SignInInput!) {
      createApp(input: $app) { app { name } }
      signIn(input: $signIn) { accessToken }
    }`;
    const variables = {
      app: { title: 'Other', active: true },
      signIn: { name: app.name, privateKey: 'wrong' },
    };
    const response = await postGraphql(other.url, tenant.token, query, variables, keyed());
    expect(GRAPHQL.errorOf(response)).toEqual([200, 'INVALID_CREDENTIALS']);
    expect(await count('app')).toBe(1);
  });

  test('only the first mutation can set a password, so that the hash holds no lock', async () => {
    const wallets = `mutation ($first: UpdateWalletInput!, $second: UpdateWalletInput!) {
      first: updateWallet(input: $first) { wallet { title } }
      second: updateWallet(input: $second) { wallet { title } }
    }`;
    const send = (first: object, second: object) =>
      postGraphql(
        gateway.url,
        tenant.token,
        wallets,
        { first: { name: wallet, ...first }, second: { name: wallet, ...second } },
        keyed(),
      );
    const refused = JSON.parse((await send({ title: 'New' }, { password: PASSWORD })).text);
    expect(refused.data).toBeNull();
    expect(refused.errors).toMatchObject([
      { path: ['second'], extensions: { fieldViolations: [{ field: 'password' }] } },
    ]);
    expect(await titleOf(wallet)).not.toBe('New');
    expect(JSON.parse((await send({ password: PASSWORD }, { title: 'New' })).text).errors).toBeUndefined();
    expect(await titleOf(wallet)).toBe('New');
  });

  test('introspection needs no token with a key either', async () => {
    const { text } = await postGraphql(gateway.url, undefined, '{ __typename }', {}, keyed());
    expect(JSON.parse(text)).toEqual({ data: { __typename: 'Query' } });
  });

  test('a query ignores the key', async () => {
    const query = '{ projects { totalCount } }';
    for (let times = 1; times <= 3; times += 1) {
      const response = await postGraphql(gateway.url, tenant.token, query, {}, keyed('not valid'));
      expect([response.status, isReplayed(response)]).toEqual([200, false]);
      expect(JSON.parse(response.text).errors).toBeUndefined();
    }
  });

  test('a response that is too large to keep is refused, and nothing is changed', async () => {
    const aliases = Array.from({ length: 400 }, (_, n) => `a${n}: description`).join(' ');
    const query = `mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { ${aliases} } } }`;
    const input = { name: wallet, description: 'd'.repeat(2000) };
    const send = (headers: Headers) => postGraphql(gateway.url, tenant.token, query, { input }, headers);
    expect(GRAPHQL.errorOf(await send(keyed()))).toEqual([400, 'RESPONSE_TOO_LARGE']);
    const { data } = JSON.parse(
      (
        await mutate(
          gateway.url,
          tenant.token,
          'updateWallet',
          { name: wallet },
          'wallet { description }',
          {},
        )
      ).text,
    );
    expect(data.updateWallet.wallet.description).toBe('No. 1');
    expect((await send({})).status).toBe(200);
  });
});

describe.each([REST, GRAPHQL])('by $name', (api) => {
  test('a fault while a failed sign-in is recorded is logged with its cause', async () => {
    const broken = await startGateway();
    onTestFinished(broken.stop);
    const owner = await seedTenant(broken);
    const app = appOf(await api.createApp(broken.url, owner.token, 'App', {}));
    await broken.database.write('ALTER TABLE audit_event RENAME TO missing');
    const signIn = { name: app.name, privateKey: 'wrong' };
    const response = await api.signIn(broken.url, owner.token, signIn, keyed());
    expect(api.errorOf(response)).toEqual([500, 'INTERNAL']);
    expect(response.text).not.toContain('audit_event');
    const lines = broken
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const reqId = response.headers.get('x-request-id');
    const [fault, request] = lines.filter((line) => line.reqId === reqId && line.level >= 40);
    expect(fault.err.message).toContain('audit_event');
    expect(request).toMatchObject({ status: 500, reason: 'INTERNAL' });
  });
});

test('a request without a token is refused before its key is looked at', async () => {
  const response = await send(
    `${gateway.url}/auth/apps`,
    'POST',
    undefined,
    { title: 'App', active: true },
    keyed(''),
  );
  expect(response.status).toBe(401);
  const mutation = 'mutation { createApp(input: { title: "App", active: true }) { app { name } } }';
  expect((await postGraphql(gateway.url, undefined, mutation, {}, keyed())).status).toBe(401);
});

test('1,000 concurrent requests with 100 keys through two instances create 100 apps', async () => {
  const other = await startGateway({ DATABASE_URL: gateway.databaseUrl }, gateway.clock);
  onTestFinished(other.stop);
  const urls = [gateway.url, other.url];
  const responses = new Map<string, Set<string>>();

  /** Repeats a request until it is answered. Another response than 200 has to be 409 or 503. */
  async function createApp(n: number): Promise<void> {
    const [api, url] = [n % 2 === 0 ? REST : GRAPHQL, urls[n % 3 === 0 ? 0 : 1] ?? ''];
    const name = `${api.name} ${Math.floor(n / 2) % 50}`.replace(' ', '-');
    for (let times = 0; times < 200; times += 1) {
      const response = await api.createApp(url, tenant.token, 'App', keyed(name));
      const body = JSON.parse(response.text);
      if (response.status === 200 && body.errors === undefined) {
        responses.set(name, (responses.get(name) ?? new Set()).add(response.text));
        return;
      }
      expect(['IDEMPOTENCY_KEY_IN_USE', 'UNAVAILABLE']).toContain(api.errorOf(response)[1]);
    }
    expect.unreachable('It was never answered.');
  }

  await Promise.all(Array.from({ length: 1000 }, (_, n) => createApp(n)));
  expect(responses.size).toBe(100);
  for (const texts of responses.values()) expect(texts.size).toBe(1);
  expect(await count('app')).toBe(100);
});

test('a kill leaves an app and its response, or neither', async () => {
  const { url: databaseUrl, remove } = await makeDatabase();
  onTestFinished(remove);
  const before = await startGateway({ DATABASE_URL: databaseUrl });
  onTestFinished(before.stop);
  const { token, account } = await seedTenant(before);
  const killed = await startServerProcess({ DATABASE_URL: databaseUrl });
  const keys = Array.from({ length: 60 }, (_, n) => `key-${n}`);
  const acknowledged = new Map<string, string>();
  /** Creates the apps of every sixth key, one after the other, until the server is gone. */
  async function createApps(first: number): Promise<void> {
    const api = first % 2 === 0 ? REST : GRAPHQL;
    for (const name of keys.filter((_, n) => n % 6 === first)) {
      const { status, text } = await api.createApp(killed.url, token, 'App', keyed(name));
      expect(status).toBe(200);
      acknowledged.set(name, text);
      // The requests of the other clients are at every stage.
      if (acknowledged.size === 20) process.kill(killed.pid, 'SIGKILL');
    }
  }
  await Promise.allSettled([0, 1, 2, 3, 4, 5].map(createApps));
  expect(acknowledged.size).toBeLessThan(60);
  await killed.ended;
  for (const [n, name] of keys.entries()) {
    const api = n % 2 === 0 ? REST : GRAPHQL;
    const { status, text } = await api.createApp(before.url, token, 'App', keyed(name));
    expect(status).toBe(200);
    if (acknowledged.has(name)) expect(text).toBe(acknowledged.get(name));
  }
  const rows = await before.database.read('SELECT id FROM app WHERE account_id = $1', [ulidOf(account)]);
  expect(rows).toHaveLength(60);
});

test('a mutation of introspection alone needs a valid token if it has a key', async () => {
  const ask = (token: string | undefined) =>
    postGraphql(gateway.url, token, 'mutation { __typename }', {}, keyed(key));
  for (const token of [undefined, 'nonsense']) {
    const { status, headers, text } = await ask(token);
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).toMatch(/^Bearer/);
    expect(JSON.parse(text).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  }
  const { status, text } = await ask(tenant.token);
  expect([status, text]).toEqual([200, '{"data":{"__typename":"Mutation"}}']);
  expect(gateway.log()).not.toContain('INTERNAL');
});
