import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { MISSING_WALLET, withOtherSecret } from '../support/actors.ts';
import { type HttpResponse, postGraphql, readResponse, send } from '../support/apis.ts';
import { onDatabase } from '../support/engine.ts';
import { adminContext, makeDatabase, migrateDatabase, seedTenant, type Tenant } from '../support/gateway.ts';
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts';
import { logLines, type RunningServer, startServerProcess } from '../support/paw.ts';

const SHIPPED = fileURLToPath(new URL('../../deploy/tracing.js', import.meta.url));

// A folder from which the packages of the tests are found.
const FOLDER = fileURLToPath(
  new URL(`../node_modules/.cache/traces-${process.pid}-${inject('engine')}`, import.meta.url),
);

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3];
const [UNSET, ERROR] = [0, 2];

const PARENT = 'b7ad6b7169203331';

const PAGE = 'query Page($first: Int) { projects(first: $first) { totalCount nodes { title } } }';
const UPDATE =
  'mutation Change($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { project { title } } } }';

const SECRETS = { title: 'a private title', password: 'p'.repeat(32) };

/** The same in each trace of a request with a token, below the span of the request. */
const AUTHENTICATION = ['  authenticate', '    SELECT token account'];

const isSqlite = inject('engine') === 'sqlite';
const sync = (indentation: number) => (isSqlite ? [`${' '.repeat(indentation)}sync`] : []);

// The system selects the worker of a connection by a hash.
const CONCURRENT = 40;

let receiver: OtlpReceiver;
let server: RunningServer;
let tenant: Tenant;
let withoutTrace: HttpResponse;
let inOtherTrace: HttpResponse;
let spans: readonly ReceivedSpan[];

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  const made = await makeDatabase();
  await migrateDatabase(made.url);
  tenant = await onDatabase(made.url, (database) =>
    seedTenant({ admin: adminContext(database) }, { projects: 2, wallets: 1 }),
  );
  mkdirSync(FOLDER, { recursive: true });
  copyFileSync(SHIPPED, `${FOLDER}/tracing.js`);
  const ends: (() => Promise<void>)[] = [];
  const settings = {
    DATABASE_URL: made.url,
    NODE_OPTIONS: `--import=${FOLDER}/tracing.js`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    PAW_LOG_REQUESTS: 'all',
    PAW_WORKERS: '2',
  };
  server = await startServerProcess(settings, (end) => ends.push(end));
  await sendRequests();
  await onDatabase(made.url, (own) => own.write('ALTER TABLE project RENAME TO renamed'));
  const page = `${server.url}/project/projects`;
  expect((await send(page, 'GET', tenant.token, undefined, inTrace('fault'))).status).toBe(500);
  // The last spans are sent when the server stops.
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  spans = receiver.spans();
  return async () => {
    for (const end of ends) await end();
    receiver.close();
    await made.remove();
    rmSync(FOLDER, { recursive: true });
  };
});

async function sendRequests(): Promise<void> {
  const { url } = server;
  const { token, projects, wallets } = tenant;
  const [wallet = ''] = wallets;
  const [, project = ''] = projects;
  const input = { name: wallet, title: SECRETS.title };
  await send(`${url}/project/projects`, 'GET', token, undefined, inTrace('REST page'));
  await send(`${url}/wallet/${wallet}`, 'PATCH', token, { ...SECRETS, project }, inTrace('REST update'));
  await postGraphql(url, token, UPDATE, { input }, inTrace('GraphQL update'));
  // One of the two workers has compiled the query afterwards.
  for (let n = 0; n < 4; n += 1)
    await postGraphql(url, token, PAGE, { first: 1 }, inTrace(`GraphQL page ${n}`));
  await postGraphql(url, token, PAGE, { first: 0 }, inTrace('GraphQL error'));
  await postGraphql(url, token, '{ nothing }', {}, inTrace('GraphQL document'));
  const app = { title: SECRETS.title, active: true };
  const headers = { ...inTrace('attempt'), 'idempotency-key': 'key' };
  const created = await send(`${url}/auth/apps`, 'POST', token, app, headers);
  const { name, privateKey } = JSON.parse(created.text);
  const undone = { ...inTrace('refused attempt'), 'idempotency-key': 'refused' };
  await send(`${url}/wallet/${MISSING_WALLET}`, 'PATCH', token, { title: SECRETS.title }, undone);
  const signIn = `${url}/auth/accounts:signinIdentity`;
  await send(signIn, 'POST', token, { privateKey: { name, privateKey } }, inTrace('sign-in'));
  const refused = withOtherSecret(token);
  inOtherTrace = await send(`${url}/project/projects`, 'GET', refused, undefined, inTrace('refused token'));
  await send(`${url}/a-secret-path?a-secret=query`, 'GET', token, undefined, inTrace('unknown path'));
  await send(`${url}/readyz`, 'GET', undefined, undefined, inTrace('health check'));
  withoutTrace = await send(`${url}/project/projects`, 'GET', token);
  const key = JSON.stringify({ privateKey: { name, privateKey } });
  await sendTogether((n) =>
    n % 2 === 0
      ? { method: 'PATCH', path: `/wallet/${wallet}`, body: '{"title":"Title"}', trace: `update ${n}` }
      : { method: 'POST', path: '/auth/accounts:signinIdentity', body: key, trace: `sign-in ${n}` },
  );
}

type Sent = { readonly method: string; readonly path: string; readonly body: string; readonly trace: string };

/** Sends requests on connections of their own. Their bodies arrive together, after the headers of all of them. */
async function sendTogether(requestOf: (n: number) => Sent): Promise<void> {
  const authorization = `Bearer ${tenant.token}`;
  const started = Array.from({ length: CONCURRENT }, async (_, n) => {
    const { method, path, body, trace } = requestOf(n);
    const headers = {
      ...inTrace(trace),
      authorization,
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
    };
    const sent = request(`${server.url}${path}`, { agent: false, method, headers });
    sent.flushHeaders();
    // The server sends this when it waits for the body.
    await once(sent, 'continue');
    return { sent, body };
  });
  const responses = (await Promise.all(started)).map(async ({ sent, body }) => {
    sent.end(body);
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    return readResponse(response);
  });
  for (const { status } of await Promise.all(responses)) expect(status).toBe(200);
}

describe('a request', () => {
  test('is a span whose children are the operations of the data layer, and theirs the statements', () => {
    expect(treeOf('REST page')).toEqual([
      'GET /project/projects',
      ...AUTHENTICATION,
      '  listProjects',
      '    SELECT project',
    ]);
    expect(treeOf('REST update')).toEqual([
      'PATCH /wallet/*',
      ...AUTHENTICATION,
      '  updateWallet',
      '    SELECT wallet project',
      '    UPDATE wallet project',
      ...sync(6),
    ]);
  });

  test('of GraphQL has a span for the operation in between, with and without compilation', () => {
    for (let n = 0; n < 4; n += 1) {
      const tree = [
        'POST /graphql',
        ...AUTHENTICATION,
        '  query',
        '    listProjects',
        '      SELECT project',
        '    SELECT account project',
      ];
      expect(treeOf(`GraphQL page ${n}`).toSorted()).toEqual(tree.toSorted());
    }
    expect(treeOf('GraphQL update')).toEqual([
      'POST /graphql',
      ...AUTHENTICATION,
      '  mutation',
      '    updateWallet',
      '      UPDATE wallet project',
      ...sync(8),
      '    getResources',
      '      SELECT project',
    ]);
  });

  test('with several writes has a span for the transaction', () => {
    expect(treeOf('sign-in')).toEqual([
      'POST /auth/accounts:signinIdentity',
      ...AUTHENTICATION,
      '  signIn',
      '    SELECT app',
      '    transaction',
      '      UPDATE app',
      '      DELETE token',
      '      INSERT token',
      '      INSERT audit_event',
      ...sync(6),
    ]);
  });

  test('with an Idempotency-Key has spans for the attempt', () => {
    const tree = treeOf('attempt');
    expect(tree).toEqual(expect.arrayContaining(['  attempt', '  createApp', '    transaction', '  keep']));
    expect(tree).toEqual(expect.arrayContaining(['    INSERT app project', '    INSERT idempotency_key']));
  });

  test('has its own spans if other requests run at the same time, in both workers', () => {
    const names = Array.from({ length: CONCURRENT }, (_, n) => `${n % 2 === 0 ? 'update' : 'sign-in'} ${n}`);
    for (const name of names) {
      const alone = name.startsWith('update') ? 'REST update' : 'sign-in';
      // Only an update of the project reads it first.
      const expected = treeOf(alone).filter((line) => line !== '    SELECT wallet project');
      expect([name, ...treeOf(name)]).toEqual([name, ...expected]);
      expect(new Set(spansOf(name).map(({ instance }) => instance)).size).toBe(1);
    }
    expect(new Set(names.flatMap(spansOf).map(({ instance }) => instance)).size).toBe(2);
  });

  test('without a trace of the client begins one, whose id is in the log', () => {
    const roots = spans.filter(({ parentSpanId }) => parentSpanId === undefined);
    expect(roots.map(({ name }) => name)).toEqual(['GET /project/projects']);
    const inLog = (response: HttpResponse) =>
      logLines(server.output()).find(({ reqId }) => reqId === response.headers.get('x-request-id'));
    expect(inLog(withoutTrace)).toMatchObject({ traceId: roots[0]?.traceId });
    expect(inLog(inOtherTrace)).toMatchObject({ traceId: traceIdOf('refused token') });
  });

  test('that is a health check has no span', () => {
    expect(spansOf('health check')).toEqual([]);
  });
});

describe('the attributes', () => {
  const http = {
    'http.request.method': 'GET',
    'http.route': '/project/projects',
    'url.scheme': 'http',
    'network.protocol.version': '1.1',
    'client.address': '127.0.0.1',
  };
  const connection = isSqlite
    ? { 'db.system.name': 'sqlite' }
    : {
        'db.system.name': 'postgresql',
        'db.namespace': expect.stringMatching(/^paw_/),
        'server.address': expect.stringMatching(/^(127\.0\.0\.1|localhost)$/),
        'server.port': expect.any(Number),
      };

  test('of a request are the route and the status, and a refused token is not an error of the server', () => {
    expect(spanOf('REST page', 'GET /project/projects')).toMatchObject({
      parentSpanId: PARENT,
      kind: SERVER,
      status: { code: UNSET },
      attributes: { ...http, 'http.response.status_code': 200 },
    });
    expect(spanOf('refused token', 'GET /project/projects')).toMatchObject({
      status: { code: UNSET },
      attributes: { ...http, 'http.response.status_code': 401 },
    });
    expect(spanOf('refused token', 'authenticate')).toMatchObject({
      kind: INTERNAL,
      status: { code: UNSET },
      attributes: { 'error.type': 'TOKEN_INVALID' },
    });
    const unknown = spanOf('unknown path', 'GET').attributes;
    expect(unknown).toMatchObject({ 'http.response.status_code': 404 });
    expect(unknown).not.toHaveProperty('http.route');
  });

  test('of a transaction that is undone because the request is refused are not those of a fault', () => {
    const undone = spansOf('refused attempt');
    expect(undone.map(({ name }) => name)).toContain('transaction');
    expect(undone.filter(({ status }) => status.code !== UNSET)).toEqual([]);
    expect(spanOf('refused attempt', 'transaction').attributes).not.toHaveProperty('error.type');
  });

  test('of a GraphQL operation are its type, its name and the reason of its first error', () => {
    const operation = { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Page' };
    expect(spanOf('GraphQL page 0', 'query')).toMatchObject({ kind: INTERNAL, attributes: operation });
    expect(spanOf('GraphQL page 3', 'query').attributes).toEqual(operation);
    expect(spanOf('GraphQL error', 'query').attributes).toEqual({
      ...operation,
      'error.type': 'INVALID_FIELD',
    });
    expect(spanOf('GraphQL document', 'GraphQL Operation').attributes).toEqual({
      'error.type': 'GRAPHQL_VALIDATION_FAILED',
    });
  });

  test('of a statement are its text and its database', () => {
    expect(spanOf('REST update', 'UPDATE wallet project')).toMatchObject({
      kind: CLIENT,
      attributes: {
        ...connection,
        'db.operation.name': 'UPDATE',
        'db.query.summary': 'UPDATE wallet project',
        'db.query.text': expect.stringMatching(/^UPDATE wallet SET\s.*\$1/s),
      },
    });
    expect(spanOf('sign-in', 'transaction')).toMatchObject({ kind: INTERNAL, attributes: connection });
  });

  test.runIf(isSqlite)(
    'of a sync are the number of its commits, and its time, which the write waits for',
    () => {
      const [write, synced] = [spanOf('REST update', 'UPDATE wallet project'), spanOf('REST update', 'sync')];
      expect(synced).toMatchObject({ kind: INTERNAL, attributes: { ...connection, 'paw.sync.commits': 1 } });
      expect(BigInt(synced.endTimeUnixNano)).toBeGreaterThan(BigInt(synced.startTimeUnixNano));
      expect(BigInt(write.endTimeUnixNano)).toBeGreaterThan(BigInt(synced.startTimeUnixNano));
    },
  );

  test('of a fault are its reason, and the code of the database', () => {
    const fault = { status: { code: ERROR }, attributes: { 'error.type': 'INTERNAL' } };
    expect(spanOf('fault', 'GET /project/projects')).toMatchObject({
      ...fault,
      attributes: { ...fault.attributes, 'http.response.status_code': 500 },
    });
    expect(spanOf('fault', 'listProjects')).toMatchObject(fault);
    expect(spanOf('fault', 'SELECT project')).toMatchObject({
      ...fault,
      attributes: { ...fault.attributes, 'db.response.status_code': isSqlite ? '1' : '42P01' },
    });
  });

  test('contain no secret, no path and no value of a request', () => {
    const text = receiver.text();
    expect(text).toContain('UPDATE wallet project');
    expect(text).not.toMatch(/paw_(acct|app|key)_|a-secret|a private title|p{32}/);
    for (const name of [...tenant.projects, ...tenant.wallets]) expect(text).not.toContain(name);
  });
});

/** The id of the trace that the client has begun for a request. */
function traceIdOf(request: string): string {
  return createHash('md5').update(request).digest('hex');
}

/** The headers of a request that is part of a trace. */
function inTrace(request: string) {
  return { traceparent: `00-${traceIdOf(request)}-${PARENT}-01` };
}

/** The spans of the trace of a request, in the order in which they ended. */
function spansOf(request: string): readonly ReceivedSpan[] {
  return spans.filter(({ traceId }) => traceId === traceIdOf(request));
}

/** The span with a name in the trace of a request. There must be exactly one. */
function spanOf(request: string, name: string): ReceivedSpan {
  const found = spansOf(request).filter((span) => span.name === name);
  expect(found.map((span) => span.name)).toEqual([name]);
  return found[0] as ReceivedSpan;
}

/** The names of the spans of a request, in the order of their ends, with an indentation of two spaces for each parent. */
function treeOf(request: string): readonly string[] {
  const below = (parent: string, indentation: string): readonly string[] =>
    spansOf(request)
      .filter(({ parentSpanId }) => parentSpanId === parent)
      .flatMap(({ name, spanId }) => [indentation + name, ...below(spanId, `${indentation}  `)]);
  return below(PARENT, '');
}
