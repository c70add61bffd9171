import { buildSchema, type GraphQLSchema, getIntrospectionQuery, graphqlSync, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { fragmentsOf } from '../../../src/graphql/merged-fields.ts';
import { amountFor, OperationCost } from '../../../src/graphql/operation-cost.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const schema: GraphQLSchema = buildSchema(`
  type Query { one: Item! list: [Item!]! nodes(ids: [ID!]!): [Item]! }
  type Item { id: ID! title: String! description: String! other: Item! page(first: Int, last: Int, title: String): Page! }
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
      'for the default page size if it is null',
      '{ one { page(first: null) { nodes { id } } } }',
      2 + 10 + 1 + 10,
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
    [
      'for a search by title, as 100',
      '{ one { a: page(title: "a", first: 2) { nodes { id } } b: page(title: null, first: 2) { nodes { id } } } }',
      1 + 100 + 2 * (1 + 2 + 1 + 2),
    ],
    ['of unknown fields, too', '{ nothing { id } one { nothing } }', 4],
  ])('%s', (_name, document, expected) => {
    expect(costOf(document).responseFields).toBe(expected);
  });
});

describe('the fields of a response are counted with the variables of the request', () => {
  const PAGE = 'query ($n: Int) { one { page(first: $n) { nodes { id } } } }';
  const WITH_DEFAULT = PAGE.replace('Int', 'Int = 5');
  const BOTH = 'query ($n: Int, $m: Int) { one { page(first: $n, last: $m) { nodes { id } } } }';
  const IDS = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
  const pageOf = (size: number) => 2 + size + 1 + size;

  test.each<[string, string, object, number]>([
    ['a page size', PAGE, { n: 3 }, pageOf(3)],
    ['an omitted page size, which is the default', PAGE, {}, pageOf(10)],
    ['a page size of null, which is the default', PAGE, { n: null }, pageOf(10)],
    ['an omitted variable with a default', WITH_DEFAULT, {}, pageOf(5)],
    ['a variable with a default that is null', WITH_DEFAULT, { n: null }, pageOf(10)],
    ['a variable instead of its default', WITH_DEFAULT, { n: 3 }, pageOf(3)],
    ['both page sizes, of which one is null', BOTH, { n: null, m: 3 }, pageOf(3)],
    ['both page sizes', BOTH, { n: 2, m: 3 }, pageOf(3)],
    ['no page size', BOTH, {}, pageOf(10)],
    ['a variable that has the name of a property', PAGE.replaceAll('$n', '$constructor'), {}, pageOf(10)],
    [
      'a variable in a fragment, whose lists are multiplied',
      `query ($n: Int, $m: Int!) { one { page(first: $n) { ...F } } }
        fragment F on Page { nodes { page(first: $m) { nodes { id title } } } }`,
      { n: 3, m: 4 },
      2 + 3 + 1 + 3 * (1 + 4 + 1 + 4 * 2),
    ],
    ['the ids', IDS, { ids: ['a', 'b', 'a'] }, 1 + 3],
    ['one id that is not in a list', IDS, { ids: 'a' }, 1 + 1],
    ['ids in a list in the document', IDS.replace('ids: $ids', 'ids: ["a", $ids]'), {}, 1 + 2],
    ['default ids', IDS.replace('!)', '! = ["a", "b"])'), {}, 1 + 2],
    // All of these are refused later.
    ['no ids', IDS, {}, 1 + 1],
    ['more ids than are accepted', IDS, { ids: Array(5000).fill('a') }, 1 + 100],
    ['a negative page size', PAGE, { n: -5 }, pageOf(10)],
    ...[101, 2 ** 40, '3', true, [3], { n: 3 }].map((n): [string, string, object, number] => [
      `the page size ${JSON.stringify(n)}`,
      PAGE,
      { n },
      pageOf(100),
    ]),
  ])('%s', (_name, document, variables, expected) => {
    const { responseFields } = costOf(document);
    expect(amountFor(responseFields, variables as Record<string, unknown>)).toBe(expected);
  });

  test('and a response of any depth has a finite count, which no empty list hides', () => {
    const deep = `${'page(first: 100) { nodes { '.repeat(300)}id${' } }'.repeat(300)}`;
    const { responseFields } = costOf(`{ nodes(ids: []) { ${deep} } one { id } }`);
    expect(responseFields).toBe(1 + 2);
  });
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
