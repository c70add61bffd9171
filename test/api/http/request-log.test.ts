import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
import { bothApis, type HttpResponse, postGraphql, send } from '../../support/both-apis.ts';
import { startGateway, useGateway, useTenant } from '../../support/gateway.ts';
import { lineOf as lineIn } from '../../support/log-lines.ts';
import { credentialParts, ulidOf } from '../../support/requests.ts';
import { logLines } from '../../support/run-command.ts';

const gateway = useGateway({ PAW_TRUSTED_PROXIES: '127.0.0.1' });
const tenant = useTenant(gateway);
// `test/api/permissions.test.ts` has the line of each operation.
test.each(bothApis(() => gateway.url))(
  'by $name, a value that is not a name of an app is not logged',
  async (api) => {
    const { response } = await api.signIn(tenant.token, { name: 'apps/x', privateKey: 'x' });
    expect(await lineOf(response)).toMatchObject({ reason: 'INVALID_FIELD' });
    expect(await lineOf(response)).not.toHaveProperty('app');
  },
);

describe('a GraphQL request', () => {
  test('has the name of its operation, with and without compilation', async () => {
    const query = 'query First { projects { totalCount } } query Second { __typename }';
    for (let times = 0; times < 3; times += 1) {
      const body = { query, operationName: 'First' };
      const response = await send(`${gateway.url}/graphql`, 'POST', tenant.token, body);
      expect(await lineOf(response)).toMatchObject({ operation: 'First', level: 30 });
    }
  });

  test('has a name of at most 100 characters', async () => {
    const response = await postGraphql(gateway.url, tenant.token, `query ${'x'.repeat(200)} { __typename }`);
    expect((await lineOf(response)).operation).toBe('x'.repeat(100));
  });

  test.each([
    ['of a field', 'query Q { node(id: "x") { id } projects(first: 0) { totalCount } }', 'INVALID_FIELD'],
    ['of a document', 'query Q { nothing }', 'GRAPHQL_VALIDATION_FAILED'],
    ['of a syntax', '{', 'GRAPHQL_PARSE_FAILED'],
  ])('has the reason of its first error: %s', async (_what, query, reason) => {
    const response = await postGraphql(gateway.url, tenant.token, query);
    const sent = JSON.parse(response.text).errors[0].extensions.reason;
    expect(await lineOf(response)).toMatchObject({ level: 40, reason });
    expect(sent).toBe(reason);
  });
});

test('the ids of the client for the request and its trace are fields of their own', async () => {
  const trace = '0af7651916cd43dd8448eb211c80319c';
  const response = await send(`${gateway.url}/project/projects`, 'GET', tenant.token, undefined, {
    'x-request-id': 'from-client',
    traceparent: `00-${trace}-b7ad6b7169203331-01`,
    'x-forwarded-for': '203.0.113.7',
  });
  expect(await lineOf(response)).toMatchObject({
    clientReqId: 'from-client',
    traceId: trace,
    client: '203.0.113.7',
  });
});

test('an unknown path is not in the log', async () => {
  const response = await send(`${gateway.url}/secret-path?secret-query`, 'GET');
  const line = await lineOf(response);
  expect(line).toMatchObject({ method: 'GET', status: 404, reason: 'PATH_NOT_FOUND' });
  expect(line).not.toHaveProperty('route');
  expect(gateway.log()).not.toMatch(/secret-(path|query)/);
});

test('a health check is a line at level debug', async () => {
  expect(await lineOf(await send(`${gateway.url}/healthz`, 'GET'))).toMatchObject({
    level: 20,
    route: '/healthz',
  });
});

test('a request whose connection is closed before the response is a line without a status', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(
    'POST /auth/apps HTTP/1.1\r\nHost: x\r\nX-Request-Id: gone\r\nContent-Type: application/json\r\n' +
      `Authorization: Bearer ${tenant.token}\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n`,
  );
  // The server has begun to process the request.
  await once(socket, 'data');
  socket.destroy();
  const gone = () => logLines(gateway.log()).filter(({ clientReqId }) => clientReqId === 'gone');
  await expect.poll(gone).toHaveLength(1);
  const caller = { account: ulidOf(tenant.account), credential: credentialParts(tenant.token).id };
  expect(gone()[0]).toMatchObject({ level: 40, reason: 'CONNECTION_CLOSED', route: '/auth/apps', ...caller });
  expect(gone()[0]).not.toHaveProperty('status');
});

test.each([
  ['errors', ['TOKEN_MISSING']],
  ['none', []],
])('PAW_LOG_REQUESTS=%s', async (mode, reasons) => {
  const own = await startGateway({ PAW_LOG_REQUESTS: mode });
  await send(`${own.url}/project/projects`, 'GET');
  await send(`${own.url}/`, 'GET');
  await own.stop();
  const logged = logLines(own.log()).filter(({ msg }) => msg === 'request');
  expect(logged.map(({ reason }) => reason)).toEqual(reasons);
});

test('the token of a request that is not valid HTTP is not logged', async () => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.end(
    'POST / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer paw_acct_SECRET\r\nContent-Length: 5x\r\n\r\n',
  );
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  expect(gateway.log()).toContain('rejected a malformed request');
  const bytes = JSON.stringify(Buffer.from('SECRET').toJSON().data).slice(1, -1);
  expect(gateway.log()).not.toContain('SECRET');
  expect(gateway.log()).not.toContain(bytes);
});

const lineOf = (response: HttpResponse) => lineIn(gateway, response);
