import { buildSchema, type GraphQLSchema, getIntrospectionQuery, graphqlSync, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fragmentsOf } from '../../../src/graphql/merged-fields.ts';
import { OperationCost } from '../../../src/graphql/operation-cost.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const schema: GraphQLSchema = buildSchema(`
  type Query { one: Item! list: [Item!]! nodes(ids: [ID!]!): [Item]! }
  type Item { id: ID! title: String! description: String! other: Item! page(first: Int, last: Int): Page! }
  type Other { page(first: Int): Page! }
  type Page { nodes: [Item!]! edges: [Edge!]! }
  type Edge { node: Item! }
`);

function costOf(source: string): OperationCost {
  const document = parse(source);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
  return new OperationCost(schema, fragmentsOf(document), operation);
}

/** The actual number of fields in a response. */
function fieldsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + fieldsIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, item) => sum + 1 + fieldsIn(item), 0);
}

describe('the fields of a response are counted', () => {
  test.each([
    ['one by one', '{ one { id title } }', 3],
    ['for each item of a list', '{ list { id title } }', 1 + 100 * 2],
    ['for each id that is written', '{ nodes(ids: ["a", "b", "a"]) { id title } }', 1 + 3 * 2],
    ['for as many ids as a variable may hold', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 1 + 100],
    ['for each alias', '{ a: list { x: id y: id } b: list { id } }', 2 + 200 + 100],
    ['in inline fragments', '{ list { ... on Item { id ... { title } } } }', 1 + 200],
    [
      'wherever a fragment is spread',
      '{ one { ...F } list { ...F } } fragment F on Item { id title }',
      2 + 2 + 200,
    ],
    ['of a fragment that spreads itself once', '{ one { ...F } } fragment F on Item { id ...F }', 2],
    ['once for the same response key', '{ one { id } one { id title } }', 3],
    [
      'of the largest of several types',
      '{ nodes(ids: []) { id ... on Item { id page(first: 2) { nodes { id } } } ... on Other { page(first: 5) { nodes { id } } } } nodes(ids: ["a"]) { id } }',
      1 + 1 + 1 + 5 + 1 + 5,
    ],
    [
      'for the page size in the document, and its items',
      '{ one { page(first: 3) { nodes { id } } } }',
      2 + 3 + 1 + 3,
    ],
    [
      'for the page size of a backward page',
      '{ one { page(last: 3) { edges { node { id } } } } }',
      2 + 3 + 1 + 6,
    ],
    ['for the default page size', '{ one { page { nodes { id } } } }', 2 + 10 + 1 + 10],
    [
      'for the largest page that a variable may request',
      'query ($n: Int) { one { page(first: $n) { nodes { id } } } }',
      2 + 100 + 1 + 100,
    ],
    [
      'for the largest page instead of a larger one',
      '{ one { page(first: 101) { nodes { id } } } }',
      2 + 100 + 1 + 100,
    ],
    [
      'of a fragment on pages of different sizes',
      '{ one { a: page(first: 2) { ...F } b: page(first: 3) { ...F } } } fragment F on Page { nodes { id } edges { __typename } }',
      1 + (1 + 2) + (1 + 3) + (2 + 2 * 2) + (2 + 2 * 3),
    ],
    [
      'of a list in a page as of any other list',
      '{ one { page(first: 2) { nodes { page { nodes { id } } } } } }',
      2 + 2 + 1 + 2 * (1 + 10 + 1 + 10),
    ],
    ['of unknown fields, too', '{ nothing { id } one { nothing } }', 4],
  ])('%s', (_name, document, expected) => {
    expect(costOf(document).responseFields).toBe(expected);
  });
});

describe('the selections that validation compares are counted as pairs', () => {
  test.each([
    ['of the same field', '{ one { id id id } }', 3],
    ['of the same response key', '{ one { a: id a: title } }', 1],
    ['not of different fields', '{ one { id title a: id } }', 0],
    ['of objects, and of the fields in them', '{ one { id } one { id } one { id } }', 3 + 3],
    ['in inline fragments', '{ one { id ... { id } ... on Item { id ... { id } } } }', 6],
    ['in a fragment', '{ one { id ...F } } fragment F on Item { id ...G } fragment G on Item { id }', 3 + 1],
    ['of fragments', '{ one { ...F ...G ...H } } fragment F on Item { id } fragment G on Item { title }', 3],
    ['not of a fragment with itself', '{ one { ...F ...F } } fragment F on Item { id }', 0],
    ['of fields below unknown ones', '{ nothing { a { id id } } }', 1],
  ])('%s', (_name, document, expected) => {
    expect(costOf(document).pairs).toBe(expected);
  });
});

test.each([
  ['the root fields', '{ one { id } a: one { id } nodes(ids: []) { id } }', 3],
  ['pages', '{ one { page { nodes { page { nodes { id } } } } } }', 1 + 2],
  [
    'those of a fragment wherever it is spread',
    `{ a: one { ...F } b: one { ...F } } fragment F on Item { page { nodes { id } } }`,
    2 + 2,
  ],
  ['a field once that is selected twice', '{ one { id } one { title } }', 1],
])('the calls of the data layer are counted: %s', (_name, document, expected) => {
  expect(costOf(document).dataFields).toBe(expected);
});

test.each([
  '{ __schema { types { name } } }',
  '{ __schema { types { fields(includeDeprecated: true) { name args { name } type { kind ofType { name } } } } } }',
  '{ __schema { types { fields { type { fields { name } } } } } }',
  '{ __schema { queryType { fields { args { type { name } } } } directives { name locations args { name } } } }',
  '{ __schema { mutationType { fields { args { type { inputFields { name type { name } } } } } } } }',
  '{ __type(name: "__DirectiveLocation") { enumValues { name } } }',
  '{ __type(name: "Project") { name fields { name args { name } } possibleTypes { name } } }',
  '{ __type(name: "Node") { possibleTypes { fields { name args { name } } } } }',
  getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }),
])('introspection counts as at least the fields of its result: %s', (document) => {
  const gateway = createSchema();
  const parsed = parse(document);
  const [operation] = parsed.definitions;
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
  const { data } = graphqlSync({ schema: gateway, source: document });
  const { responseFields } = new OperationCost(gateway, fragmentsOf(parsed), operation);
  expect(responseFields).toBeGreaterThanOrEqual(fieldsIn(data));
});
