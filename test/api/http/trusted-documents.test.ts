import { hash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ConfigError } from '../../../src/model/errors.ts';
import { type HttpResponse, mutationDocument, postGraphql, send } from '../../support/both-apis.ts';
import { seedTenant, startGateway, testDatabase, useGateway, useTenant } from '../../support/gateway.ts';
import { logLines } from '../../support/run-command.ts';

const PROJECTS = 'query Projects($first: Int) { projects(first: $first) { nodes { name } } }';
const APPS = 'mutation App($input: CreateAppInput!) { createApp(input: $input) { app { title } } }';
const OTHER = '{ projects { totalCount } }';
const SECRET = 'query Named { projects(after: "") { nodes { secret: title } } }';

const LISTED = Object.entries({ query: PROJECTS });
const UNLISTED = Object.entries({ query: OTHER });

const sha256 = (text: string) => hash('sha256', text);

const folder = mkdtempSync(join(tmpdir(), 'paw-manifest-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Writes a file and returns its path. */
function file(name: string, content: string): string {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
}

const APOLLO = file(
  'apollo.json',
  JSON.stringify({
    format: 'apollo-persisted-query-manifest',
    version: 1,
    operations: [
      { id: sha256(PROJECTS), name: 'Projects', type: 'query', body: PROJECTS },
      { id: sha256(APPS), name: 'App', type: 'mutation', body: APPS },
    ],
  }),
);

const RELAY = file('relay.json', JSON.stringify({ d41d8cd98f00b204e9800998ecf8427e: PROJECTS }));

function post(url: string, token: string | undefined, body: object): Promise<HttpResponse> {
  return send(`${url}/graphql`, 'POST', token, body);
}

function get(url: string, token: string, parameters: Record<string, string>): Promise<HttpResponse> {
  return send(`${url}/graphql?${new URLSearchParams(parameters)}`, 'GET', token);
}

const reasonOf = ({ text }: HttpResponse) => JSON.parse(text).errors?.[0].extensions.reason;

const apollo = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });

describe('with a manifest of Apollo that is required', () => {
  const gateway = useGateway({ PAW_TRUSTED_DOCUMENTS: APOLLO, PAW_TRUSTED_DOCUMENTS_MODE: 'require' });
  let token: string;
  beforeAll(async () => {
    ({ token } = await seedTenant(gateway, { projects: 3 }));
  });

  test.each([
    ['extensions', { extensions: apollo(PROJECTS) }, { extensions: JSON.stringify(apollo(PROJECTS)) }],
    ['documentId', { documentId: `sha256:${sha256(PROJECTS)}` }, { documentId: sha256(PROJECTS) }],
    ['query', { query: PROJECTS }, { query: PROJECTS }],
  ])(
    'a listed query is executed by its %s, also when it is compiled, and by GET',
    async (_, body, parameters) => {
      for (const first of [1, 2, 3]) {
        const variables = { first };
        for (const response of [
          await post(gateway.url, token, { ...body, variables }),
          await get(gateway.url, token, { ...parameters, variables: JSON.stringify(variables) }),
        ]) {
          expect(response.status).toBe(200);
          expect(JSON.parse(response.text).data.projects.nodes).toHaveLength(first);
        }
      }
      const unauthorized = await post(gateway.url, undefined, body);
      expect([unauthorized.status, reasonOf(unauthorized)]).toEqual([401, 'TOKEN_MISSING']);
    },
  );

  test.each<[string, object]>([
    ['documentId and id', { documentId: sha256(PROJECTS), id: sha256(APPS) }],
    ['id and documentId', { id: sha256(PROJECTS), documentId: sha256(APPS) }],
    ['documentId and an unknown id', { documentId: sha256(PROJECTS), doc_id: 'unknown' }],
    ['documentId and extensions', { documentId: sha256(PROJECTS), extensions: apollo(APPS) }],
  ])('a request with two ids that differ is refused: %s', async (_, body) => {
    const parameters = Object.entries(body).map(([name, value]) => [
      name,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]);
    for (const response of [
      await post(gateway.url, token, body),
      await get(gateway.url, token, Object.fromEntries(parameters)),
    ]) {
      expect([response.status, reasonOf(response)]).toEqual([400, 'MALFORMED_REQUEST']);
      expect(response.text).toContain('documentId');
    }
  });

  test('a request with one id in two parameters is executed', async () => {
    const id = sha256(PROJECTS);
    const ids = { id, documentId: `sha256:${id}`, extensions: apollo(PROJECTS) };
    expect(JSON.parse((await post(gateway.url, token, ids)).text).data.projects.nodes).toHaveLength(3);
  });

  test('a listed mutation is executed by its id, and only in a POST request', async () => {
    const [documentId, variables] = [sha256(APPS), { input: { title: 'App', active: true } }];
    const { text } = await post(gateway.url, token, { documentId, variables });
    expect(JSON.parse(text)).toEqual({ data: { createApp: { app: { title: 'App' } } } });
    const parameters = { documentId, variables: JSON.stringify(variables) };
    expect((await get(gateway.url, token, parameters)).status).toBe(405);
  });

  test('any other document is refused, introspection too', async () => {
    for (const query of [OTHER, '{ __typename }', `${PROJECTS} `]) {
      for (const response of [
        await post(gateway.url, token, { query }),
        await post(gateway.url, token, { query, extensions: apollo(query) }),
        await get(gateway.url, token, { query }),
      ]) {
        expect([response.status, reasonOf(response)]).toEqual([400, 'DOCUMENT_NOT_TRUSTED']);
        expect(JSON.parse(response.text).errors[0].extensions.code).toBe('BAD_USER_INPUT');
      }
    }
    for (const id of [{ documentId: 'unknown' }, { extensions: apollo(OTHER) }]) {
      const response = await post(gateway.url, token, id);
      expect([response.status, reasonOf(response)]).toEqual([400, 'DOCUMENT_NOT_FOUND']);
    }
  });

  test.each<readonly [string, (endpoint: string) => Promise<HttpResponse>]>([
    ['two queries', (url) => send(`${url}?${new URLSearchParams([...UNLISTED, ...LISTED])}`, 'GET', token)],
    ['a parameter twice', (url) => send(`${url}?${new URLSearchParams(LISTED)}&x=1&x=2`, 'GET', token)],
    ['a question mark in its name', (url) => send(`${url}??query={projects}`, 'GET', token)],
    ['a list as the body', (url) => send(url, 'POST', token, [{ query: OTHER }])],
    ['a list as the query', (url) => send(url, 'POST', token, { query: [OTHER] })],
    ['another case in its name', (url) => send(url, 'POST', token, { Query: OTHER })],
  ])('%s does not bypass the manifest', async (_, ask) => {
    const { status, text } = await ask(`${gateway.url}/graphql`);
    expect(status).toBe(400);
    expect(JSON.parse(text)).not.toHaveProperty('data');
  });
});

test.each([
  ['log', [{ sha256: sha256(OTHER) }, { sha256: sha256(SECRET), operationName: 'Named' }]],
  ['prefer', []],
])(
  'with a manifest of Relay and the mode %s, ids, other documents and persisted queries work',
  async (mode, logged) => {
    const gateway = await startGateway({ PAW_TRUSTED_DOCUMENTS: RELAY, PAW_TRUSTED_DOCUMENTS_MODE: mode });
    const { token } = await seedTenant(gateway);
    const id = 'd41d8cd98f00b204e9800998ecf8427e';
    const requests: readonly (readonly [object, string?])[] = [
      [{ doc_id: id }],
      [{ id }],
      [{ id, query: '' }],
      [{ documentId: id, query: null, operationName: 'Projects', extensions: { trace: 1 } }],
      [{ query: OTHER, operationName: null }],
      [{ extensions: apollo(OTHER) }, 'PERSISTED_QUERY_NOT_FOUND'],
      [{ query: OTHER, extensions: apollo(OTHER) }],
      [{ extensions: apollo(OTHER) }],
      [{ query: SECRET, operationName: 'Named' }],
      [{ id: 'unknown' }, 'DOCUMENT_NOT_FOUND'],
      [{ documentId: 5, query: { text: PROJECTS } }, 'BAD_REQUEST'],
    ];
    for (const [body, reason] of requests) {
      expect(reasonOf(await post(gateway.url, token, body)), JSON.stringify(body)).toBe(reason);
    }
    await gateway.stop();
    // Each document is logged once, without its text.
    const lines = logLines(gateway.log()).filter(({ msg }) => msg === 'a document is not in the manifest');
    expect(lines.map(({ sha256, operationName }) => ({ sha256, operationName }))).toEqual(logged);
    expect(gateway.log()).not.toContain('secret');
  },
);

test.each([
  ['that does not exist', join(folder, 'missing.json'), 'a readable file'],
  ['that is a folder', folder, 'a readable file'],
  ['that is not JSON', file('broken.json', '{"a":'), 'an Apollo or Relay manifest'],
  ['without texts', file('lists.json', '{"a":["b"]}'), 'an Apollo or Relay manifest'],
  [
    'of another version',
    file('later.json', readFileSync(APOLLO, 'utf8').replace('"version":1', '"version":2')),
    'an Apollo or Relay manifest',
  ],
])('a file %s stops the start with one line', async (_what, path, what) => {
  const { url } = await testDatabase();
  const start = startGateway({ DATABASE_URL: url, PAW_TRUSTED_DOCUMENTS: path });
  await expect(start).rejects.toThrow(new ConfigError(`PAW_TRUSTED_DOCUMENTS must be ${what}: ${path}.`));
});

describe('without introspection', () => {
  const gateway = useGateway({ PAW_INTROSPECTION: 'off' });
  const tenant = useTenant(gateway);

  test('the schema is not published, and operations work', async () => {
    for (const token of [tenant.token, undefined]) {
      const introspection = await postGraphql(gateway.url, token, '{ __type(name: "App") { name } }');
      expect(reasonOf(introspection)).toBe('GRAPHQL_VALIDATION_FAILED');
    }
    expect((await send(`${gateway.url}/schema.graphql`, 'GET')).status).toBe(404);
    const { text } = await postGraphql(gateway.url, tenant.token, '{ __typename projects { __typename } }');
    expect(JSON.parse(text).data).toEqual({
      __typename: 'Query',
      projects: { __typename: 'ProjectConnection' },
    });
  });

  const update = mutationDocument('updateWallet');

  test.each<{ query: string; input?: object }>([
    { query: '{ __schema { types { name } } }' },
    { query: '{ project }' },
    { query: '{ viewer { nam } }' },
    { query: '{ viewer }' },
    { query: '{ projects(firs: 1) { totalCount } }' },
    { query: '{ node(id: "") { ... on Walle { id } } }' },
    { query: '{ node(id: "") { title } }' },
    { query: 'mutation { createApp(input: {titl: "a", title: "b", active: true}) { clientMutationId } }' },
    { query: 'mutation { createApp(input: {active: true}) { clientMutationId } }' },
    { query: 'mutation { updateWallet(input: {name: "", network: NETWORK_POLYGO}) { clientMutationId } }' },
    { query: update, input: { name: '', network: 'NETWORK_POLYGO' } },
    { query: update, input: { name: '', titl: 'a' } },
  ])('the error of $query names nothing that it could have', async ({ query, input }) => {
    const { status, text } = await postGraphql(gateway.url, tenant.token, query, { input });
    expect([status, JSON.parse(text).data]).toEqual([200, undefined]);
    expect(text).not.toMatch(/Did you mean|one of|Must have the fields|Fields of/);
  });
});
