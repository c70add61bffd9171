// @module-tag needs/haproxy
// @module-tag needs/nginx
// @module-tag night/deploy

import { beforeAll, expect, test } from 'vitest';
import { type HttpResponse, send } from '../support/both-apis.ts';
import { APP, type Fleet, startFleet } from './fleet.ts';
import type { ReverseProxy } from './proxy.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
  return fleet.stop;
});

test('while an instance stops, reads and changes that follow one another all succeed', async () => {
  const { log } = fleet.proxies.HAProxy;
  let isNoticed = false;
  let isStopped = false;
  const stopping = fleet.instances[0].stop().then(() => {
    isNoticed = log().includes('Server gateways/gateway-1 is DOWN');
    isStopped = true;
  });
  await throughBoth(async (proxy) => {
    const statuses: number[] = [];
    for (let after = 0; after < 10; after += isStopped ? 1 : 0) {
      statuses.push((await read(proxy)).status, (await createApp(proxy)).status);
    }
    expect(statuses.length).toBeGreaterThan(20);
    expect(statuses.filter((status) => status !== 200)).toEqual([]);
  });
  await stopping;
  expect(isNoticed).toBe(true);
});

test('HAProxy uses an instance again when it is ready', async () => {
  const { log } = fleet.proxies.HAProxy;
  const mark = log().length;
  await fleet.start();
  await expect.poll(() => log().slice(mark)).toContain('Server gateways/gateway-1 is UP');
  for (let n = 0; n < 4; n += 1) expect((await read(fleet.proxies.HAProxy)).status).toBe(200);
  await expect.poll(() => log().slice(mark)).toMatch(/gateways\/gateway-1 .* 200 .*GET \/project\/projects/);
});

test('a write is sent to the other instance if one does not accept connections', async () => {
  await fleet.instances[0].kill();
  await throughBoth(async (proxy) => {
    for (let n = 0; n < 6; n += 1) expect((await createApp(proxy)).status).toBe(200);
  });
});

test('while the database is unavailable, clients receive the 503 of the gateway', async () => {
  await fleet.start();
  await fleet.postgres.crash();
  try {
    await readWhileUnready(({ status, headers, text }) => {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toMatch(/^\d+$/);
      expect(headers.get('x-request-id')).not.toBeNull();
      expect(JSON.parse(text)).toMatchObject({ error: { status: 'UNAVAILABLE' } });
    });
  } finally {
    await fleet.postgres.restart();
  }
  await throughBoth(async ({ url }) => {
    const isReady = async () => (await fetch(`${url}/readyz`)).ok;
    await expect.poll(isReady).toBe(true);
  });
});

test('instances that are not ready are used while none is ready', async () => {
  const stopping = Promise.all(fleet.instances.map((instance) => instance.stop()));
  await readWhileUnready(({ status }) => expect(status).toBe(200));
  await stopping;
});

test('while no instance runs, clients receive a 503 in JSON', async () => {
  for (const instance of fleet.instances) await instance.kill();
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
  await Promise.all(Object.values(fleet.proxies).map(work));
}

function read({ url }: ReverseProxy): Promise<HttpResponse> {
  return send(`${url}/project/projects`, 'GET', fleet.token);
}

function createApp({ url }: ReverseProxy): Promise<HttpResponse> {
  return send(`${url}/auth/apps`, 'POST', fleet.token, APP);
}

/** Reads through both proxies until HAProxy has used an instance that is not ready. */
async function readWhileUnready(look: (answer: HttpResponse) => void): Promise<void> {
  const { log } = fleet.proxies.HAProxy;
  const mark = log().length;
  await throughBoth(async (proxy) => {
    do look(await read(proxy));
    while (!/ unready\/gateway-\d .* (200|503) /.test(log().slice(mark)));
  });
}
