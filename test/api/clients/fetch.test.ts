import type { RequestListener } from 'node:http';
import { inspect, promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build } from 'esbuild';
import { beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { createFetch, GatewayError, pages } from '../../../src/client/client.ts';
import { graphqlErrorBody } from '../../../src/graphql/graphql-errors.ts';
import { errorBody } from '../../../src/http/errors/error-body.ts';
import { headersOf, statusCodeOf } from '../../../src/http/errors/error-responses.ts';
import { ApiError, ERRORS, type Reason } from '../../../src/model/errors.ts';
import { restApi } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { forwarder, startHttpServer } from '../../support/http-server.ts';
import { createApp, graphqlBody } from '../../support/requests.ts';

/** What the network does to the next request: with its response, or in its place. */
type Fault = 'cut' | 'delay' | 'token-ended' | 'cut-and-token-ended' | 429 | 503;

const gateway = useGateway();
const api = restApi(() => gateway.url);
let faults: Fault[] = [];
let requests: { path: string; key: string | undefined; token: string | undefined }[] = [];
let url: string;

beforeAll(async () => {
  const proxy = await startHttpServer(async (request, response) => {
    const { url: path = '', headers } = request;
    const forward = await forwarder(request);
    const isOauth = path.startsWith('/oauth');
    const fault = isOauth ? undefined : faults.shift();
    const [, token] = headers.authorization?.split(' ') ?? [];
    requests.push({ path, key: headers['idempotency-key'] as string | undefined, token });
    if (fault === 429 || fault === 503) {
      response.writeHead(fault, { 'retry-after': '0', 'content-type': 'application/json' });
      return response.end('{}');
    }
    if (fault === 'token-ended') await revoke(token);
    const answer = await forward(gateway.url + path);
    if (fault === 'cut-and-token-ended') await revoke(token);
    if (fault?.toString().startsWith('cut')) return response.destroy();
    if (fault === 'delay') await new Promise((resolve) => setTimeout(resolve, 100));
    return response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  url = proxy.url;
  return proxy.stop;
});

function revoke(token = ''): Promise<unknown> {
  return graphqlBody(gateway.url, token, 'mutation { signOut { clientMutationId } }');
}

/** Sets the faults of the next requests. */
function withFaults(...next: readonly Fault[]): void {
  faults = [...next];
  requests = [];
  onTestFinished(() => {
    faults = [];
  });
}

// biome-ignore lint/suspicious/noExplicitAny: the tests check the values
type Body = any;

function json(method: string, body: object) {
  return { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

// What changes something is tested in `hostile-network.test.ts`.
test.each<[api: string, ...request: [string, RequestInit?]]>([
  ['REST', '/project/projects'],
  ['GraphQL', '/graphql', json('POST', { query: '{ projects { nodes { title } } }' })],
])('a query by %s is repeated without a key', async (_api, ...request) => {
  const { token } = await seedTenant(gateway);
  for (const next of [['cut'], [503, 'cut'], [429, 503, 'delay']] as const) {
    withFaults(...next);
    const response = await createFetch({ url, token })(...request);
    expect(await response.text()).toContain('Tenant');
    const tries = next.filter((fault) => fault !== 'delay').length + 1;
    expect(requests.map(({ key }) => key)).toEqual(Array(tries).fill(undefined));
  }
});

test('requests at the same moment share one sign-in, whose token is renewed before its end and after a refusal', async () => {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  const { name, privateKey } = await createApp(api, tenant.token);
  const signedIn = createFetch({ url, clientId: name, clientSecret: privateKey });
  withFaults();
  await Promise.all(Array.from({ length: 10 }, () => signedIn('/project/projects')));
  expect(requests.filter(({ path }) => path === '/oauth/token')).toHaveLength(1);
  withFaults('token-ended');
  const response = await signedIn(`/wallet/${tenant.wallets[0]}`, json('PATCH', { title: 'Rainy days' }));
  expect(((await response.json()) as Body).title).toBe('Rainy days');
  expect(requests.map(({ path }) => path.split('/')[1])).toEqual(['wallet', 'oauth', 'wallet']);
  expect(requests[0]?.key).toBe(requests[2]?.key);
  expect(requests[0]?.token).not.toBe(requests[2]?.token);
});

test('an error says that a change was applied whose answer only the ended token could read', async () => {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  const { name, privateKey } = await createApp(api, tenant.token);
  withFaults('cut-and-token-ended');
  const signedIn = createFetch({ url, clientId: name, clientSecret: privateKey });
  const error = await signedIn(`/wallet/${tenant.wallets[0]}`, json('PATCH', { title: 'Rainy days' })).catch(
    (thrown) => thrown,
  );
  expect(error).toBeInstanceOf(GatewayError);
  expect(error).toMatchObject({ reason: 'ANSWER_LOST', status: 409, applied: 'yes' });
  expect(error.requestId).toMatch(/\S/);
  expect((await api.updateWallet(tenant.token, tenant.wallet, {})).value?.title).toBe('Rainy days');

  withFaults('cut-and-token-ended');
  const withToken = createFetch({ url, token: tenant.token });
  const creation = withToken('/auth/apps', json('POST', { title: 'Till', active: true }));
  await expect(creation).rejects.toMatchObject({ reason: 'TOKEN_INVALID', status: 401, applied: 'unknown' });
});

test('it ends after its tries, its time, or at once with the signal of the caller, and returns errors as they are', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const patch = json('PATCH', { title: 'Rainy days' });
  const path = `/wallet/${wallets[0]}`;
  withFaults('cut', 'cut', 'cut', 'cut');
  const lost = { reason: 'NO_RESPONSE', applied: 'unknown' };
  await expect(createFetch({ url, token, retries: 1 })(path, patch)).rejects.toMatchObject(lost);
  await expect(createFetch({ url, token, retries: 0 })('/project/projects')).rejects.toMatchObject({
    ...lost,
    applied: 'no',
  });
  withFaults('delay');
  const timeout = { reason: 'TIMEOUT', applied: 'unknown' };
  await expect(createFetch({ url, token, timeoutMs: 50 })(path, patch)).rejects.toMatchObject(timeout);
  withFaults('cut', 'cut', 'cut', 'cut');
  const aborted = createFetch({ url, token })(path, { ...patch, signal: AbortSignal.timeout(50) });
  await expect(aborted).rejects.toThrow(DOMException);
  // One more, for a request of the client before that may still be on its way.
  withFaults(503, 503, 503);
  expect((await createFetch({ url, token, retries: 1 })('/project/projects')).status).toBe(503);
  withFaults('cut', 429);
  const refusedAfterLoss = createFetch({ url, token, retries: 1 })(path, patch);
  await expect(refusedAfterLoss).rejects.toMatchObject({
    reason: 'HTTP_429',
    status: 429,
    applied: 'unknown',
  });
  withFaults();
  const refused = await createFetch({ url, token })(path, json('PATCH', { title: '' }));
  expect([refused.status, requests.length]).toEqual([400, 1]);
  const own = await createFetch({ url, token })('/project/projects', {
    headers: { authorization: 'Bearer x' },
  });
  expect(own.status).toBe(401);
});

test('pages of both APIs have every project, beside faults, and a refusal is an error', async () => {
  const { token, projects } = await seedTenant(gateway, { projects: 25 });
  const withToken = createFetch({ url, token });
  const query =
    'query ($after: String) { projects(after: $after) { nodes { name } pageInfo { hasNextPage endCursor } } }';
  for (const list of [
    '/project/projects',
    '/project/projects?pageSize=9',
    { query, connection: (data: Body) => data.projects },
  ]) {
    withFaults('cut', 'delay', 503);
    const names: string[] = [];
    for await (const page of pages<{ name: string }>(withToken, list))
      names.push(...page.map(({ name }) => name));
    expect(names).toEqual(projects);
  }
  const refused = pages(withToken, '/project/projects?pageSize=0').next();
  await expect(refused).rejects.toMatchObject({ reason: 'INVALID_FIELD', status: 400, applied: 'no' });
});

test('pages end with an error if the next page has no cursor, or that of an earlier page', async () => {
  const { token } = await seedTenant(gateway, { projects: 25 });
  const withToken = createFetch({ url, token });
  const connection = (data: Body) => data.projects;
  const projects = (selection: string, variables = '', list = 'projects(first: 10)') =>
    ({
      query: `query ${variables} { ${list} { nodes { name } pageInfo { ${selection} } } }`,
      connection,
    }) as const;
  const cycle = await serve(({ url: path = '' }, response) => {
    const last = new URL(path, 'http://localhost').searchParams.get('pageToken') ?? '';
    response.end(`{"projects":[],"nextPageToken":"${{ '': 'a', a: 'b', b: 'c', c: 'a' }[last]}"}`);
  });
  const client = createFetch({ url: cycle, token: 'x' });
  const read = async (fetchPage: typeof fetch, list: Parameters<typeof pages>[1]) => {
    let count = 0;
    const problem = await (async () => {
      for await (const _ of pages(fetchPage, list)) count += 1;
    })().catch((error) => error);
    return [count, problem instanceof GatewayError, problem?.reason, problem?.applied];
  };
  // `$after` is forgotten, or the cursor is.
  const refused = [true, 'CURSOR_REPEATED', 'no'];
  expect(await read(withToken, projects('hasNextPage endCursor'))).toEqual([1, ...refused]);
  const after = ['($after: String)', 'projects(first: 10, after: $after)'] as const;
  expect(await read(withToken, projects('hasNextPage', ...after))).toEqual([0, ...refused]);
  expect(await read(withToken, projects('endCursor', ...after))).toEqual([3, ...refused]);
  expect(await read(client, '/project/projects')).toEqual([3, ...refused]);
  expect((await read(withToken, projects('hasNextPage endCursor', ...after))).slice(0, 2)).toEqual([
    3,
    false,
  ]);
});

test('a function gives the token, and the next one after a refusal, but not for a change that may have been made', async () => {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  const { name, privateKey } = await createApp(api, tenant.token);
  let calls = 0;
  const token = async () => {
    calls += 1;
    return (await api.signIn(tenant.token, { name, privateKey })).value?.accessToken ?? '';
  };
  const client = createFetch({ url, token });
  const path = `/wallet/${tenant.wallets[0]}`;
  withFaults('token-ended');
  await Promise.all([client('/project/projects'), client('/project/projects')]);
  expect(calls).toBe(2);
  withFaults('token-ended');
  expect((await client(path, json('PATCH', { title: 'Rainy days' }))).status).toBe(200);
  expect(calls).toBe(3);
  // The next token could be one of another app, by which the change would be made again.
  withFaults('cut-and-token-ended');
  const lost = client(path, json('PATCH', { title: 'Rainy days' }));
  await expect(lost).rejects.toMatchObject({ reason: 'TOKEN_INVALID', applied: 'unknown' });
  expect(calls).toBe(3);
  const refused = createFetch({ url, token: () => Promise.reject(new Error('No session')) })(
    '/project/projects',
  );
  await expect(refused).rejects.toMatchObject({ reason: 'NO_TOKEN', applied: 'no' });
});

/** Answers requests in place of the gateway. @returns its URL */
async function serve(listener: RequestListener): Promise<string> {
  const server = await startHttpServer(listener);
  onTestFinished(server.stop);
  return server.url;
}

test('a sign-in that is answered by a page is an error, and a token of a minute is for several requests', async () => {
  let answer = '<html>';
  let signIns = 0;
  const paths: string[] = [];
  const other = await serve(({ url: path = '', headers }, response) => {
    if (path === '/oauth/token') signIns += 1;
    else paths.push(`${path} ${headers.authorization}`);
    response.end(path === '/oauth/token' ? answer : '{"projects":[]}');
  });
  const client = createFetch({ url: other, clientId: 'apps/1', clientSecret: 'secret' });
  await expect(client('/project/projects')).rejects.toMatchObject({ reason: 'NO_TOKEN', status: 200 });
  expect(paths).toEqual([]);
  answer = '{"access_token":"x","expires_in":60}';
  for (const _ of [1, 2, 3]) await client('/project/projects');
  expect([signIns, paths]).toEqual([2, Array(3).fill('/project/projects Bearer x')]);
});

test('a sign-in that is refused after a lost answer leaves open whether the change was made', async () => {
  const tries: string[] = [];
  const other = await serve(({ url: path = '' }, response) => {
    tries.push(path);
    if (tries.length === 1) return response.end('{"access_token":"x","expires_in":3600}');
    if (tries.length === 2) return response.destroy();
    if (path !== '/oauth/token')
      return response.writeHead(401).end('{"error":{"details":[{"reason":"TOKEN_INVALID"}]}}');
    return response.writeHead(401).end('{"error":"invalid_client","error_description":"The key is wrong."}');
  });
  const client = createFetch({ url: other, clientId: 'apps/1', clientSecret: 'secret' });
  const change = client('/auth/apps', json('POST', { title: 'Till', active: true }));
  await expect(change).rejects.toMatchObject({ reason: 'invalid_client', status: 401, applied: 'unknown' });
  expect(tries).toEqual(['/oauth/token', '/auth/apps', '/auth/apps', '/oauth/token']);
});

test('it repeats the errors that a repetition can mend, those with Retry-After, and no others', async () => {
  // Those of the commands are no responses.
  const { COMMAND_FAILED: _, INVALID_USAGE: __, RESOURCE_UNUSABLE: ___, ...errors } = ERRORS;
  const reasons = Object.keys(errors) as Reason[];
  const tries = new Map<string, number>();
  const other = await serve(({ url: path = '' }, response) => {
    tries.set(path, (tries.get(path) ?? 0) + 1);
    const [, face, reason = ''] = path.split('/');
    const error = new ApiError(reason as Reason, { message: 'No.' });
    const executed = graphqlErrorBody(error, 'id', null);
    if (face === 'graphql') return response.end(executed);
    // Its time would make the test slow.
    return response.writeHead(statusCodeOf(error)).end(errorBody(error, 'id'));
  });
  const client = createFetch({ url: other, token: 'x', retries: 1 });
  const paths = reasons.flatMap((reason) => [`/rest/${reason}`, `/graphql/${reason}`]);
  await Promise.all(paths.map((path) => client(path, { method: 'POST' }).catch(() => {})));
  const repeated = [...tries].filter(([, count]) => count > 1).map(([path]) => path);
  const canSucceed = (path: string) =>
    'retry-after' in headersOf(new ApiError(path.split('/')[2] as Reason, { message: '' }));
  expect(repeated.sort()).toEqual(paths.filter(canSucceed).sort());
  expect(repeated).toContain('/graphql/TOO_MANY_PASSWORDS');
  expect(repeated).not.toContain('/graphql/NO_ADDRESS_LEFT');
});

test('a response can be read after the time is over, and one without end is an error', async () => {
  const other = await serve(({ url: path }, response) => {
    if (path === '/short') return response.end('{"projects":[]}');
    const write = () => response.write('x'.repeat(1_000_000)) && setImmediate(write);
    response.on('drain', write);
    return write();
  });
  const client = createFetch({ url: other, token: 'x', timeoutMs: 300, retries: 0 });
  const response = await client('/short');
  await new Promise((resolve) => AbortSignal.timeout(400).addEventListener('abort', resolve));
  expect(await response.text()).toBe('{"projects":[]}');
  const endless = createFetch({ url: other, token: 'x', retries: 0 })('/endless');
  await expect(endless).rejects.toMatchObject({ reason: 'NO_RESPONSE', applied: 'no' });
});

test.each([
  ['-5', undefined],
  ['1.5e300', 1.5e300],
  ['soon', undefined],
  [new Date(0).toUTCString(), undefined],
  [new Date(2 ** 42).toUTCString(), expect.closeTo((2 ** 42 - Date.now()) / 1000, -3)],
])('Retry-After: %s is what it says, or nothing', async (header, retryAfterSeconds) => {
  const other = await serve((_, response) => response.writeHead(502, { 'retry-after': header }).end());
  const client = createFetch({ url: other, token: 'x', retries: 0 });
  const error = await client('/auth/apps', { method: 'POST' }).catch((thrown) => thrown);
  expect(error).toMatchObject({ reason: 'HTTP_502', applied: 'unknown' });
  expect(error.retryAfterSeconds).toEqual(retryAfterSeconds);
});

test('an invalid option is an error in a sentence without its value', async () => {
  const secret = 'se\ncret';
  const error = await createFetch({ url, token: secret })('/project/projects').catch((thrown) => thrown);
  expect(error).toMatchObject({ reason: 'NO_TOKEN', applied: 'no' });
  expect(inspect(error)).not.toContain('cret');
  for (const wrong of [undefined, '', 'gateway', 'https://u:secret@example.com'] as string[])
    expect(() => createFetch({ url: wrong, token: 'x' })).toThrow(
      '`url` must be the URL of the gateway, such as https://paw.example.com.',
    );
  vi.stubGlobal('crypto', undefined);
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => createFetch({ url, token: 'x' })).toThrow('paw-gateway/client needs Node 20');
});

test('its code is for every runtime, and takes at most 3 KB', async () => {
  const entry = new URL('../../../src/client/client.ts', import.meta.url).pathname;
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  const compressed = await promisify(brotliCompress)(outputFiles[0]?.contents ?? '');
  expect(compressed.length).toBeGreaterThan(500);
  expect(compressed.length).toBeLessThanOrEqual(3 * 1024);
});
