import { once } from 'node:events';
import { type IncomingMessage, request, STATUS_CODES } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { MAX_BODY_BYTES } from '../../../src/http/errors/error-responses.ts';
import { challengeOf, type HttpResponse, readResponse } from '../../support/both-apis.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { BROWSER, constantHeaders, request as getPath } from '../../support/pages.ts';
import { inLowerCase, ULID } from '../../support/requests.ts';
import { expectDocumented } from '../../support/rest-contract.ts';
import { rowsOf } from '../../support/rows.ts';

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
  ])('%s %s is 404, with a token and without, and in a browser', async (method, path) => {
    for (const request of [{}, STRANGER, { ...STRANGER, headers: BROWSER }]) {
      expectError(await ask(method, path, request), 'PATH_NOT_FOUND');
    }
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

  test('HEAD of the projects needs a token', async () => {
    expect(await ask('HEAD', '/project/projects', STRANGER)).toMatchObject({ status: 401, text: '' });
  });

  test.each(['/%', '/%zz', '/project/%zz', '/wallet/%zz', '/wallet/wallets%2', '/wallet/wallets%2F%C3%28'])(
    'a path with broken percent-encoding is malformed: %s',
    async (path) => {
      for (const method of ['GET', 'PATCH']) expectError(await ask(method, path), 'MALFORMED_REQUEST');
    },
  );
});

test.each(['/project/projects', `/covers/${ULID}.svg`, '/schema.graphql', '/nothing'])(
  'HEAD of %s has the status and the headers of GET, and no body',
  async (path) => {
    const headers = { ...BROWSER, authorization: `Bearer ${tenant.token}` };
    const head = await getPath(gateway.url, { path, headers, method: 'HEAD' });
    const get = await getPath(gateway.url, { path, headers });
    expect([head.statusCode, await text(head)]).toEqual([get.statusCode, '']);
    expect(constantHeaders(head)).toEqual(constantHeaders(get));
    expect(get.headers['content-length']).toBe(String(Buffer.byteLength(await text(get))));
  },
);

test.each(['/', '%2F', '%2f'])('the slash in the name of a wallet may be written as %s', async (slash) => {
  const { wallet } = tenant;
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

const bodies: readonly (readonly [name: string, request: Request, reason: keyof typeof REASONS])[] = [
  ['nothing', {}, 'MALFORMED_REQUEST'],
  ['no bytes', { body: '' }, 'MALFORMED_REQUEST'],
  ['half an object', { body: '{"title":' }, 'MALFORMED_REQUEST'],
  ['an object and more', { body: `${APP}}` }, 'MALFORMED_REQUEST'],
  ['an array', { body: `[${APP}]` }, 'MALFORMED_REQUEST'],
  ['a string', { body: '"title"' }, 'MALFORMED_REQUEST'],
  ['null', { body: 'null' }, 'MALFORMED_REQUEST'],
  ['malformed UTF-8', { body: Buffer.from('{"title":"\xff"}', 'latin1') }, 'MALFORMED_REQUEST'],
  ['UTF-16', { body: Buffer.from(APP, 'utf16le') }, 'MALFORMED_REQUEST'],
  ['101 KB', { body: ' '.repeat(MAX_BODY_BYTES + 1) }, 'BODY_TOO_LARGE'],
  ['no type', { body: APP, headers: {} }, 'UNSUPPORTED_MEDIA_TYPE'],
  ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x'].map(typed),
  typed('application/json-patch+json'),
];

function typed(type: string) {
  return [type, { body: APP, headers: { 'content-type': type } }, 'UNSUPPORTED_MEDIA_TYPE'] as const;
}

describe.each(BODY_PATHS)('$method $path', ({ method, path }) => {
  test.each(bodies)(
    'with the body %s is refused, and is 401 before that without a valid token',
    async (_, request, reason) => {
      expectError(await ask(method, path, request), reason);
      const missing = await ask(method, path, { ...request, ...STRANGER });
      expectError(missing, 'TOKEN_MISSING');
      expect(challengeOf(missing)).toBe('Bearer realm="paw"');
      const bad = await ask(method, path, { ...request, token: 'nonsense' });
      expectError(bad, 'TOKEN_INVALID');
      expect(challengeOf(bad)).toBe('Bearer realm="paw", error="invalid_token"');
    },
  );
});

describe('a body', () => {
  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'Application/JSON',
  ])('of the type %s is accepted', async (type) => {
    const answer = await ask('POST', '/auth/apps', { headers: { 'content-type': type }, body: APP });
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.text)).toMatchObject({ title: 'App', active: true });
  });

  test.each([
    ['with its length', false],
    ['in chunks', true],
  ])('of the maximum length is accepted and one byte more is 413, sent %s', async (_name, chunked) => {
    const body = APP.padEnd(MAX_BODY_BYTES);
    const post = (body: string) => ask('POST', '/auth/apps', { body, chunked });
    expect((await post(body)).status).toBe(200);
    expectError(await post(`${body} `), 'BODY_TOO_LARGE');
  });
});

describe('the connection', () => {
  test.each([
    ['no HTTP', 'nonsense\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'],
    ['a header without a colon', headOf('GET /', 'broken')],
    ['two ways to end the body', headOf('POST /', 'Content-Length: 1', 'Transfer-Encoding: chunked')],
    ['no host', headOf('GET /', 'Connection: close').replace('Host: x\r\n', '')],
    ['two hosts', headOf('GET /', 'Host: x', 'Connection: close')],
    ['a transfer coding other than chunked', headOf('POST /', 'Transfer-Encoding: gzip')],
    ['an unknown method', headOf('FETCH /')],
  ])('is closed after an error in JSON if it carries %s', async (_name, bytes) => {
    expectRawError(await converse(bytes));
  });

  test.each([
    ['path', headOf(`GET /${'a'.repeat(100_000)}`)],
    ['list of headers', headOf('GET /', ...Array(20_000).fill('A: b'))],
  ])('is closed with 431 on a very long %s, without an effect on other connections', async (_name, bytes) => {
    const other = ask('GET', '/healthz');
    expectRawError(await converse(bytes), 431);
    expect((await other).status).toBe(200);
    expect((await ask('GET', '/healthz')).status).toBe(200);
  });

  test('gets the response to the request before one that is not valid, then the error', async () => {
    const app = rawRequest(APP);
    for (const rest of ['nonsense\r\n\r\n', headOf('CONNECT x:443')]) {
      const answer = await converse(app + app + rest);
      expect(statusesIn(answer)).toEqual([200, 200, 400]);
      expect(answer.match(/"privateKey":"paw_key_\w+"/g)).toHaveLength(2);
    }
  });

  test('gets no second response to a request that is refused before its body, which is not valid', async () => {
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    socket.write(headOf('POST /auth/apps', 'Transfer-Encoding: chunked'));
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
    const hundred = headOf('GET /healthz').repeat(99) + headOf('GET /healthz', 'Connection: close');
    expect(statusesIn(await converse(hundred))).toEqual(Array(100).fill(200));
    // Far more than Node reads at once.
    const answer = await converse(rawRequest(APP).repeat(1000));
    expect(answer.match(/"privateKey":"paw_key_\w+"/g)).toHaveLength(100);
    expectRawError(answer.slice(answer.lastIndexOf('HTTP/1.1 ')));
  });

  test('is closed at once if more than 400 requests wait', async () => {
    expect(await converse(headOf('GET /healthz').repeat(1000))).toBe('');
  });

  test('gets the responses to what it has sent if its client then ends its side', async () => {
    const answer = await converse(rawRequest(APP).repeat(3), { end: true });
    expect(answer.match(/"privateKey":"paw_key_/g)).toHaveLength(3);
    expect(await converse('', { end: true })).toBe('');
    expectRawError(await converse(rawRequest(APP).slice(0, -5), { end: true }));
  });

  test.each([
    ['a refusal', 'POST /auth/apps', 'A: b', 401],
    ['a success', 'GET /healthz', 'A: b', 200],
    ['a malformed path', 'GET /%', 'A: b', 400],
    ['an unknown expectation', 'GET /healthz', 'Expect: nothing', 200],
  ])(
    'ends with the response to Upgrade, and runs no part of what follows, for %s',
    async (_, target, header, status) => {
      const before = await rowsOf(gateway.database, 'app');
      // Node drops the head of the second request, so that its body would be a third one.
      const body = rawRequest(APP);
      const upgrade = headOf(target, 'Connection: Upgrade', 'Upgrade: websocket', header);
      const answer = await converse(upgrade + rawRequest(body).slice(0, -body.length), { next: body });
      expect(statusesIn(answer)).toEqual([status]);
      expect(answer).toMatch(/^connection: close\r$/im);
      expect(await rowsOf(gateway.database, 'app')).toEqual(before);
    },
  );

  describe('of a client that waits for 100 before it sends a body', () => {
    const expecting = (authorization: string, length = APP.length, connection = 'keep-alive') =>
      headOf(
        ...(['POST /auth/apps', 'Expect: 100-continue', `Authorization: ${authorization}`] as const),
        ...['Content-Type: application/json', `Content-Length: ${length}`, `Connection: ${connection}`],
      );

    test.each([
      ['no token', 401, () => expecting('')],
      ['a wrong token', 401, () => expecting('Bearer x')],
      ['a body that is too long', 413, () => expecting(`Bearer ${tenant.token}`, MAX_BODY_BYTES + 1)],
    ])('gets a refusal in place of 100, and is closed, with %s', async (_case, status, bytes) => {
      const answer = await converse(bytes());
      expect(statusesIn(answer)).toEqual([status]);
      expect(answer).toMatch(/^connection: close\r$/im);
    });

    test('gets 100, then the response', async () => {
      const answer = await converse(expecting(`Bearer ${tenant.token}`, APP.length, 'close'), { next: APP });
      expect(statusesIn(answer)).toEqual([100, 200]);
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

/** Returns the bytes of a request without a body. */
function headOf(target: string, ...headers: readonly string[]): string {
  return [`${target} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n');
}

/** Returns the bytes of a request with a body. By default, it creates an app. */
function rawRequest(body: string, target = 'POST /auth/apps'): string {
  const type = 'Content-Type: application/json';
  return (
    headOf(target, `Authorization: Bearer ${tenant.token}`, type, `Content-Length: ${body.length}`) + body
  );
}

function statusesIn(answer: string): readonly number[] {
  return [...answer.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status));
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
