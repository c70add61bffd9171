import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bothApis, type HttpResponse, send } from '../support/apis.ts';
import { seedTenant, startGateway } from '../support/gateway.ts';
import { type Running, startPaw } from '../support/paw.ts';
import { freePort, type PostgresServer, startPostgres } from '../support/postgres-server.ts';
import { haproxy, nginx, type ProxyKind, type ReverseProxy } from './proxy.ts';

/** A gateway in a separate process, on a fixed port. */
type Instance = {
  readonly url: string;
  readonly port: number;
  /** Starts it if it is not running. */
  start(): Promise<void>;
  /** Stops it, and waits until it has ended. */
  stop(): Promise<void>;
  kill(): Promise<void>;
};

const APP = { title: 'App', active: true };

// Longer than each configuration needs to detect that an instance stops.
const STOP_DELAY = '3s';

// HAProxy has detected by then that an instance is not ready.
const NOTICED_MS = 2500;

const SOON = { timeout: 10_000 };

let postgres: PostgresServer;
let databaseUrl: string;
let token: string;
let wallet: string;
let instances: readonly [Instance, Instance];
let proxies: Readonly<Record<ProxyKind['name'], ReverseProxy>>;

beforeAll(async () => {
  postgres = await startPostgres();
  databaseUrl = postgres.urlOf('postgres');
  const gateway = await startGateway({ DATABASE_URL: databaseUrl });
  const tenant = await seedTenant(gateway, { wallets: 1 });
  await gateway.stop();
  token = tenant.token;
  [wallet = ''] = tenant.wallets;
  const ports = [await freePort(), await freePort()] as const;
  instances = [instanceOn(ports[0]), instanceOn(ports[1])];
  await startInstances();
  proxies = {
    HAProxy: await haproxy.start(await freePort(), ports),
    nginx: await nginx.start(await freePort(), ports),
  };
  return async () => {
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
    const { url, stop } = await start(await freePort(), [port, port]);
    onTestFinished(stop);
    const { host } = new URL(url);
    const sent = { authorization: 'Bearer secret', accept: 'text/plain;q=0.5', 'x-request-id': 'mine' };
    const forged = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'x' };
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
      'x-forwarded-proto': 'http',
      'x-forwarded-host': host,
    });
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

function instanceOn(port: number): Instance {
  const url = `http://127.0.0.1:${port}`;
  let running: Running | undefined;
  const end = async (signal: NodeJS.Signals) => {
    const ending = running;
    running = undefined;
    const result = await ending?.stop(signal);
    if (signal === 'SIGTERM') expect(result).toMatchObject({ status: 0, stderr: '' });
  };
  return {
    url,
    port,
    async start() {
      if (running !== undefined) return;
      running = startPaw(['serve'], {
        PORT: String(port),
        DATABASE_URL: databaseUrl,
        PAW_STOP_DELAY: STOP_DELAY,
      });
      await running.printed('listening on ');
    },
    stop: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  };
}

/** A server that is healthy, but closes the connection instead of a response to any other request. */
async function brokenInstance(): Promise<{ port: number; requests: readonly string[] }> {
  const requests: string[] = [];
  const server: Server = createServer((socket) => {
    let text = '';
    socket.on('error', () => {});
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.includes('\r\n\r\n')) return;
      requests.push(text);
      socket.end(text.includes('/healthz') ? 'HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n' : '');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  return { port: (server.address() as AddressInfo).port, requests };
}

async function statusOf(url: string, method = 'GET'): Promise<number> {
  return (await fetch(url, { method })).status;
}
