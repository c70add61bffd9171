import { once } from 'node:events';
import { connect } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Api, bothApis, restApi, send } from '../../support/both-apis.ts';
import { type Gateway, seedTenant, startGatewayWithHooks, type Tenant } from '../../support/gateway.ts';
import { getProjects, MISSING_WALLET } from '../../support/requests.ts';

let gateway: Gateway;
let tenant: Tenant;
/** A gateway that works on ten requests at the same time. */
let shared: Gateway;
/** Called with the function that ends the wait of a request with the header `x-hold`. */
let onHeld: (release: () => void) => void;
/** Called when the server is about to read the body of a request. */
let onBody: () => void = () => {};

function addHooks(app: FastifyInstance): void {
  app.addHook('onSend', async ({ headers }) => {
    if (headers['x-hold'] !== undefined) await new Promise<void>((release) => onHeld(release));
  });
  app.addHook('preParsing', async ({ headers }) => {
    if (headers['content-length'] !== undefined) onBody();
  });
}

beforeAll(async () => {
  gateway = await startGatewayWithHooks(addHooks, { PAW_MAX_REQUESTS: '1', PAW_CORS_ORIGINS: '*' });
  shared = await startGatewayWithHooks(addHooks, { PAW_MAX_REQUESTS: '10' });
  tenant = await seedTenant(gateway, { wallets: 1 });
  return () => Promise.all([gateway.stop(), shared.stop()]);
});

const statusOf = async (path: string, server = gateway, token = tenant.token) =>
  (await send(server.url + path, 'GET', token)).status;

/** Sends a request that takes a place until `release` is called. */
async function hold(api: Api, token = tenant.token, { url } = gateway) {
  const held = Promise.withResolvers<() => void>();
  onHeld = held.resolve;
  const response = getProjects(api, url, token, { 'x-hold': 'yes' });
  return { release: await held.promise, response };
}

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('a request beyond the limit is refused with 503, and the others are answered', async () => {
    const { response, release } = await hold(api);
    const { status, headers, text } = await getProjects(api, gateway.url, tenant.token, {
      origin: 'https://app.example',
    });
    expect(status).toBe(503);
    expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect(headers.get('access-control-allow-origin')).toBe('*');
    const { data, error, errors } = JSON.parse(text);
    const { reason } = api.name === 'REST' ? error.details[0] : errors[0].extensions;
    expect([reason, data]).toEqual(['OVERLOADED', undefined]);
    for (const path of ['/healthz', '/readyz']) expect(await statusOf(path)).toBe(200);
    // It is refused before its token is looked up.
    expect((await api.listProjects('nonsense')).response.status).toBe(503);
    release();
    expect((await response).status).toBe(200);
    expect((await api.listProjects(tenant.token)).response.status).toBe(200);
  });
});

test.each(bothApis(() => shared.url))(
  'by $name, an account has at most nine tenths of the requests in progress, and the others are answered',
  async (api) => {
    const [flood, victim] = [await seedTenant(shared), await seedTenant(shared)];
    const held: Awaited<ReturnType<typeof hold>>[] = [];
    for (let n = 1; n <= 9; n += 1) held.push(await hold(api, flood.token, shared));
    const { error, response } = await api.listProjects(flood.token);
    expect(error).toMatchObject({ status: 'RESOURCE_EXHAUSTED', reason: 'TOO_MANY_CONCURRENT_REQUESTS' });
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
    expect((await api.listProjects(victim.token)).response.status).toBe(200);
    for (const { release, response } of held) {
      release();
      expect((await response).status).toBe(200);
    }
    expect((await api.listProjects(flood.token)).response.status).toBe(200);
  },
);

test('every response gives its place back', async () => {
  const { token } = tenant;
  const requests = [
    ['GET', '/nothing', token, 404],
    ['PUT', '/project/projects', token, 405],
    ['OPTIONS', '/project/projects', token, 204],
    ['HEAD', '/project/projects', token, 200],
    ['GET', '/project/projects', undefined, 401],
    ['GET', '/project/projects?pageSize=0', token, 400],
    ['POST', '/auth/apps', token, 400],
    ['PATCH', `/wallet/${MISSING_WALLET}`, token, 404, {}],
    ['POST', '/graphql', token, 400, '{'],
    ['POST', '/graphql', token, 413, 'x'.repeat(200_000)],
    ['GET', '/schema.graphql', undefined, 200],
    ['GET', '/project/projects', token, 200],
  ] as const;
  for (const [method, path, sent, status, body] of requests) {
    expect((await send(gateway.url + path, method, sent, body)).status, `${method} ${path}`).toBe(status);
  }
});

test('a request whose client has gone gives its place back', async () => {
  const held = Promise.withResolvers<() => void>();
  onHeld = held.resolve;
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  socket.write(
    `GET /project/projects HTTP/1.1\r\nHost: x\r\nX-Hold: yes\r\nAuthorization: Bearer ${tenant.token}\r\n\r\n`,
  );
  const release = await held.promise;
  socket.destroy();
  release();
  await expect.poll(() => statusOf('/nothing')).toBe(404);
});

/** Sends a request without the end of its body, and waits until the server reads the body. */
async function beginUpload({ url } = gateway, token = tenant.token) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  const reading = Promise.withResolvers<void>();
  onBody = reading.resolve;
  const head = token
    ? `POST /auth/apps HTTP/1.1\r\nAuthorization: Bearer ${token}\r\n`
    : 'POST /graphql HTTP/1.1\r\n';
  socket.write(
    `${head}Host: x\r\nContent-Type: application/json\r\nContent-Length: 30\r\n\r\n{"title":"App"`,
  );
  await reading.promise;
  return {
    abort: () => socket.destroy(),
    async finish() {
      socket.write(',"active":true }');
      const [bytes] = await once(socket, 'data');
      return String(bytes);
    },
  };
}

test('a client that does not finish its body keeps nobody out', async () => {
  const { finish } = await beginUpload();
  expect(await statusOf('/project/projects')).toBe(200);
  expect(await finish()).toMatch(/^HTTP\/1\.1 200 /);
});

test('a request whose body ends while no place is free is refused with 503, and takes no place', async () => {
  const { finish } = await beginUpload();
  const { response, release } = await hold(restApi(() => gateway.url));
  expect(await finish()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"OVERLOADED"/);
  expect([await statusOf('/project/projects'), await statusOf('/healthz')]).toEqual([503, 200]);
  release();
  expect((await response).status).toBe(200);
  expect(await statusOf('/project/projects')).toBe(200);
});

test('bodies without a valid token that are arriving leave others a tenth of their places, and give theirs back', async () => {
  const { token } = await seedTenant(shared);
  const strangers: Awaited<ReturnType<typeof beginUpload>>[] = [];
  for (let n = 1; n <= 18; n += 1) strangers.push(await beginUpload(shared, ''));
  const refused = await beginUpload(shared, '');
  expect(await refused.finish()).toMatch(/^HTTP\/1\.1 503 [\s\S]*"OVERLOADED"/);
  const upload = await beginUpload(shared, token);
  expect(await statusOf('/project/projects', shared, token)).toBe(200);
  expect(await upload.finish()).toMatch(/^HTTP\/1\.1 200 /);
  for (const { abort } of strangers) abort();
  const next = async () => (await beginUpload(shared, '')).finish();
  await expect.poll(next).toMatch(/^HTTP\/1\.1 400 /);
});
