import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { testGateway, useGateway, useTenant } from '../../support/gateway.ts';

// Source: RFC 5789, RFC 7396, RFC 8259, RFC 9110, RFC 9112.

const gateway = useGateway({ PAW_CORS_ORIGINS: '*' });
const tenant = useTenant(gateway, { wallets: 1 });

const JSON_TYPE = 'application/json';
const BOM = '\uFEFF';

function send(path: string, method: string, headers: object, body?: string): Promise<Response> {
  const authorization = `Bearer ${tenant.token}`;
  const all = { authorization, origin: 'https://page.example', ...headers };
  return fetch(gateway.url + path, { method, headers: all, body: body ?? null });
}

/** Returns the response to a request line that no library sends. */
async function sendLine(line: string, headers = '', body = ''): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  socket.end(`${line} HTTP/1.1\r\nHost: paw\r\n${headers}Connection: close\r\n\r\n${body}`);
  return text(socket);
}

const BODIES = [
  ['POST', '/graphql', JSON_TYPE, '{"query":"{ viewer { id } }"}'],
  ['POST', '/auth/apps', JSON_TYPE, '{"title":"App","active":true}'],
  ['PATCH', '/wallet/', JSON_TYPE, '{"title":"New"}'],
  ['POST', '/oauth/token', 'application/x-www-form-urlencoded', 'grant_type=client_credentials'],
] as const;

test.each(BODIES)(
  '%s %s refuses a body with a content coding, and names none',
  async (method, path, type, body) => {
    const target = path === '/wallet/' ? path + tenant.wallet : path;
    const ask = (coding: string) =>
      send(target, method, { 'content-type': type, 'content-encoding': coding }, body);
    for (const coding of ['gzip', 'br', 'identity, gzip', 'x']) {
      const { status, headers } = await ask(coding);
      expect([coding, status, headers.get('accept-encoding')]).toEqual([coding, 415, 'identity']);
    }
    expect((await ask('identity')).status).not.toBe(415);
  },
);

test.each([...BODIES, ['GET', '/healthz', JSON_TYPE, ''], ['POST', '/nothing', JSON_TYPE, '{}']] as const)(
  '%s %s is not executed with a transfer coding but chunked',
  async (method, path, type, body) => {
    const line = `${method} ${path === '/wallet/' ? path + tenant.wallet : path}`;
    const chunks = `${body && `${body.length.toString(16)}\r\n${body}\r\n`}0\r\n\r\n`;
    const head = `Authorization: Bearer ${tenant.token}\r\nContent-Type: ${type}\r\n`;
    const ask = async (...codings: readonly string[]) => {
      const lines = codings.map((coding) => `Transfer-Encoding: ${coding}\r\n`).join('');
      return Number((await sendLine(line, head + lines, chunks)).slice(9, 12));
    };
    const chunked = await ask('chunked');
    expect(chunked).not.toBe(501);
    expect(await ask('Chunked')).toBe(chunked);
    const others = ['gzip, chunked', 'gzip,chunked', 'x, chunked', 'identity, chunked', ', chunked'];
    for (const coding of others) expect([coding, await ask(coding)]).toEqual([coding, 501]);
    expect(await ask('GZIP', 'chunked')).toBe(501);
    // The parser can't tell where these bodies end.
    for (const coding of ['gzip', 'chunked, gzip', 'identity', '']) expect(await ask(coding)).toBe(400);
    expect(await ask('chunked', 'chunked')).toBe(400);
  },
);

test('the error for a transfer coding has the form of the API', async () => {
  const reasons = ['/graphql', '/auth/apps', '/oauth/token'].map(async (path) => {
    const answer = await sendLine(`POST ${path}`, 'Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n');
    const { error, errors } = JSON.parse(answer.slice(answer.indexOf('{')));
    return errors?.[0].extensions ?? error.details?.[0] ?? { reason: error };
  });
  expect(await Promise.all(reasons)).toMatchObject([
    { reason: 'UNSUPPORTED_TRANSFER_CODING', status: 'UNIMPLEMENTED', code: 'BAD_REQUEST' },
    { reason: 'UNSUPPORTED_TRANSFER_CODING' },
    { reason: 'invalid_request' },
  ]);
});

test.each(BODIES.slice(0, 3))(
  '%s %s ignores a byte order mark before the body',
  async (method, path, type, body) => {
    const target = path === '/wallet/' ? path + tenant.wallet : path;
    const { status } = await send(target, method, { 'content-type': type }, BOM + body);
    expect(status).toBe(200);
  },
);

test('PATCH takes a merge patch, in which null is an error as in JSON, and names its media types', async () => {
  const path = `/wallet/${tenant.wallet}`;
  const types = 'application/json, application/merge-patch+json';
  const merge = { 'content-type': 'application/merge-patch+json' };
  const changed = await send(path, 'PATCH', merge, '{"title":"Merged"}');
  expect(await changed.json()).toMatchObject({ title: 'Merged' });
  expect((await send(path, 'PATCH', merge, '{"description":null}')).status).toBe(400);
  const refused = await send(path, 'PATCH', { 'content-type': 'application/json-patch+json' }, '[]');
  const options = await send(path, 'OPTIONS', {});
  expect([refused.status, options.status]).toEqual([415, 204]);
  expect([refused, options].map(({ headers }) => headers.get('accept-patch'))).toEqual([types, types]);
  const posted = await send('/auth/apps', 'POST', merge, '{"title":"App","active":true}');
  expect([posted.status, posted.headers.get('accept-patch')]).toEqual([415, null]);
});

test.each(['GET /%zz', 'GET /wallet/%', 'GET /docs/%C3%28', 'POST /graphql%', 'GET *'])(
  '%s has the headers of CORS, counts for the rate limit and is in the log',
  async (line) => {
    const response = await sendLine(line, 'Origin: https://page.example\r\n');
    expect(response).toMatch(/^HTTP\/1.1 400 /);
    expect(response).toMatch(/^access-control-allow-origin: /m);
    expect(response).toMatch(/^ratelimit: "address"/m);
    const [, id] = /^x-request-id: (.*)\r$/m.exec(response) ?? [];
    await expect.poll(() => gateway.log()).toMatch(new RegExp(`"reqId":"${id}".*"msg":"request"`));
  },
);

test('a long parameter of a path is an unknown path, with the headers of all responses', async () => {
  const { status, headers } = await send(`/docs/${'a'.repeat(10_000)}`, 'GET', {});
  expect([status, headers.has('ratelimit'), headers.has('access-control-allow-origin')]).toEqual([
    404,
    true,
    true,
  ]);
});

test('OPTIONS * is answered with the methods of the server', async () => {
  const response = await sendLine('OPTIONS *');
  expect(response).toMatch(/^HTTP\/1.1 204 /);
  const [, allow = ''] = /^allow: (.*)\r$/m.exec(response) ?? [];
  expect(allow.split(', ').toSorted()).toEqual(['GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST']);
});

test.each([
  ['/docs/', '../docs'],
  ['/docs/api', 'api.md'],
  ['/console/', '../console'],
])('%s leads to its page', async (path, location) => {
  const response = await fetch(gateway.url + path, { redirect: 'manual' });
  expect([response.status, response.headers.get('location')]).toEqual([308, location]);
  expect((await fetch(gateway.url + path)).status).toBe(200);
});

test('robots are told to stay away', async () => {
  const response = await fetch(`${gateway.url}/robots.txt`);
  expect([response.status, await response.text()]).toEqual([200, 'User-agent: *\nDisallow: /\n']);
});

test('security.txt has the contact of the setting, for less than a year, and is missing without it', async () => {
  const path = '/.well-known/security.txt';
  const contact = 'mailto:security@paw.example';
  const read = async (settings: Readonly<Record<string, string>>) => {
    const response = await fetch((await testGateway(settings)).url + path);
    return {
      status: response.status,
      type: response.headers.get('content-type'),
      text: await response.text(),
    };
  };
  const { status, type, text } = await read({ PAW_SECURITY_CONTACT: contact });
  expect([status, type]).toEqual([200, 'text/plain; charset=utf-8']);
  const [, expires = ''] = /^Contact: mailto:security@paw\.example\nExpires: (\S+)\n$/.exec(text) ?? [];
  const days = (Date.parse(expires) - Date.now()) / 86_400_000;
  expect([days > 300, days < 365]).toEqual([true, true]);
  const behindProxy = { PAW_SECURITY_CONTACT: contact, PUBLIC_URL: 'https://paw.example/gateway' };
  expect((await read(behindProxy)).text).toContain(`\nCanonical: https://paw.example${path}\n`);
  expect((await fetch(gateway.url + path)).status).toBe(404);
});
