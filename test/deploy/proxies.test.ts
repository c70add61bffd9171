import { once } from 'node:events';
import { get as getHttp } from 'node:http';
import { get as getHttps } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { connect as connectTls } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bothApis, type HttpResponse, readResponse, send } from '../support/apis.ts';
import { freePort } from '../support/free-port.ts';
import { seedTenant, startGateway } from '../support/gateway.ts';
import { type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { type Certificate, trustedCertificate } from './certificate.ts';
import { brokenInstance, type Instance, instanceOn, type Relay, relayTo } from './instances.ts';
import { haproxy, nginx, type ProxyKind, type ReverseProxy } from './proxy.ts';

const APP = { title: 'App', active: true };

// Longer than each configuration needs to detect that an instance stops.
const STOP_DELAY = '3s';

// Requests per minute without a token from one address, at each instance.
const ADDRESS_LIMIT = 30;

// HAProxy has detected by then that an instance is not ready.
const NOTICED_MS = 2500;

const SOON = { timeout: 10_000 };

let postgres: PostgresServer;
// Between the first instance and the database.
let relay: Relay;
let certificate: Certificate;
let publicUrl: string;
let token: string;
let wallet: string;
let instances: readonly [Instance, Instance];
let proxies: Readonly<Record<ProxyKind['name'], ReverseProxy>>;

beforeAll(async () => {
  postgres = await startPostgres();
  const databaseUrl = postgres.urlOf('postgres');
  const gateway = await startGateway({ DATABASE_URL: databaseUrl });
  const tenant = await seedTenant(gateway, { wallets: 1 });
  await gateway.stop();
  token = tenant.token;
  [wallet = ''] = tenant.wallets;
  const ports = [await freePort(), await freePort()] as const;
  relay = await relayTo(postgres.port);
  certificate = trustedCertificate();
  const proxyPorts = [await freePort(), await freePort()] as const;
  publicUrl = `https://127.0.0.1:${proxyPorts[0]}`;
  const settings = {
    PUBLIC_URL: publicUrl,
    PAW_TRUSTED_PROXIES: '127.0.0.1',
    PAW_RATE_LIMIT_ADDRESS: String(ADDRESS_LIMIT),
    PAW_STOP_DELAY: STOP_DELAY,
    PAW_LOG_REQUESTS: 'all',
  };
  const relayUrl = Object.assign(new URL(databaseUrl), { port: relay.port });
  instances = [
    instanceOn(ports[0], { ...settings, DATABASE_URL: relayUrl.href }),
    instanceOn(ports[1], { ...settings, DATABASE_URL: databaseUrl }),
  ];
  await startInstances();
  proxies = {
    HAProxy: await haproxy.start(proxyPorts[0], ports, certificate),
    nginx: await nginx.start(proxyPorts[1], ports, certificate),
  };
  return async () => {
    relay.close();
    certificate.remove();
    for (const proxy of Object.values(proxies)) await proxy.stop();
    for (const instance of instances) await instance.kill();
    await postgres.stop();
  };
});

describe.each([haproxy, nginx])('$name', ({ name, start }) => {
  test('reports no error in its configuration', async () => {
    const { status, output } = await proxies[name].check();
    expect({ status, output }).toMatchObject({ status: 0 });
    expect(output).not.toMatch(/warn|alert|emerg/i);
  });

  test('serves both APIs, and spreads requests over both instances', async () => {
    const { url, log } = proxies[name];
    for (const api of bothApis(() => url)) {
      const { value: app } = await api.createApp(token, APP);
      expect(app).toMatchObject(APP);
      const { value } = await api.signIn(token, { name: app?.name, privateKey: app?.privateKey });
      expect((await api.listProjects(value?.accessToken)).value?.projects).toHaveLength(1);
      expect((await api.updateWallet(token, wallet, { title: name })).value?.title).toBe(name);
    }
    const inLog = { HAProxy: ['gateways/gateway-1 ', 'gateways/gateway-2 '], nginx: instances.map(hostOf) };
    for (const instance of inLog[name]) await expect.poll(log, SOON).toContain(instance);
  });

  test('forwards an encoded path unchanged, and lets the gateway refuse a body that is too large', async () => {
    const { url } = proxies[name];
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const encoded = `${url}/wallet/${wallet.replace('/', '%2F')}`;
    const updated = await fetch(encoded, { method: 'PATCH', headers, body: '{}' });
    expect(await updated.json()).toMatchObject({ name: wallet });
    const refused = await send(`${url}/auth/apps`, 'POST', token, { title: 'x'.repeat(110_000) });
    expect(refused.status).toBe(413);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
  });

  test('logs neither variables nor tokens', async () => {
    const { url, log } = proxies[name];
    const query = new URLSearchParams({
      query: 'query ($first: Int) { projects(first: $first) { nodes { name } } }',
      variables: '{"first":77}',
    });
    const headers = { 'apollo-require-preflight': 'true' };
    expect((await send(`${url}/graphql?${query}`, 'GET', token, undefined, headers)).status).toBe(200);
    await expect.poll(log, SOON).toContain('GET /graphql');
    expect(log()).not.toMatch(/first|\?|paw_acct/);
  });

  test('sets the forwarded headers, and passes the others unchanged', async () => {
    const { port, requests } = await brokenInstance();
    const { url, stop } = await start(await freePort(), [port, port], certificate);
    onTestFinished(stop);
    const { host } = new URL(url);
    const sent = { authorization: 'Bearer secret', accept: 'text/plain;q=0.5', 'x-request-id': 'mine' };
    const forged = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'ftp', 'x-forwarded-host': 'x' };
    await fetch(`${url}/seen`, { method: 'POST', headers: { ...sent, ...forged } });
    const [request = ''] = requests.filter((head) => head.includes('/seen'));
    const received = new Headers(
      request
        .trim()
        .split('\r\n')
        .slice(1)
        .map((line) => line.split(': ') as [string, string]),
    );
    expect(Object.fromEntries(received)).toMatchObject({
      ...sent,
      host,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
    });
  });

  test('gives the gateway the address of the client, which a client can not forge', async () => {
    const forged = { 'x-forwarded-for': '192.0.2.1', forwarded: 'for=192.0.2.1' };
    const through = `through-${name}`;
    await getFrom('127.0.0.2', `${proxies[name].url}/project/projects`, {
      ...forged,
      'x-request-id': through,
    });
    const past = `past-${name}`;
    await getFrom('127.0.0.3', `${instances[0].url}/project/projects`, { ...forged, 'x-request-id': past });
    const clientOf = (id: string) =>
      instances.flatMap((instance) => instance.log()).find(({ clientReqId }) => clientReqId === id)?.client;
    await expect.poll(() => clientOf(through), SOON).toBe('127.0.0.2');
    await expect.poll(() => clientOf(past), SOON).toBe('127.0.0.3');
  });

  test('lets the gateway limit each client by its address, whatever X-Forwarded-For it sends', async () => {
    const last = { HAProxy: 11, nginx: 13 }[name];
    const [client, other] = [`127.0.0.${last}`, `127.0.0.${last + 1}`] as const;
    const url = `${proxies[name].url}/project/projects`;
    const statuses: number[] = [];
    for (let n = 1; n <= 2 * ADDRESS_LIMIT + 2; n += 1) {
      const { status, headers } = await getFrom(client, url, { 'x-forwarded-for': `192.0.2.${n}` });
      statuses.push(status);
      if (status === 429) expect(headers.get('retry-after')).toMatch(/^\d+$/);
    }
    expect(statuses.slice(0, ADDRESS_LIMIT)).toEqual(Array(ADDRESS_LIMIT).fill(401));
    expect(statuses.slice(-2)).toEqual([429, 429]);
    expect((await getFrom(other, url, {})).status).toBe(401);
  });

  test('serves the public URLs, whatever host a client names', async () => {
    const { url } = proxies[name];
    const headers = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const { text: page } = await send(`${url}/project/projects`, 'GET', token, undefined, headers);
    const [{ imageCoverUrl }] = JSON.parse(page).projects;
    expect(imageCoverUrl).toMatch(new RegExp(`^${publicUrl}/covers/.*\\.svg$`));
    expect(await statusOf(imageCoverUrl)).toBe(200);
    const document = JSON.parse(
      (await send(`${url}/openapi.json`, 'GET', undefined, undefined, headers)).text,
    );
    expect(document.servers).toMatchObject([{ url: publicUrl }]);
  });

  test('offers HTTP/1.1 and modern versions of TLS only', async () => {
    const address = { host: '127.0.0.1', port: Number(new URL(proxies[name].url).port) };
    const socket = connectTls({ ...address, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(socket, 'secureConnect');
    expect([socket.alpnProtocol, socket.getProtocol()]).toEqual(['http/1.1', 'TLSv1.3']);
    socket.destroy();
    const old = connectTls({
      ...address,
      maxVersion: 'TLSv1.1',
      minVersion: 'TLSv1',
      ciphers: 'ALL@SECLEVEL=0',
    });
    await expect(once(old, 'secureConnect')).rejects.toThrow();
  });

  test('never sends a POST or PATCH again that an instance has received', async () => {
    const [first, second] = [await brokenInstance(), await brokenInstance()];
    const { url, stop } = await start(await freePort(), [first.port, second.port]);
    onTestFinished(stop);
    const received = () =>
      [...first.requests, ...second.requests].flatMap((head) => /\/write-\d/.exec(head)?.[0] ?? []).sort();
    for (const [n, method] of ['POST', 'PATCH', 'POST', 'PATCH'].entries()) {
      // HAProxy may close the connection of the client instead of a response.
      const status = await statusOf(`${url}/write-${n}`, method).catch(() => 502);
      expect([502, 503]).toContain(status);
    }
    expect(received()).toContain('/write-0');
    expect(received()).toEqual([...new Set(received())]);
  });
});

test('HAProxy does not use an instance that alone is not ready, and uses it when it is ready again', async () => {
  const { log } = proxies.HAProxy;
  relay.cut();
  await expect.poll(log, SOON).toContain('Server gateways/gateway-1 is DOWN');
  expect(await statusOf(`${instances[0].url}/readyz`)).toBe(503);
  for (let n = 0; n < 20; n += 1) expect((await read(proxies.HAProxy)).status).toBe(200);
  relay.restore();
  const mark = log().length;
  await expect.poll(() => log().slice(mark), SOON).toContain('Server gateways/gateway-1 is UP');
  await expect
    .poll(async () => {
      expect((await read(proxies.HAProxy)).status).toBe(200);
      return log().slice(mark);
    }, SOON)
    .toMatch(/gateways\/gateway-1 .* 200 .*GET \/project\/projects/);
});

test('while an instance stops, reads that follow one another all succeed', async () => {
  let stopped = false;
  const stopping = instances[0].stop().then(() => {
    stopped = true;
  });
  await throughBoth(async (proxy) => {
    const statuses: number[] = [];
    for (let after = 0; after < 10; after += stopped ? 1 : 0) statuses.push((await read(proxy)).status);
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
  await stopping;
});

test('a write is sent to the other instance if one does not accept connections', async () => {
  await startInstances();
  await delay(NOTICED_MS);
  await instances[0].kill();
  await throughBoth(async ({ url }) => {
    for (let n = 0; n < 6; n += 1) {
      expect((await send(`${url}/auth/apps`, 'POST', token, APP)).status).toBe(200);
    }
  });
});

test('while the database is unavailable, clients receive the 503 of the gateway', async () => {
  await startInstances();
  await postgres.crash();
  try {
    await throughBoth(async (proxy) => {
      await readFor(NOTICED_MS, proxy, ({ status, headers, text }) => {
        expect(status).toBe(503);
        expect(headers.get('retry-after')).toMatch(/^\d+$/);
        expect(headers.get('x-request-id')).not.toBeNull();
        expect(JSON.parse(text)).toMatchObject({ error: { status: 'UNAVAILABLE' } });
      });
    });
  } finally {
    await postgres.restart();
  }
  await throughBoth(async ({ url }) => {
    await expect.poll(() => statusOf(`${url}/readyz`), SOON).toBe(200);
  });
});

test('instances that are not ready are used while none is ready', async () => {
  const stopping = Promise.all(instances.map((instance) => instance.stop()));
  await throughBoth((proxy) => readFor(NOTICED_MS, proxy, ({ status }) => expect(status).toBe(200)));
  await expect.poll(proxies.HAProxy.log, SOON).toMatch(/ gateways\/gateway-\d-unready .* 200 /);
  await stopping;
});

test('while no instance runs, clients receive a 503 in JSON', async () => {
  for (const instance of instances) await instance.kill();
  await throughBoth(async ({ url }) => {
    for (const path of ['/project/projects', '/graphql', '/readyz']) {
      const response = await fetch(url + path);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toBe('1');
      expect(response.headers.get('content-type')).toBe('application/json');
      expect(await response.json()).toMatchObject({ error: { code: 503, status: 'UNAVAILABLE' } });
    }
  });
});

async function throughBoth(work: (proxy: ReverseProxy) => Promise<void>): Promise<void> {
  await Promise.all(Object.values(proxies).map(work));
}

function read({ url }: ReverseProxy): Promise<HttpResponse> {
  return send(`${url}/project/projects`, 'GET', token);
}

/** Sends a GET request from one of the loopback addresses of this machine. */
function getFrom(
  localAddress: string,
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<HttpResponse> {
  const get = url.startsWith('https:') ? getHttps : getHttp;
  return new Promise((resolve, reject) => {
    get(url, { localAddress, headers, agent: false }, (response) => resolve(readResponse(response))).on(
      'error',
      reject,
    );
  });
}

/** Reads repeatedly for `ms` milliseconds. */
async function readFor(ms: number, proxy: ReverseProxy, look: (answer: HttpResponse) => void): Promise<void> {
  const end = performance.now() + ms;
  while (performance.now() < end) look(await read(proxy));
}

async function startInstances(): Promise<void> {
  await Promise.all(instances.map((instance) => instance.start()));
}

function hostOf({ url }: Instance): string {
  return new URL(url).host;
}

async function statusOf(url: string, method = 'GET'): Promise<number> {
  return (await fetch(url, { method })).status;
}
