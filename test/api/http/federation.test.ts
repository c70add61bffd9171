import { readFileSync } from 'node:fs';
import { buildSchema, type GraphQLFormattedError, type GraphQLSchema, isObjectType, parse } from 'graphql';
import { expect, onTestFinished, test, vi } from 'vitest';
import { RepeatedDocuments } from '../../../src/graphql/fast-path/repeated-documents.ts';
import { createSchema } from '../../../src/graphql/schema.ts';
import { graphqlApi, postGraphql } from '../../support/both-apis.ts';
import { seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { createApp, MISSING_WALLET } from '../../support/requests.ts';

const gateway = useGateway({ PAW_FEDERATION: 'on' });

const ENTITIES = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on Project { id title }
    ... on App { id title project { title } }
    ... on Wallet { id title }
  }
}`;

async function ask(token: string | undefined, query: string, variables: object = {}) {
  const { status, text } = await postGraphql(gateway.url, token, query, variables);
  return { status, ...JSON.parse(text) };
}

/** The names of the queries and mutations of a schema. */
const fieldsOf = (schema: GraphQLSchema) =>
  [schema.getQueryType(), schema.getMutationType()].flatMap((type) => Object.keys(type?.getFields() ?? {}));

test('the document for a supergraph has the keys, and leaves out what clashes with other Relay subgraphs', async () => {
  const { data } = await ask(undefined, '{ _service { sdl } }');
  const { sdl } = data._service;
  expect(sdl).toMatch(/^extend schema @link\(url: "https:\/\/specs.apollo.dev\/federation\/v2.0"/);
  expect(sdl.match(/^type \w+ .*@.*/gm)).toEqual([
    ...['App', 'Project', 'Wallet'].map((type) => `type ${type} implements Node @key(fields: "id") {`),
    'type PageInfo @shareable {',
  ]);
  expect(() => parse(sdl)).not.toThrow();
  const schema = buildSchema(sdl, { assumeValidSDL: true });
  const page = readFileSync(new URL('../../../docs/federation.md', import.meta.url), 'utf8');
  const [, leftOut = ''] =
    /^- All queries and mutations are part of the graph, except ([^.]*)\./m.exec(page) ?? [];
  const isLeftOut = (name: string) => leftOut.includes(`\`${name}\``);
  expect(fieldsOf(schema)).toEqual(fieldsOf(createSchema()).filter((name) => !isLeftOut(name)));
  const names = Object.values(schema.getTypeMap()).filter(isObjectType).map(String);
  // Apollo Server starts no plugin for a subgraph.
  expect(gateway.log()).not.toContain('inline tracing');
  expect(
    names.filter((name) => /^(Viewer|Token|Event|SignOut|CreateToken|RevokeToken|_[A-Z])/.test(name)),
  ).toEqual([]);
});

test('entities come in the order of their representations, and what the token does not see is null', async () => {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  const stranger = await seedTenant(gateway, { wallets: 1 });
  const api = graphqlApi(() => gateway.url);
  const [app, foreign] = [await createApp(api, tenant.token), await createApp(api, stranger.token)];
  const project = { __typename: 'Project', id: tenant.projects[0], title: 'Tenant' };
  const wallet = { __typename: 'Wallet', id: tenant.wallets[0], title: 'Wallet 1' };
  const entities: readonly (readonly [typename: string, id: string | undefined, entity: object | null])[] = [
    ['Wallet', wallet.id, wallet],
    ['Wallet', stranger.wallets[0], null],
    ['Project', project.id, project],
    ['Project', stranger.projects[0], null],
    ['App', app.name, { __typename: 'App', id: app.name, title: app.title, project: { title: 'Tenant' } }],
    ['App', foreign.name, null],
    ['Project', project.id, project],
    ['Wallet', MISSING_WALLET, null],
  ];
  const representations = entities.map(([__typename, id]) => ({ __typename, id }));
  const compiled = vi.spyOn(RepeatedDocuments.prototype, 'execute');
  onTestFinished(() => compiled.mockRestore());
  for (let n = 0; n < 3; n += 1) {
    const { data } = await ask(tenant.token, ENTITIES, { representations });
    expect(data._entities).toEqual(entities.map(([, , entity]) => entity));
  }
  // The third execution is that of the compiled query.
  expect(compiled.mock.results.map(({ value }) => value !== undefined)).toEqual([false, false, true]);
});

test('a request has at most 1,000 representations', async () => {
  const tenant = await seedTenant(gateway, { projects: 250 });
  const known = tenant.projects.map((id) => ({ __typename: 'Project', id }));
  const representations = Array.from({ length: 1000 }, (_, index) => known[index % known.length]);
  const query =
    'query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Project { id } } }';
  const { data } = await ask(tenant.token, query, { representations });
  expect(data._entities).toEqual(representations.map((item) => ({ id: item?.id })));

  const { errors } = await ask(tenant.token, query, { representations: [...representations, known[0]] });
  expect(errors[0].extensions.fieldViolations).toEqual([
    { field: 'representations', description: 'Must have at most 1000 items.' },
  ]);
});

test('each invalid representation is null, with an error in its place, and the others stand', async () => {
  const { token, projects } = await seedTenant(gateway);
  const typename = ['__typename', 'Must be one of App, Project, Wallet.'] as const;
  const invalid: readonly (readonly [
    representation: unknown,
    fault: readonly [field: string, description: string],
  ])[] = [
    ['Project', typename],
    [{ __typename: 'Token', id: 'x' }, typename],
    [{ __typename: 'App', id: 'wallets/1' }, ['id', 'Must be a resource name of the form apps/<ULID>.']],
    [{ __typename: 'Project' }, ['id', 'Required.']],
    [{ __typename: { toString: 1 }, id: 'x' }, typename],
    [{ __typename: ['Project'], id: projects[0] }, typename],
  ];
  const project = { __typename: 'Project', id: projects[0] };
  const representations = [...invalid.map(([representation]) => representation), project];
  const { data, errors } = await ask(token, ENTITIES, { representations });
  expect(data._entities).toEqual([...invalid.map(() => null), expect.objectContaining({ id: projects[0] })]);
  expect(
    errors.map(({ path, extensions }: GraphQLFormattedError) => [path, extensions?.['fieldViolations']]),
  ).toEqual(
    invalid.map(([, [field, description]], n) => [
      ['_entities', n],
      [{ field: `representations[${n}].${field}`, description }],
    ]),
  );
});

test('entities need a token, and their number counts for the size of the response', async () => {
  const { token, projects } = await seedTenant(gateway);
  const representations = Array.from({ length: 1000 }, () => ({ __typename: 'Project', id: projects[0] }));
  expect(await ask(undefined, ENTITIES, { representations })).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
  const fields = Array.from({ length: 12 }, (_, n) => `t${n}: title`).join(' ');
  const query = `query ($representations: [_Any!]!) { _entities(representations: $representations) { ... on Project { ${fields} } } }`;
  const { errors } = await ask(token, query, { representations });
  expect(errors[0].message).toContain('This one could have 12001');
});

test('a short request without a token can not ask for the document many times', async () => {
  const documents = Array.from({ length: 400 }, (_, n) => `d${n}: sdl`).join(' ');
  const fields = Array.from({ length: 30 }, (_, n) => `s${n}: _service { sdl }`).join(' ');
  for (const query of [`{ _service { ${documents} } }`, `{ ${fields} }`]) {
    const { status, text } = await postGraphql(gateway.url, undefined, query);
    expect([status, text.length < 1000]).toEqual([200, true]);
    expect(text).toContain('A response may have at most 10000 fields');
  }
});

test('without PAW_FEDERATION or without introspection, the document for a supergraph is not served', async () => {
  for (const settings of [{}, { PAW_FEDERATION: 'on', PAW_INTROSPECTION: 'off' }]) {
    const other = await testGateway(settings);
    const { token } = await seedTenant(other);
    const { text } = await postGraphql(other.url, token, '{ _service { sdl } }');
    expect(JSON.parse(text).errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
    expect(text).not.toContain('type Project');
  }
});
