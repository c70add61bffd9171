import { makeExecutableSchema } from '@graphql-tools/schema';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { createHandler } from 'graphql-http/lib/use/http';
import { beforeAll, expect, test } from 'vitest';
import { postGraphql } from '../../support/both-apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { startHttpServer } from '../../support/http-server.ts';

// Not imported with its types: they change those of graphql-js for all files.
const HIVE_GATEWAY: string = '@graphql-hive/gateway-runtime';

/** Another Relay subgraph, which adds a field to `Project` and has a `node`, a `viewer` and a `PageInfo` of its own. */
const NOTES = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.3", import: ["@key", "@shareable"])
directive @link(url: String!, import: [String!]) repeatable on SCHEMA
directive @key(fields: String!) on OBJECT
directive @shareable on OBJECT
scalar _Any
union _Entity = Project
interface Node { id: ID! }
type PageInfo @shareable { hasNextPage: Boolean! hasPreviousPage: Boolean! startCursor: String endCursor: String }
type Viewer { login: String! }
type Note implements Node { id: ID! text: String! project: Project! }
type NoteConnection { nodes: [Note!]! pageInfo: PageInfo! }
type Project @key(fields: "id") { id: ID! notes: NoteConnection! }
type Query {
  node(id: ID!): Node
  viewer: Viewer!
  note(project: ID!): Note!
  _entities(representations: [_Any!]!): [_Entity]!
}
`;

function notesSchema() {
  const pageInfo = { hasNextPage: false, hasPreviousPage: false };
  return makeExecutableSchema({
    typeDefs: NOTES,
    resolvers: {
      Query: {
        viewer: () => ({ login: 'ada' }),
        note: (_parent, { project }) => ({ id: 'notes/1', text: 'Read me', project: { id: project } }),
        _entities: (_parent, { representations }) => representations,
      },
      Node: { __resolveType: () => 'Note' },
      _Entity: { __resolveType: () => 'Project' },
      Project: {
        notes: ({ id }) => ({ nodes: [{ id: 'notes/2', text: `About ${id}`, project: { id } }], pageInfo }),
      },
    },
  });
}

const gateway = useGateway({ PAW_FEDERATION: 'on' });
let graph: string;

beforeAll(async () => {
  const notes = await startHttpServer(createHandler({ schema: notesSchema() }));
  const { text } = await postGraphql(gateway.url, undefined, '{ _service { sdl } }');
  const { supergraphSdl, errors } = composeServices([
    { name: 'paw', url: `${gateway.url}/graphql`, typeDefs: parse(JSON.parse(text).data._service.sdl) },
    { name: 'notes', url: `${notes.url}/graphql`, typeDefs: parse(NOTES) },
  ]);
  expect(errors ?? []).toEqual([]);
  const { createGatewayRuntime } = await import(HIVE_GATEWAY);
  const runtime = createGatewayRuntime({
    supergraph: supergraphSdl,
    logging: false,
    propagateHeaders: {
      fromClientToSubgraphs: ({ request }: { readonly request: Request }) => ({
        authorization: request.headers.get('authorization') ?? undefined,
      }),
    },
  });
  const { url, stop } = await startHttpServer(runtime);
  graph = `${url}/graphql`;
  return () => {
    notes.stop();
    stop();
    return runtime[Symbol.asyncDispose]();
  };
});

/** Sends a request to the federated graph. */
async function ask(query: string, token?: string, variables: object = {}) {
  const response = await fetch(graph, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query, variables }),
  });
  return response.json() as Promise<{ data: unknown; errors?: { extensions: object }[] }>;
}

test('a query of the federated graph joins the projects of the token with fields of another subgraph', async () => {
  const { token, projects } = await seedTenant(gateway, { projects: 3 });
  const query =
    '{ projects(first: 2) { nodes { id title notes { nodes { text } } } pageInfo { hasNextPage } } }';
  const nodes = ['Tenant', 'Project 2'].map((title, n) => {
    const id = projects[n];
    return { id, title, notes: { nodes: [{ text: `About ${id}` }] } };
  });
  expect(await ask(query, token)).toEqual({
    data: { projects: { nodes, pageInfo: { hasNextPage: true } } },
  });
});

test('another subgraph refers to a project by its id, and the token decides whether it is seen', async () => {
  const [tenant, stranger] = [await seedTenant(gateway), await seedTenant(gateway)];
  const query =
    'query ($project: ID!) { viewer { login } note(project: $project) { text project { id title } } }';
  const [project] = tenant.projects;
  expect(await ask(query, tenant.token, { project })).toEqual({
    data: {
      viewer: { login: 'ada' },
      note: { text: 'Read me', project: { id: project, title: 'Tenant' } },
    },
  });
  for (const token of [stranger.token, undefined]) {
    expect(JSON.stringify(await ask(query, token, { project }))).not.toContain('Tenant');
  }
});

test('a mutation of the federated graph changes a wallet, and its errors keep their code and fields', async () => {
  const { token, wallets } = await seedTenant(gateway, { wallets: 1 });
  const query =
    'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { title project { notes { nodes { text } } } } } }';
  expect(await ask(query, token, { input: { name: wallets[0], title: 'Treasury' } })).toMatchObject({
    data: { updateWallet: { wallet: { title: 'Treasury' } } },
  });
  const { errors } = await ask(query, token, { input: { name: wallets[0], title: '' } });
  expect(errors?.[0]?.extensions).toMatchObject({
    code: 'BAD_USER_INPUT',
    fieldViolations: [{ field: 'title' }],
  });
});
