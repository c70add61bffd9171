import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { type HttpResponse, postGraphql, send } from '../../support/both-apis.ts';
import { onDatabase } from '../../support/engine.ts';
import { makeDatabase, seedDatabase, type Tenant, testDatabase } from '../../support/gateway.ts';
import { startHttpServer } from '../../support/http-server.ts';
import { withOtherSecret } from '../../support/requests.ts';
import { logLines, type RunningServer, startServerProcess } from '../../support/run-command.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const SHIPPED = fileURLToPath(new URL('../../../deploy/tracing.mjs', import.meta.url));

/** A span as it is received. Source: OpenTelemetry protocol, version 1.7. */
type ReceivedSpan = {
  readonly traceId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: Readonly<Record<string, unknown>>;
};

// A folder from which the packages of the tests are found.
const FOLDER = fileURLToPath(new URL(`../node_modules/.cache/traces-${process.pid}`, import.meta.url));

const TRACING = `${FOLDER}/tracing.mjs`;

const [SERVER, CLIENT] = [2, 3];
const [UNSET, OK, ERROR] = [0, 1, 2];

const PARENT = 'b7ad6b7169203331';

const PAGE = 'query Page($first: Int) { projects(first: $first) { totalCount nodes { title } } }';
const UPDATE =
  'mutation Change($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { title } } }';

const SECRETS = { title: 'a private title', password: 'p'.repeat(32) };

// A query is compiled at its second execution, after which a mutation is executed without Apollo Server.
const PAGES = 4;

const LISTS = 'query Lists { projects { nodes { wallets(first: 1) { totalCount nodes { title } } } } }';

const CONCURRENT = 20;

/** The bodies of the exports that were received. */
const bodies: string[] = [];
let server: RunningServer;
let tenant: Tenant;
let withoutTrace: HttpResponse;
let inOtherTrace: HttpResponse;
let spans: readonly ReceivedSpan[];

startBeforeAll(async (opening) => {
  const receiver = await startHttpServer(async (request, response) => {
    const body = await text(request);
    bodies.push(body);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  opening.defer(receiver.stop);
  const made = await makeDatabase();
  opening.defer(made.remove);
  tenant = await seedDatabase(made.url, { projects: 2, wallets: 2 });
  mkdirSync(FOLDER, { recursive: true });
  opening.defer(() => rmSync(FOLDER, { recursive: true }));
  // As npm makes it in an empty folder.
  writeFileSync(`${FOLDER}/package.json`, '{}');
  copyFileSync(SHIPPED, TRACING);
  const settings = {
    DATABASE_URL: made.url,
    NODE_OPTIONS: `--import=${TRACING}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    PAW_LOG_REQUESTS: 'all',
  };
  server = await startServerProcess(settings, (end) => opening.defer(end));
  await sendRequests();
  await onDatabase(made.url, (own) => own.write('ALTER TABLE project RENAME title TO away'));
  const page = `${server.url}/project/projects`;
  expect((await send(page, 'GET', tenant.token, undefined, inTrace('fault'))).status).toBe(500);
  // The last spans are sent when the server stops.
  expect(await server.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  spans = bodies.flatMap(spansIn);
});

async function sendRequests(): Promise<void> {
  const { url } = server;
  const { token, wallet } = tenant;
  const page = `${url}/project/projects`;
  // The first use of a token is recorded.
  withoutTrace = await send(page, 'GET', token);
  await send(page, 'GET', token, undefined, inTrace('REST page'));
  await send(`${url}/wallet/${wallet}`, 'PATCH', token, SECRETS, inTrace('REST update'));
  for (let n = 0; n < PAGES; n += 1) {
    await postGraphql(url, token, PAGE, { first: 1 }, inTrace(`GraphQL page ${n}`));
  }
  await postGraphql(url, token, LISTS, {}, inTrace('GraphQL lists'));
  for (let n = 0; n < PAGES; n += 1) {
    const input = { name: wallet, ...SECRETS };
    await postGraphql(url, token, UPDATE, { input }, inTrace(`GraphQL update ${n}`));
  }
  await postGraphql(url, token, PAGE, { first: 0 }, inTrace('GraphQL error'));
  await postGraphql(
    url,
    token,
    '{ node(id: 1, secret: "a private title") }',
    {},
    inTrace('GraphQL document'),
  );
  inOtherTrace = await send(page, 'GET', withOtherSecret(token), undefined, inTrace('refused token'));
  await send(`${url}/a-secret-path?a-secret=query`, 'GET', token, undefined, inTrace('unknown path'));
  await send(`${url}/readyz`, 'GET', undefined, undefined, inTrace('health check'));
  await Promise.all(
    Array.from({ length: CONCURRENT }, (_, n) =>
      n % 2 === 0
        ? send(page, 'GET', token, undefined, inTrace(`concurrent ${n}`))
        : send(`${url}/wallet/${wallet}`, 'PATCH', token, SECRETS, inTrace(`concurrent ${n}`)),
    ),
  );
}

test('a request is a span below that of its client, with its route, status, GraphQL operation and failure', () => {
  const http = (method: string, route: string, status: number) => ({
    'http.request.method': method,
    'http.route': route,
    'http.response.status_code': status,
  });
  const operation = { 'graphql.operation.type': 'query', 'graphql.operation.name': 'Page' };
  const graphql = { ...http('POST', '/graphql', 200), ...operation };
  expect(requestOf('REST page')).toMatchObject({
    name: 'GET /project/projects',
    kind: SERVER,
    parentSpanId: PARENT,
    status: { code: UNSET },
    attributes: http('GET', '/project/projects', 200),
  });
  expect(requestOf('REST update').attributes).toMatchObject(http('PATCH', '/wallet/*', 200));
  // The first two were executed by Apollo Server, and the others by the compiled query.
  for (let n = 0; n < PAGES; n += 1) expect(requestOf(`GraphQL page ${n}`).attributes).toMatchObject(graphql);
  expect(requestOf('GraphQL error')).toMatchObject({
    status: { code: OK },
    attributes: { ...graphql, 'error.type': 'INVALID_FIELD' },
  });
  expect(requestOf('refused token')).toMatchObject({
    status: { code: OK },
    attributes: { ...http('GET', '/project/projects', 401), 'error.type': 'TOKEN_INVALID' },
  });
  expect(requestOf('fault')).toMatchObject({
    status: { code: ERROR },
    attributes: { ...http('GET', '/project/projects', 500), 'error.type': 'INTERNAL' },
  });
  expect(requestOf('unknown path').name).toBe('GET');
  expect(spansOf('health check')).toEqual([]);
});

test('a statement is a span in the trace of its request', () => {
  const page = ['SELECT project', 'SELECT token'];
  const update = ['SELECT token', 'SELECT wallet', 'WITH wallet'];
  expect(childrenOf('REST page')).toEqual(page);
  expect(childrenOf('REST update')).toEqual(update);
  // The wallets of all projects of the page are read with one statement, and counted with another one.
  const lists = childrenOf('GraphQL lists').filter((name) => name.startsWith('SELECT'));
  expect(lists).toEqual(['SELECT project', 'SELECT token', 'SELECT wallet', 'SELECT wallet']);
  for (let n = 0; n < CONCURRENT; n += 1) {
    expect(childrenOf(`concurrent ${n}`)).toEqual(n % 2 === 0 ? page : update);
  }
  const statement = spansOf('REST page').find(({ name }) => name === 'SELECT project');
  expect(statement).toMatchObject({
    kind: CLIENT,
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': expect.stringMatching(/^SELECT .*\$1/s) },
  });
});

test('the log of requests has the id of the trace, also if the client has begun none', () => {
  const lineOf = (response: HttpResponse) =>
    logLines(server.output()).find(({ reqId }) => reqId === response.headers.get('x-request-id'));
  const { traceId } = lineOf(withoutTrace) ?? {};
  const own = spans.filter((span) => span.traceId === traceId && span.kind === SERVER);
  expect(own.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([
    ['GET /project/projects', undefined],
  ]);
  expect(lineOf(inOtherTrace)).toMatchObject({ traceId: traceIdOf('refused token') });
});

test('a server stops in time if the collector does not answer', async () => {
  const collector = await startHttpServer();
  onTestFinished(collector.stop);
  const { url: databaseUrl } = await testDatabase();
  const never = String(24 * 3600 * 1000);
  const own = await startServerProcess({
    DATABASE_URL: databaseUrl,
    NODE_OPTIONS: `--import=${TRACING}`,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_TIMEOUT: never,
    OTEL_BSP_EXPORT_TIMEOUT: never,
  });
  await send(`${own.url}/project/projects`, 'GET');
  const exported = once(collector.server, 'request');
  expect(await own.stop('SIGTERM')).toMatchObject({ status: 0, stderr: '' });
  await exported;
});

test('spans contain no secret, no path and no value of a request', () => {
  const text = bodies.join();
  expect(text).toContain('GET /project/projects');
  expect(text).not.toMatch(/paw_(acct|app|key)_|a-secret|a private title|p{32}/);
  for (const name of [...tenant.projects, ...tenant.wallets]) expect(text).not.toContain(name);
});

/** The spans of an export. */
function spansIn(body: string): readonly ReceivedSpan[] {
  return JSON.parse(body, (name, value) =>
    name === 'attributes'
      ? Object.fromEntries(
          value.map((each: { key: string; value: object }) => [each.key, Object.values(each.value)[0]]),
        )
      : value,
  )
    .resourceSpans.flatMap(
      ({ scopeSpans }: { scopeSpans: readonly { spans: readonly ReceivedSpan[] }[] }) => scopeSpans,
    )
    .flatMap((scope: { spans: readonly ReceivedSpan[] }) => scope.spans);
}

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

/** The span of the request itself. */
function requestOf(request: string): ReceivedSpan {
  const found = spansOf(request).filter(({ kind }) => kind === SERVER);
  expect([request, found.length]).toEqual([request, 1]);
  return found[0] as ReceivedSpan;
}

/** The names of the other spans in the trace of a request, which are all below its span. */
function childrenOf(request: string): readonly string[] {
  return (
    spansOf(request)
      .filter(({ kind }) => kind !== SERVER)
      .map(({ name }) => name)
      // The first query of a new connection, which any request can open.
      .filter((name) => name !== 'SELECT pg_extension')
      .toSorted()
  );
}
