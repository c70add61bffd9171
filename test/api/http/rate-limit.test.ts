import { describe, expect, onTestFinished, test, vi } from 'vitest';
import {
  type Api,
  bothApis,
  graphqlApi,
  type HttpResponse,
  postGraphql,
  restApi,
  send,
} from '../../support/both-apis.ts';
import { freePort } from '../../support/free-port.ts';
import { seedTenant, startGateway, testGateway, useGateway } from '../../support/gateway.ts';
import { readMetric } from '../../support/metrics.ts';
import {
  accountToken,
  authorize,
  createApp,
  getProjects,
  ulidOf,
  withOtherSecret,
} from '../../support/requests.ts';
import { rowsOf } from '../../support/rows.ts';
import { logLines } from '../../support/run-command.ts';

const QUOTA = 4;

const gateway = useGateway({
  PAW_RATE_LIMIT_CREDENTIAL: String(QUOTA),
  PAW_RATE_LIMIT_ADDRESS: String(QUOTA),
  PAW_TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
});

/** Lists projects as a client that a proxy has forwarded. */
const list = (api: Api, token: string | undefined, forwardedFor: string) =>
  getProjects(api, gateway.url, token, { 'x-forwarded-for': forwardedFor });

let addresses = 0;

/** Returns an address that no other test uses. */
function newAddress(): string {
  addresses += 1;
  return `192.0.2.${addresses}`;
}

async function exhaust(api: Api, token: string | undefined, address: string): Promise<void> {
  for (let count = 0; count < QUOTA; count += 1) await list(api, token, address);
}

function expectRateLimited({ name }: Api, { status, headers, text }: HttpResponse, limit: string): void {
  expect(status).toBe(429);
  expect(headers.get('retry-after')).toMatch(/^([1-9]|[1-5]\d|60)$/);
  expect(headers.get('ratelimit-policy')).toBe(`"${limit}";q=${QUOTA};w=60`);
  expect(headers.get('ratelimit')).toBe(`"${limit}";r=0;t=${headers.get('retry-after')}`);
  const { error, errors } = JSON.parse(text);
  if (name === 'REST') expect(error.details[0].reason).toBe('TOO_MANY_REQUESTS');
  else {
    const retryAfterSeconds = Number(headers.get('retry-after'));
    expect(errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds });
  }
}

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('a credential has its own limit, whatever addresses its requests come from', async () => {
    const [{ token }, other] = [await seedTenant(gateway), await seedTenant(gateway)];
    const address = newAddress();
    for (let remaining = QUOTA - 1; remaining >= 0; remaining -= 1) {
      const { status, headers } = await list(api, token, newAddress());
      expect(status).toBe(200);
      expect(headers.get('ratelimit-policy')).toBe(`"credential";q=${QUOTA};w=60`);
      expect(headers.get('ratelimit')).toMatch(new RegExp(`^"credential";r=${remaining};t=\\d+$`));
    }
    expectRateLimited(api, await list(api, token, address), 'credential');
    expect((await list(api, other.token, address)).status).toBe(200);
    expect((await list(api, undefined, address)).status).toBe(401);
  });

  test('an account has its own limit for all its tokens, and another account is not limited', async () => {
    const limits = { PAW_RATE_LIMIT_CREDENTIAL: '3', PAW_RATE_LIMIT_ACCOUNT: String(QUOTA) };
    const limited = await testGateway(limits);
    const ofLimited = bothApis(() => limited.url).find(({ name }) => name === api.name) ?? api;
    const { account, token } = await seedTenant(limited);
    const accessToken = await accountToken(limited, { account });
    const { token: other } = await seedTenant(limited);
    const list = async (sent: string) => (await ofLimited.listProjects(sent)).response;
    for (const sent of [token, token, accessToken, accessToken]) expect((await list(sent)).status).toBe(200);
    for (const sent of [token, accessToken]) expectRateLimited(api, await list(sent), 'account');
    expect((await list(other)).status).toBe(200);
    // A request over the limit of its token does not count for the account.
    for (let count = 0; count < QUOTA; count += 1) await list(other);
    expect((await list(other)).headers.get('ratelimit')).toMatch(/^"credential";r=0;/);
  });

  test('the window of a limit ends after a minute, also if the clock goes back', async () => {
    const { token } = await seedTenant(gateway);
    onTestFinished(() => void vi.restoreAllMocks());
    const [yesterday, start] = [Date.now() - 86_400_000, performance.now()];
    const monotonic = vi.spyOn(performance, 'now').mockReturnValue(start);
    // The window begins with the first request.
    await exhaust(api, token, newAddress());
    vi.spyOn(Date, 'now').mockReturnValue(yesterday);
    monotonic.mockReturnValue(start + 59_000);
    expect((await list(api, token, newAddress())).status).toBe(429);
    monotonic.mockReturnValue(start + 60_001);
    expect((await list(api, token, newAddress())).status).toBe(200);
  });

  test('requests without a valid token are limited by address, and those with one are not', async () => {
    const { token } = await seedTenant(gateway);
    const address = newAddress();
    for (const bad of [undefined, 'nonsense', withOtherSecret(token), undefined]) {
      expect((await list(api, bad, address)).status).toBe(401);
    }
    for (const bad of [undefined, 'nonsense', withOtherSecret(token)]) {
      expectRateLimited(api, await list(api, bad, address), 'address');
    }
    expect((await list(api, undefined, newAddress())).status).toBe(401);
    const { status, headers } = await list(api, token, address);
    expect(status).toBe(200);
    expect(headers.get('ratelimit')).toContain(`"credential";r=${QUOTA - 1};`);
  });
});

describe('the client in X-Forwarded-For', () => {
  const [, rest] = bothApis(() => gateway.url);
  const network = '2001:db8:1:2';

  test.each([
    ['may have a port, also behind a proxy', '203.0.113.1:5678, 10.1.2.3:80', '203.0.113.1', 429],
    ['shares a limit with its IPv6 network', `[${network}::1]:5678`, `${network}::2`, 429],
    ['is unknown if it has more than 60 characters', '203.0.113.2', `203.0.113.2:${'0'.repeat(60)}`, 401],
    ['is the last one that is no trusted proxy', '203.0.113.3, 203.0.113.4, 10.1.2.3', '203.0.113.4', 429],
    ['is not one that it has forged', '203.0.113.5, 203.0.113.6', '203.0.113.5', 401],
  ])('%s', async (_, exhausted, client, status) => {
    await exhaust(rest, undefined, exhausted);
    expect((await list(rest, undefined, client)).status).toBe(status);
  });
});

describe('an OAuth request', () => {
  async function post(path: 'token' | 'revoke', form: Readonly<Record<string, string>>, address: string) {
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...form });
    const headers = { 'x-forwarded-for': address };
    const response = await fetch(`${gateway.url}/oauth/${path}`, { method: 'POST', headers, body });
    const [limit] = response.headers.get('ratelimit')?.split(';t=') ?? [];
    return { status: response.status, limit, body: JSON.parse(await response.text()) };
  }

  /** Creates an app, and returns its credentials. */
  async function newApp() {
    const { token } = await seedTenant(gateway);
    const { name, privateKey } = await createApp(rest, token);
    return { client_id: name, client_secret: privateKey };
  }

  const rest = restApi(() => gateway.url);

  const countFailures = async (app: string) =>
    (await rowsOf(gateway.database, 'audit_event')).find(
      ({ action, resource }) => action === 'sign_in.fail' && resource === app,
    )?.['event_count'];

  test('that succeeds counts for its app, and not for the address that others share', async () => {
    const [apps, address] = [[await newApp(), await newApp()], newAddress()];
    for (const app of apps) {
      for (let remaining = QUOTA - 1; remaining > 0; remaining -= 1) {
        const { status, limit, body } = await post('token', app, address);
        expect([status, limit]).toEqual([200, `"credential";r=${remaining}`]);
        if (remaining > 1) continue;
        const revoked = await post('revoke', { ...app, token: body.access_token }, address);
        expect([revoked.status, revoked.limit]).toEqual([200, '"credential";r=0']);
      }
      const { status, limit, body } = await post('token', app, newAddress());
      expect([status, limit, body.error]).toEqual([429, '"credential";r=0', 'temporarily_unavailable']);
    }
    expect((await post('token', {}, address)).limit).toBe(`"address";r=${QUOTA - 1}`);
  });

  test('that is refused counts for its address, without an event beyond the limit, and the right ones go on', async () => {
    const [app, address] = [await newApp(), newAddress()];
    const wrong = { ...app, client_secret: withOtherSecret(app.client_secret) };
    const { body } = await post('token', app, newAddress());
    const refused = [
      () => post('token', wrong, address),
      () => post('token', { grant_type: 'password' }, address),
      () => post('revoke', { ...wrong, token: body.access_token }, address),
      () => post('revoke', { token: 'unknown' }, address),
    ];
    for (const [count, expected] of [401, 400, 401, 200].entries()) {
      const { status, limit } = (await refused[count]?.()) ?? {};
      expect([status, limit]).toEqual([expected, `"address";r=${QUOTA - 1 - count}`]);
    }
    const failures = await countFailures(app.client_id);
    for (const request of refused) {
      const { status, limit } = await request();
      expect([status, limit]).toEqual([429, '"address";r=0']);
    }
    expect(await countFailures(app.client_id)).toEqual(failures);
    expect((await post('token', app, address)).status).toBe(200);
    expect((await post('revoke', { ...app, token: body.access_token }, address)).status).toBe(200);
  });

  test('counts for the account of its app', async () => {
    const limited = await testGateway({ PAW_RATE_LIMIT_ACCOUNT: '2' });
    const { token } = await seedTenant(limited);
    const api = restApi(() => limited.url);
    const app = await createApp(api, token);
    const grant = () => authorize(limited, app);
    expect((await grant()).status).toBe(200);
    const refused = await grant();
    expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"account";q=2;w=60']);
  });
});

test('every response except those of health checks has the fields, and counts', async () => {
  const { token } = await seedTenant(gateway);
  const headers = { 'x-forwarded-for': newAddress() };
  const requests = [
    ['GET', '/nothing', 404],
    ['PUT', '/project/projects', 405],
    ['OPTIONS', '/project/projects', 204],
    ['GET', '/schema.graphql', 200],
    ['GET', '/project/projects', 429],
  ] as const;
  for (const [method, path, status] of requests) {
    const response = await send(gateway.url + path, method, undefined, undefined, headers);
    expect(response.status, path).toBe(status);
    expect(response.headers.get('ratelimit-policy')).toBe(`"address";q=${QUOTA};w=60`);
    expect(response.headers.get('ratelimit')).toMatch(/^"address";r=\d;t=\d+$/);
  }
  const invalid = await send(`${gateway.url}/project/projects?pageSize=0`, 'GET', token, undefined, headers);
  expect(invalid.status).toBe(400);
  expect(invalid.headers.get('ratelimit')).toMatch(/^"credential";r=3;/);
  for (const path of ['/healthz', '/readyz', '/healthz?from=balancer']) {
    const response = await send(gateway.url + path, 'GET', undefined, undefined, headers);
    expect(response.status).toBe(200);
    expect(response.headers.get('ratelimit')).toBeNull();
  }
});

test('without trusted proxies, X-Forwarded-For is ignored', async () => {
  const direct = await testGateway({ PAW_RATE_LIMIT_ADDRESS: '1' });
  const ask = (address: string) =>
    send(`${direct.url}/project/projects`, 'GET', undefined, undefined, { 'x-forwarded-for': address });
  expect([(await ask('192.0.2.1')).status, (await ask('192.0.2.2')).status]).toEqual([401, 429]);
});

test('each mutation of a GraphQL request counts like a request, and beyond the limit none is executed', async () => {
  const { account, token } = await seedTenant(gateway);
  const create = (count: number) => {
    const fields = Array.from(
      { length: count },
      (_, n) => `a${n}: createProject(input: $input) { clientMutationId }`,
    );
    const query = `mutation ($input: CreateProjectInput!) { ...All } fragment All on Mutation { ${fields.join(' ')} }`;
    return postGraphql(gateway.url, token, query, { input: { title: 'Many' } });
  };
  const first = await create(3);
  expect([first.status, first.headers.get('ratelimit')]).toEqual([200, expect.stringMatching(/;r=1;/)]);
  expectRateLimited(
    graphqlApi(() => gateway.url),
    await create(2),
    'credential',
  );
  expect(await rowsOf(gateway.database, 'project', account)).toHaveLength(4);
});

test('introspection has a limit by token, and by address without a valid token', async () => {
  const own = await testGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });
  const { token } = await seedTenant(own);
  const ask = (query: string, forwardedFor = '192.0.2.1', bearer?: string) =>
    postGraphql(own.url, bearer, query, {}, { 'x-forwarded-for': forwardedFor });
  for (const bearer of [undefined, token]) {
    for (let n = 0; n < 60; n += 1) {
      const { status } = await ask('{ __schema { queryType { name } } }', '192.0.2.1', bearer);
      expect(status).toBe(200);
    }
    const { status, headers, text } = await ask('{ __typename }', '192.0.2.1', bearer);
    expect(status).toBe(429);
    expect(headers.get('ratelimit')).toBe(`"introspection";r=0;t=${headers.get('retry-after')}`);
    expect(JSON.parse(text).errors[0].extensions.reason).toBe('TOO_MANY_REQUESTS');
  }
  expect((await ask('{ __typename }', '192.0.2.2')).status).toBe(200);
  expect((await ask('{ projects { nodes { name } } }', '192.0.2.1', token)).status).toBe(200);
});

test('the share of the busiest account is that of the requests that count for accounts, whatever is in progress', async () => {
  const port = await freePort();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const starting = startGateway({ PAW_METRICS_PORT: String(port) });
  onTestFinished(async () => (await starting).stop());
  // Before the stop, which needs an interval.
  onTestFinished(() => void vi.useRealTimers());
  const own = await starting;
  const [busy, other] = [await seedTenant(own), await seedTenant(own)];
  const [graphql, rest] = bothApis(() => own.url);
  // Those of the setup.
  vi.advanceTimersByTime(60_000);

  /** Sends requests by ten clients at the same time. */
  const sendMany = async (count: number, request: (n: number) => Promise<unknown>) => {
    let sent = 0;
    const client = async () => {
      for (let n = sent++; n < count; n = sent++) await request(n);
    };
    await Promise.all(Array.from({ length: 10 }, client));
  };
  await sendMany(588, (n) => (n % 2 === 0 ? graphql : rest).listProjects(busy.token));
  await sendMany(12, () => rest.listProjects(other.token));
  await sendMany(600, () => rest.listProjects(withOtherSecret(busy.token)));
  vi.advanceTimersByTime(60_000);
  expect(await readMetric(port, 'paw_busiest_account_share')).toEqual({ '': 0.98 });
  const line = { level: 30, account: ulidOf(busy.account), share: 0.98 };
  expect(logLines(own.log())).toContainEqual(
    expect.objectContaining({ ...line, msg: 'an account has made more than half of the requests' }),
  );
});
