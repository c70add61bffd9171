import { buildSchema, extendSchema, getIntrospectionQuery, graphqlSync, Kind, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import { amountFor, DocumentCost } from '../../../src/graphql/rules/document-cost.ts';
import { fragmentsOf } from '../../../src/graphql/rules/merged-fields.ts';
import { createSchema } from '../../../src/graphql/schema.ts';

const ITEMS = buildSchema(`
  type Query { one: Item! list: [Item!]! nodes(ids: [ID!]!): [Item]! }
  type Item { id: ID! title: String! description: String! other: Item! page(first: Int, last: Int, title: String): Page! }
  type Other { page(first: Int): Page! }
  type Page { nodes: [Item!]! edges: [Edge!]! }
  type Edge { node: Item! }
`);

const F = 'fragment F on Item';

/** Returns the number of fields that the response of an operation could have. */
function countOf(source: string, variables: Record<string, unknown> = {}, schema = ITEMS): number {
  const document = parse(source);
  const operation = document.definitions.find(({ kind }) => kind === Kind.OPERATION_DEFINITION);
  if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
  return amountFor(new DocumentCost(schema, fragmentsOf(document), operation).responseFields, variables);
}

/** The actual number of fields in a response. */
function fieldsIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + fieldsIn(item), 0);
  if (typeof value !== 'object' || value === null) return 0;
  return Object.values(value).reduce((sum, item) => sum + 1 + fieldsIn(item), 0);
}

const page = (argument = '') => `{ one { page${argument} { nodes { id } } } }`;
const sizeOf = (pageSize: number) => 2 + pageSize + 1 + pageSize;

describe('the fields of a response are counted', () => {
  test.each<readonly [name: string, document: string, fields: number]>([
    ['one by one', '{ one { id title } }', 3],
    ['for each item of a list', '{ list { id title } }', 1 + 100 * 2],
    ['for each id that is written', '{ nodes(ids: ["a", "b", "a"]) { id title } }', 1 + 3 * 2],
    ['for each alias', '{ a: list { x: id y: id } b: list { id } }', 2 + 200 + 100],
    ['in inline fragments', '{ list { ... on Item { id ... { title } } } }', 1 + 200],
    ['wherever a fragment is spread', `{ one { ...F } list { ...F } } ${F} { id title }`, 2 + 2 + 200],
    ['of a fragment that spreads itself once', `{ one { ...F } } ${F} { id ...F }`, 2],
    ['once for the same response key', '{ one { id } one { id title } }', 3],
    [
      'of the largest of several types',
      `{ nodes(ids: ["a"]) { id }
        nodes(ids: []) { ... on Item { page(first: 2) { nodes { id } } } ... on Other { page(first: 5) { nodes { id } } } } }`,
      1 + 1 + 1 + 5 + 1 + 5,
    ],
    ['for the page size in the document, and its items', page('(first: 3)'), sizeOf(3)],
    ['for a backward page', '{ one { page(last: 3) { edges { node { id } } } } }', sizeOf(3) + 3],
    ['for the default page size', page(), sizeOf(10)],
    ['for the default page size if it is null', page('(first: null)'), sizeOf(10)],
    ['for the largest page instead of a larger one', page('(first: 101)'), sizeOf(100)],
    [
      'of a fragment on pages of different sizes',
      `{ one { a: page(first: 2) { ...P } b: page(first: 3) { ...P } } } fragment P on Page { nodes { id } edges { __typename } }`,
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
    [
      'to any depth, which no empty list hides',
      `{ nodes(ids: []) { ${'page(first: 100) { nodes { '.repeat(300)}id${' } }'.repeat(300)} } one { id } }`,
      1 + 2,
    ],
  ])('%s', (_, document, fields) => {
    expect(countOf(document)).toBe(fields);
  });

  const PAGE = `query ($n: Int) ${page('(first: $n)')}`;
  const WITH_DEFAULT = PAGE.replace('Int', 'Int = 5');
  const BOTH = `query ($n: Int, $m: Int) ${page('(first: $n, last: $m)')}`;
  const IDS = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

  test.each<readonly [name: string, document: string, variables: object, fields: number]>([
    ['a page size', PAGE, { n: 3 }, sizeOf(3)],
    ['an omitted page size, which is the default', PAGE, {}, sizeOf(10)],
    ['a page size of null, which is the default', PAGE, { n: null }, sizeOf(10)],
    ['an omitted variable with a default', WITH_DEFAULT, {}, sizeOf(5)],
    ['a variable with a default that is null', WITH_DEFAULT, { n: null }, sizeOf(10)],
    ['a variable instead of its default', WITH_DEFAULT, { n: 3 }, sizeOf(3)],
    ['both page sizes, of which one is null', BOTH, { n: null, m: 3 }, sizeOf(3)],
    ['both page sizes', BOTH, { n: 2, m: 3 }, sizeOf(3)],
    ['a variable that has the name of a property', PAGE.replaceAll('$n', '$constructor'), {}, sizeOf(10)],
    [
      'a variable in a fragment, whose lists are multiplied',
      `query ($n: Int, $m: Int!) { one { page(first: $n) { ...P } } }
        fragment P on Page { nodes { page(first: $m) { nodes { id title } } } }`,
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
    ['a negative page size', PAGE, { n: -5 }, sizeOf(10)],
    ['a page size that is too large', PAGE, { n: 2 ** 40 }, sizeOf(100)],
    ['a page size of another type', PAGE, { n: '3' }, sizeOf(100)],
  ])('with variables: %s', (_, document, variables, fields) => {
    expect(countOf(document, { ...variables })).toBe(fields);
  });
});

const GROWN = extendSchema(
  createSchema(),
  parse(
    Array.from(
      { length: 40 },
      (_, n) => `type More${n} { a(x: [Int!]!, y: Int): [Int!]! b: Int c: Int d: Int e: Int }`,
    ).join('\n'),
  ),
);

describe.each([
  ['the schema', createSchema()],
  ['one with 40 more types', GROWN],
] as const)('in %s', (_, schema) => {
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
    const { data } = graphqlSync({ schema, source: document });
    expect(countOf(document, {}, schema)).toBeGreaterThanOrEqual(fieldsIn(data));
  });
});
