// @module-tag needs/haproxy
// @module-tag needs/nginx
// @module-tag night/deploy

import { once } from 'node:events';
import { get } from 'node:https';
import { connect as connectTls } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { bothApis, readResponse, send } from '../support/both-apis.ts';
import { freePort } from '../support/free-port.ts';
import { brokenInstance } from './broken-instance.ts';
import { ADDRESS_LIMIT, APP, type Fleet, startFleet } from './fleet.ts';
import { haproxy, nginx } from './proxy.ts';

let fleet: Fleet;

beforeAll(async () => {
  fleet = await startFleet();
  return fleet.stop;
});

describe.each([haproxy, nginx])('$name', ({ name, start }) => {
  test('reports nothing about its configuration when it starts', () => {
    expect(fleet.proxies[name].log()).not.toMatch(/warn|alert|emerg/i);
  });

  test('serves both APIs, and spreads requests over both instances', async () => {
    const { url, log } = fleet.proxies[name];
    for (const api of bothApis(() => url)) {
      const { value: app } = await api.createApp(fleet.token, APP);
      expect(app).toMatchObject(APP);
      const { value } = await api.signIn(fleet.token, { name: app?.name, privateKey: app?.privateKey });
      expect((await api.listProjects(value?.accessToken)).value?.projects).toHaveLength(1);
      expect((await api.updateWallet(fleet.token, fleet.wallet, { title: name })).value?.title).toBe(name);
    }
    const hosts = fleet.instances.map(({ port }) => `127.0.0.1:${port}`);
    const inLog = { HAProxy: ['gateways/gateway-1 ', 'gateways/gateway-2 '], nginx: hosts };
    for (const instance of inLog[name]) await expect.poll(log).toContain(instance);
  });

  test('forwards an encoded path unchanged, and lets the gateway refuse a body that is too large', async () => {
    const { url } = fleet.proxies[name];
    const encoded = await send(`${url}/wallet/${fleet.wallet.replace('/', '%2F')}`, 'PATCH', fleet.token, {});
    expect(JSON.parse(encoded.text)).toMatchObject({ name: fleet.wallet });
    const refused = await send(`${url}/auth/apps`, 'POST', fleet.token, { title: 'x'.repeat(110_000) });
    expect(refused.status).toBe(413);
    expect(refused.headers.get('x-request-id')).not.toBeNull();
  });

  test('leaves an etag as it is, so that If-Match accepts it', async () => {
    const { url } = fleet.proxies[name];
    const update = (headers: Readonly<Record<string, string>>) =>
      send(`${url}/wallet/${fleet.wallet}`, 'PATCH', fleet.token, { title: 'Cash' }, headers);
    const etag = (await update({ 'accept-encoding': 'gzip' })).headers.get('etag') ?? '';
    expect(etag).toMatch(/^"/);
    expect((await update({ 'if-match': etag })).status).toBe(200);
    expect((await update({ 'if-match': `W/${etag}` })).status).toBe(412);
  });

  test('logs neither variables nor tokens', async () => {
    const { url, log } = fleet.proxies[name];
    const query = new URLSearchParams({
      query: 'query ($first: Int) { projects(first: $first) { nodes { name } } }',
      variables: '{"first":77}',
    });
    const headers = { 'apollo-require-preflight': 'true' };
    expect((await send(`${url}/graphql?${query}`, 'GET', fleet.token, undefined, headers)).status).toBe(200);
    await expect.poll(log).toContain('GET /graphql');
    expect(log()).not.toMatch(/first|\?|paw_acct/);
  });

  test('sets the forwarded headers, and passes the others unchanged', async () => {
    const { port, requests } = await brokenInstance();
    const { url, stop } = await start(await freePort(), [port, port], fleet.certificate);
    onTestFinished(stop);
    const { host } = new URL(url);
    const sent = { authorization: 'Bearer secret', accept: 'text/plain;q=0.5', 'x-request-id': 'mine' };
    const forged = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'ftp', 'x-forwarded-host': 'x' };
    await fetch(`${url}/seen`, { method: 'POST', headers: { ...sent, ...forged } });
    const seen = requests.find((head) => head.includes('/seen')) ?? '';
    const received = seen
      .matchAll(/^(\S+): (.*)\r$/gm)
      .map(([, name = '', value]) => [name.toLowerCase(), value]);
    expect(Object.fromEntries(received)).toMatchObject({
      ...sent,
      host,
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-proto': 'https',
      'x-forwarded-host': host,
    });
  });

  test('lets the gateway limit each client by its address, whatever X-Forwarded-For it sends', async () => {
    const last = { HAProxy: 11, nginx: 13 }[name];
    const [client, other] = [`127.0.0.${last}`, `127.0.0.${last + 1}`] as const;
    const url = `${fleet.proxies[name].url}/project/projects`;
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

  test('offers HTTP/1.1 and modern versions of TLS only', async () => {
    const address = { host: '127.0.0.1', port: Number(new URL(fleet.proxies[name].url).port) };
    const socket = connectTls({ ...address, ALPNProtocols: ['h2', 'http/1.1'] });
    await once(socket, 'secureConnect');
    expect([socket.alpnProtocol, socket.getProtocol()]).toEqual(['http/1.1', 'TLSv1.3']);
    socket.destroy();
    const versions = { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' } as const;
    const old = connectTls({ ...address, ...versions, ciphers: 'ALL@SECLEVEL=0' });
    await expect(once(old, 'secureConnect')).rejects.toThrow();
  });

  test('neither sends a POST or PATCH again that an instance has received, nor says that it was refused', async () => {
    const [first, second] = [await brokenInstance(), await brokenInstance()];
    const { url, stop } = await start(await freePort(), [first.port, second.port]);
    onTestFinished(stop);
    const received = () =>
      [...first.requests, ...second.requests].flatMap((head) => /\/write-\d/.exec(head)?.[0] ?? []).sort();
    for (const [n, method] of ['POST', 'PATCH', 'POST', 'PATCH'].entries()) {
      // HAProxy may close the connection of the client instead of a response.
      const status = await fetch(`${url}/write-${n}`, { method }).then(
        (response) => response.status,
        () => 502,
      );
      // nginx sends none for 2 s to instances that have failed.
      expect(status).toBe(received().includes(`/write-${n}`) ? 502 : 503);
    }
    expect(received()).toContain('/write-0');
    expect(received()).toEqual([...new Set(received())]);
  });
});

/** Sends a GET request from one of the loopback addresses of this machine. */
async function getFrom(localAddress: string, url: string, headers: Readonly<Record<string, string>>) {
  const [response] = await once(get(url, { localAddress, headers, agent: false }), 'response');
  return readResponse(response);
}
