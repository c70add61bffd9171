import { once } from 'node:events';
import { type IncomingMessage, request, STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../src/http/http-error.ts';
import { inLowerCase, ULID } from '../support/actors.ts';
import { challengeOf, type HttpResponse, readResponse } from '../support/apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import { expectDocumented } from '../support/rest-contract.ts';
import { rowsOf } from '../support/rows.ts';

type Request = {
  /** By default, that of the tenant. */
  readonly token?: string | null;
  /** By default, the type of JSON if there is a body. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Whether the body is sent without Content-Length. */
  readonly chunked?: boolean;
};

const JSON_TYPE = { 'content-type': 'application/json' };
const SIGN_IN = '/auth/accounts:signinIdentity';
const APP = '{"title":"App","active":true}';
const STRANGER = { token: null };

const PATHS = [
  { path: '/auth/apps', method: 'POST', allow: 'OPTIONS, POST' },
  { path: SIGN_IN, method: 'POST', allow: 'OPTIONS, POST' },
  { path: `/wallet/wallets/${ULID}`, method: 'PATCH', allow: 'OPTIONS, PATCH' },
  { path: '/project/projects', method: 'GET', allow: 'GET, HEAD, OPTIONS' },
] as const;

const BODY_PATHS = PATHS.filter(({ method }) => method !== 'GET');

/** The HTTP status and the canonical name of each reason. */
const REASONS = {
  BODY_TOO_LARGE: [413, 'INVALID_ARGUMENT'],
  INVALID_FIELD: [400, 'INVALID_ARGUMENT'],
  MALFORMED_REQUEST: [400, 'INVALID_ARGUMENT'],
  METHOD_NOT_ALLOWED: [405, 'UNIMPLEMENTED'],
  PATH_NOT_FOUND: [404, 'NOT_FOUND'],
  TOKEN_INVALID: [401, 'UNAUTHENTICATED'],
  TOKEN_MISSING: [401, 'UNAUTHENTICATED'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'INVALID_ARGUMENT'],
} as const;

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 3, wallets: 1 });

describe('paths and methods', () => {
  test.each([
    ['GET', '/nothing'],
    ['OPTIONS', '/nothing'],
    ['GET', '/project/projects/'],
    ['GET', '/project/Projects'],
    ['GET', '//project/projects'],
    ['GET', '/project/projects.json'],
    ['POST', '/auth//apps'],
    ['POST', '/auth/accounts:signinidentity'],
    ['POST', '/auth/accounts::signinIdentity'],
    ['POST', '/auth/accounts'],
    ['PATCH', '/wallet'],
    ['PATCH', `/wallets/${ULID}`],
    ['GET', '/covers/a/b'],
    ['GET', '/nothing/../project/projects'],
  ])('%s %s is 404, with a token and without', async (method, path) => {
    for (const request of [{}, STRANGER]) expectError(await ask(method, path, request), 'PATH_NOT_FOUND');
  });

  const wrong = PATHS.flatMap(({ path, method, allow }) =>
    ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']
      .filter((other) => other !== method)
      .map((other) => [other, path, allow] as const),
  );

  test.each(wrong)('%s %s is 405 with the header Allow: %s', async (method, path, allow) => {
    for (const request of [{}, STRANGER]) {
      const answer = await ask(method, path, request);
      expectError(answer, 'METHOD_NOT_ALLOWED');
      expect(allowOf(answer)).toBe(allow);
    }
  });

  test.each(BODY_PATHS)('HEAD $path is 405 without a body', async ({ path, allow }) => {
    const answer = await ask('HEAD', path);
    expect(answer).toMatchObject({ status: 405, text: '' });
    expect(allowOf(answer)).toBe(allow);
  });

  test.each(PATHS)('OPTIONS $path has the header Allow, without a token', async ({ path, allow }) => {
    const answer = await ask('OPTIONS', path, STRANGER);
    expect(answer).toMatchObject({ status: 204, text: '' });
    expect(allowOf(answer)).toBe(allow);
  });

  test('HEAD of the projects has the headers of GET, and no body, and needs a token', async () => {
    const [head, get] = [await ask('HEAD', '/project/projects'), await ask('GET', '/project/projects')];
    expect(head).toMatchObject({ status: 200, text: '' });
    expect(get.headers.get('content-length')).toBe(String(Buffer.byteLength(get.text)));
    for (const { headers } of [head, get]) {
      for (const name of ['date', 'ratelimit', 'x-request-id']) headers.delete(name);
    }
    expect([...head.headers]).toEqual([...get.headers]);
    expect(await ask('HEAD', '/project/projects', STRANGER)).toMatchObject({ status: 401, text: '' });
  });

  test.each(['/%', '/%zz', '/project/%zz', '/wallet/%zz', '/wallet/wallets%2', '/wallet/wallets%2F%C3%28'])(
    'a path with broken percent-encoding is malformed: %s',
    async (path) => {
      for (const method of ['GET', 'PATCH']) expectError(await ask(method, path), 'MALFORMED_REQUEST');
    },
  );
});

test.each(['/', '%2F', '%2f'])('the slash in the name of a wallet may be written as %s', async (slash) => {
  const [wallet = ''] = tenant.wallets;
  for (const name of [wallet, inLowerCase(wallet)]) {
    const { status, text } = await ask('PATCH', `/wallet/${name.replace('/', slash)}`, { body: '{}' });
    expect([status, JSON.parse(text).name]).toEqual([200, wallet]);
  }
});

test.each(['%3A', '%3a'])('the colon in the path of the sign-in may be written as %s', async (colon) => {
  const answer = await ask('POST', SIGN_IN.replace(':', colon), { body: '{}' }, SIGN_IN);
  expectError(answer, 'INVALID_FIELD', ['privateKey']);
});

test.each(['http://x', 'https://x:443', 'HTTP://user@x'])('a target may begin with %s', async (origin) => {
  const answer = await ask('GET', `${origin}/project/projects?pageSize=2`, {}, '/project/projects');
  expect([answer.status, JSON.parse(answer.text).projects.length]).toEqual([200, 2]);
  expect((await ask('GET', `${origin}/nothing`)).status).toBe(404);
  expect(await converse(`GET ${origin} HTTP/1.0\r\n\r\n`)).toContain('PAW gateway');
});

describe('bodies', () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/merge-patch+json',
    undefined,
  ];
  const typed = BODY_PATHS.flatMap(({ method, path }) => types.map((type) => [method, path, type] as const));

  test.each(typed)('%s %s with a body of the type %s is 415', async (method, path, type) => {
    const headers = type === undefined ? {} : { 'content-type': type };
    expectError(await ask(method, path, { headers, body: APP }), 'UNSUPPORTED_MEDIA_TYPE');
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('a body of the type %s is accepted', async (type) => {
    const answer = await ask('POST', '/auth/apps', { headers: { 'content-type': type }, body: APP });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ title: 'App', active: true });
  });

  const bodies = {
    nothing: undefined,
    'no bytes': '',
    'half an object': '{"title":',
    'an object and more': `${APP}}`,
    'an array': `[${APP}]`,
    'a string': '"title"',
    null: 'null',
    'malformed UTF-8': Buffer.concat([Buffer.from('{"title":"'), Buffer.of(0xff), Buffer.from('"}')]),
    'UTF-16': Buffer.from(APP, 'utf16le'),
  };
  const malformed = BODY_PATHS.flatMap(({ method, path }) =>
    Object.entries(bodies).map(([name, body]) => [method, path, name, body] as const),
  );

  test.each(malformed)('%s %s with a body of %s is 400', async (method, path, _name, body) => {
    const request = body === undefined ? {} : { body };
    expectError(await ask(method, path, request), 'MALFORMED_REQUEST');
  });

  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])('a body of the maximum length is accepted and one byte more is 413, sent %s', async (_name, chunked) => {
    const body = APP.padEnd(MAX_BODY_BYTES);
    const post = (body: string) => ask('POST', '/auth/apps', { body, chunked });
    expect((await post(body)).status).toBe(200);
    expectError(await post(`${body} `), 'BODY_TOO_LARGE');
  });
});

describe('a request without a valid token', () => {
  const unheard: Record<string, Request> = {
    'a body that is not JSON': { body: '{' },
    'a body of another type': { headers: { 'content-type': 'text/plain' }, body: 'x' },
    'a body that is too long': { body: ' '.repeat(MAX_BODY_BYTES + 1) },
    'a field that is not known': { body: '{"__proto__":1}' },
    'no body': {},
  };
  const rows = BODY_PATHS.flatMap(({ method, path }) =>
    Object.entries(unheard).map(([name, sent]) => [method, path, name, sent] as const),
  );

  test.each(rows)('%s %s is 401 before the check of %s', async (method, path, _name, sent) => {
    const missing = await ask(method, path, { ...sent, ...STRANGER });
    expectError(missing, 'TOKEN_MISSING');
    expect(challengeOf(missing)).toBe('Bearer realm="paw"');
    const bad = await ask(method, path, { ...sent, token: 'nonsense' });
    expectError(bad, 'TOKEN_INVALID');
    expect(challengeOf(bad)).toBe('Bearer realm="paw", error="invalid_token"');
  });

  test('is 401 before the check of its query', async () => {
    expectError(await ask('GET', '/project/projects?pageSize=0', STRANGER), 'TOKEN_MISSING');
  });
});

describe('the connection', () => {
  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a colon', 'GET / HTTP/1.1\r\nHost: x\r\nbroken\r\n\r\n'],
    [
      'two ways to end the body',
      'POST /auth/apps HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    ['no host', 'GET /project/projects HTTP/1.1\r\nConnection: close\r\n\r\n'],
    ['two hosts', 'GET /project/projects HTTP/1.1\r\nHost: x\r\nHost: x\r\nConnection: close\r\n\r\n'],
    ['a transfer coding other than chunked', 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: gzip\r\n\r\n'],
    ['an unknown method', 'FETCH / HTTP/1.1\r\nHost: x\r\n\r\n'],
  ])('is closed after an error in JSON if it carries %s', async (_name, bytes) => {
    expectRawError(await converse(bytes));
  });

  test.each([
    ['path', `GET /${'a'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['list of headers', `GET /healthz HTTP/1.1\r\nHost: x\r\n${'A: b\r\n'.repeat(20_000)}\r\n`],
  ])('is closed with 431 on a very long %s, without an effect on other connections', async (_name, bytes) => {
    const other = ask('GET', '/healthz');
    expectRawError(await converse(bytes), 431);
    expect((await other).status).toBe(200);
    expect((await ask('GET', '/healthz')).status).toBe(200);
  });

  test('gets the response to the request before one that is not valid, then the error', async () => {
    const app = rawRequest(APP);
    for (const rest of ['nonsense\r\n\r\n', 'CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n']) {
      const answer = await converse(app + app + rest);
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
      expect(answer.match(/"privateKey":"paw_key_\w+"/g)).toHaveLength(2);
    }
  });

  test('gets no second response to a request that is refused before its body, which is not valid', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write('POST /auth/apps HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const [response] = await once(socket, 'data');
    expect(String(response)).toMatch(/^HTTP\/1\.1 401 /);
    socket.write('nonsense\r\n\r\n');
    expect(await text(socket)).toBe('');
  });

  test('gets the responses to pipelined requests, which are processed one after the other', async () => {
    const path = `/wallet/${tenant.wallets[0]}`;
    const titles = Array.from({ length: 50 }, (_, n) => `Title ${n}`);
    const updates = titles.map((title) => rawRequest(`{"title":"${title}"}`, `PATCH ${path}`));
    const answer = await converse(updates.join('').replace(/(.*)Host: x/s, '$1Host: x\r\nConnection: close'));
    expect([...answer.matchAll(/"title":"(.*?)"/g)].map(([, title]) => title)).toEqual(titles);
    expect(JSON.parse((await ask('PATCH', path, { body: '{}' })).text).title).toBe('Title 49');
  });

  test('gets an error after 100 responses if it has sent more requests than these without a response', async () => {
    const health = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
    const hundred = await converse(health.repeat(99) + health.replace('x', 'x\r\nConnection: close'));
    expect(hundred.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(100);
    // Far more than Node reads at once.
    const answer = await converse(rawRequest(APP).repeat(1000));
    expect(answer.match(/"privateKey":"paw_key_\w+"/g)).toHaveLength(100);
    expectRawError(answer.slice(answer.lastIndexOf('HTTP/1.1 ')));
  });

  test('is closed at once if more than 400 requests wait', async () => {
    expect(await converse('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(1000))).toBe('');
  });

  test('gets the responses to what it has sent if its client then ends its side', async () => {
    expect(
      (await converse(rawRequest(APP).repeat(3), { end: true })).match(/"privateKey":"paw_key_/g),
    ).toHaveLength(3);
    expect(await converse('', { end: true })).toBe('');
    expectRawError(await converse(rawRequest(APP).slice(0, -5), { end: true }));
  });

  test.each([
    ['a refusal', 'POST /auth/apps', '', 401],
    ['a success', 'GET /healthz', '', 200],
    ['a malformed path', 'GET /%', '', 400],
    ['an unknown expectation', 'GET /healthz', 'Expect: nothing\r\n', 200],
  ])(
    'is closed by the response to Upgrade, and runs no part of what follows, for %s',
    async (_case, target, headers, status) => {
      const upgrade = `${target} HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`;
      const before = await rowsOf(gateway.database, 'app');
      // Node drops the head of the second request, so that its body would be a third one.
      const body = rawRequest(APP);
      const head = rawRequest(body).slice(0, -body.length);
      const answer = await converse(upgrade + head, { next: body });
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(await rowsOf(gateway.database, 'app')).toEqual(before);
    },
  );

  describe('of a client that waits for 100 before it sends a body', () => {
    const expecting = (headers: string) =>
      `POST /auth/apps HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/json\r\n${headers}\r\n\r\n`;

    test.each([
      ['no token', 401, () => `Content-Length: ${APP.length}`],
      ['a wrong token', 401, () => `Authorization: Bearer x\r\nContent-Length: ${APP.length}`],
      [
        'a body that is too long',
        413,
        () => `Authorization: Bearer ${tenant.token}\r\nContent-Length: 102401`,
      ],
    ])('gets a refusal in place of 100, and is closed, with %s', async (_case, status, headers) => {
      const answer = await converse(expecting(headers()));
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
      expect(answer).toMatch(/^connection: close\r$/im);
    });

    test('gets 100, then the response', async () => {
      const headers = `Connection: close\r\nAuthorization: Bearer ${tenant.token}\r\nContent-Length: ${APP.length}`;
      const answer = await converse(expecting(headers), { next: APP });
      expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    });
  });

  test('accepts a long path, query or token', async () => {
    const long = 'a'.repeat(10_000);
    expectError(await ask('GET', `/${long}`), 'PATH_NOT_FOUND');
    const wallet = await ask('PATCH', `/wallet/${long}`, { body: '{}' });
    expectError(wallet, 'INVALID_FIELD', ['name']);
    const page = await ask('GET', `/project/projects?pageToken=${long}`);
    expectError(page, 'INVALID_FIELD', ['pageToken']);
    expectError(await ask('GET', '/project/projects', { token: long }), 'TOKEN_INVALID');
  });
});

/** Sends a request that `fetch` would change or refuse, and expects a documented response. */
async function ask(
  method: string,
  path: string,
  sent: Request = {},
  documentedPath = path.replace(/\?.*/, ''),
): Promise<HttpResponse> {
  const { token = tenant.token, body, headers = body === undefined ? {} : JSON_TYPE, chunked = false } = sent;
  const { hostname, port } = new URL(gateway.url);
  const outgoing = request({
    hostname,
    port,
    path,
    method,
    headers: {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(body !== undefined &&
        (chunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': Buffer.byteLength(body) })),
      ...headers,
    },
  });
  const responded = once(outgoing, 'response') as Promise<[IncomingMessage]>;
  outgoing.end(body);
  const [response] = await responded;
  const answer = await readResponse(response);
  if (path !== '/healthz') expectDocumented(method, documentedPath, answer);
  return answer;
}

/** Returns the bytes of a request with a body. By default, it creates an app. */
function rawRequest(body: string, target = 'POST /auth/apps'): string {
  return `${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${tenant.token}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/**
 * Sends bytes on a new connection. Returns all received data when the connection is closed.
 *
 * @param next what is sent after the first response
 * @param end whether the client then ends its side of the connection
 */
async function converse(bytes: string, { next = '', end = false } = {}): Promise<string> {
  const { hostname, port } = new URL(gateway.url);
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  socket.on('error', () => {}).on('end', () => socket.end());
  socket.write(bytes, 'latin1');
  if (end) socket.end();
  const heard: Buffer[] = [];
  socket.once('data', () => next && socket.write(next));
  socket.on('data', (data: Buffer) => heard.push(data));
  await once(socket, 'close');
  return Buffer.concat(heard).toString();
}

/** Checks an error. That its format is documented is checked for every response. */
function expectError(
  { status: httpStatus, headers, text }: HttpResponse,
  reason: keyof typeof REASONS,
  fields: readonly string[] = [],
  code: number = REASONS[reason][0],
): void {
  const { error } = JSON.parse(text);
  const [errorInfo, badRequest] = error.details;
  expect([httpStatus, error.code, error.status, errorInfo.reason]).toEqual([
    code,
    code,
    REASONS[reason][1],
    reason,
  ]);
  expect(errorInfo.metadata.requestId).toBe(headers.get('x-request-id'));
  const violations: readonly { field: string }[] = badRequest?.fieldViolations ?? [];
  expect(violations.map(({ field }) => field)).toEqual(fields);
  expect(text).not.toMatch(/\\n|node_modules|node:|\.ts\b|\/src\/|FST_|HPE_|SyntaxError/);
}

/** Checks the response to an invalid HTTP request, which was written directly to the socket. */
function expectRawError(answer: string, status = 400): void {
  const end = answer.indexOf('\r\n\r\n');
  const [[statusLine, ...lines], text] = [answer.slice(0, end).split('\r\n'), answer.slice(end + 4)];
  const headers = new Headers(
    lines.map((line): [string, string] => [line.replace(/:.*/, ''), line.replace(/.*?: /, '')]),
  );
  expect(statusLine).toBe(`HTTP/1.1 ${status} ${STATUS_CODES[status]}`);
  expect(headers.get('connection')).toBe('close');
  expectError({ status, headers, text }, 'MALFORMED_REQUEST', [], status);
  // The operation is unknown. This response is documented for every operation.
  expectDocumented('GET', '/project/projects', { status, headers, text });
}

function allowOf({ headers }: HttpResponse): string {
  return (headers.get('allow') ?? '').split(', ').sort().join(', ');
}
