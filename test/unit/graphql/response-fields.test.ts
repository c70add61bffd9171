import { buildSchema, type GraphQLSchema, graphqlSync, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fieldCounter } from '../../../src/graphql/response-fields.ts';

const schema: GraphQLSchema = buildSchema(`
  type Query { one: Item! list: [Item!]! nodes(ids: [ID!]!): [Item]! }
  type Item { id: ID! title: String! other: Item! page(first: Int, last: Int): Page! }
  type Page { nodes: [Item!]! edges: [Edge!]! }
  type Edge { node: Item! }
`);

function count(source: string, limit = 1_000_000): number {
  const document = parse(source);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
  return fieldCounter(schema, document, 20, limit)(operation);
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
    ['for each item of a list', '{ list { id title } }', 1 + 20 * 2],
    ['for each id that is written', '{ nodes(ids: ["a", "b", "a"]) { id title } }', 1 + 3 * 2],
    ['for as many ids as a variable may hold', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', 1 + 20],
    ['for each alias', '{ a: list { x: id y: id } b: list { id } }', 2 + 40 + 20],
    ['in inline fragments', '{ list { ... on Item { id ... { title } } } }', 1 + 40],
    [
      'wherever a fragment is spread',
      '{ one { ...F } list { ...F } } fragment F on Item { id title }',
      2 + 2 + 40,
    ],
    [
      'of a fragment that spreads itself once',
      '{ one { ...F } } fragment F on Item { id other { ...F } }',
      3,
    ],
    ['for the page size in the document', '{ one { page(first: 3) { nodes { id } } } }', 2 + 1 + 3],
    [
      'for the page size of a backward page',
      '{ one { page(last: 3) { edges { node { id } } } } }',
      2 + 1 + 6,
    ],
    ['for the default page size', '{ one { page { nodes { id } } } }', 2 + 1 + 10],
    [
      'for the largest page that a variable may request',
      'query ($n: Int) { one { page(first: $n) { nodes { id } } } }',
      2 + 1 + 20,
    ],
    [
      'for the largest page instead of a larger one',
      '{ one { page(first: 99) { nodes { id } } } }',
      2 + 1 + 20,
    ],
    [
      'of a fragment on pages of different sizes',
      '{ one { a: page(first: 2) { ...F } b: page(first: 3) { ...F } } } fragment F on Page { nodes { id list: other { id } } }',
      1 + 2 + 2 + 2 * 3 + 3 * 3,
    ],
    [
      'of a list in a page as of any other list',
      '{ one { page(first: 2) { nodes { page { nodes { id } } } } } }',
      2 + 1 + 2 * (1 + 1 + 10),
    ],
    ['of unknown fields as one', '{ nothing { id } one { nothing } }', 3],
  ])('%s', (_name, document, expected) => {
    expect(count(document)).toBe(expected);
  });
});

describe('introspection is counted on the schema itself, each field twice', () => {
  test.each([
    '{ __schema { types { name } } }',
    '{ __schema { types { fields(includeDeprecated: true) { name args { name } type { kind ofType { name } } } } } }',
    '{ __schema { queryType { name } directives { name locations args { name } } } }',
    '{ __type(name: "Item") { name fields { name } } }',
    '{ __type(name: "Nothing") { name } }',
  ])('%s', (document) => {
    const { data } = graphqlSync({ schema, source: document });
    const [root] = Object.values(data ?? {});
    expect(count(document)).toBe(1 + 2 * fieldsIn(root));
  });

  test('for a type that a variable names as for the largest one', () => {
    const named = Object.keys(schema.getTypeMap()).map((name) =>
      count(`{ __type(name: "${name}") { fields { name } } }`),
    );
    expect(count('query ($n: String!) { __type(name: $n) { fields { name } } }')).toBe(Math.max(...named));
  });

  test('up to the limit', () => {
    const deep =
      '{ __schema { types { fields { type { fields { type { fields { type { fields { name } } } } } } } } } }';
    expect(count(deep, 100)).toBeGreaterThan(100);
    expect(count(deep, 100)).toBeLessThan(count(deep));
  });
});
