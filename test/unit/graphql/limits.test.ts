import { buildSchema, type GraphQLSchema, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/graphql/limits.ts';

const schema: GraphQLSchema = buildSchema(`
  type Query { one: Item! list: [Item!]! nodes(ids: [ID!]!): [Item]! }
  type Mutation { create: Item! }
  type Item {
    id: ID! title: String! other: Item! items: [Item!]!
    page(first: Int, after: String, last: Int, before: String): Page!
  }
  type Page { nodes: [Item!]! }
`);

const ROOT_FIELDS = ['A document may have at most 30 fields of Query and Mutation and other connections.'];
const RESPONSE_FIELDS = [
  'A response may have at most 20000 fields, counting a page as its size in the document, and other lists as 100 items.',
];
const REPEATED_FIELDS = ['A document may have at most 200 repeated fields.'];
const FRAGMENT_SPREADS = ['A document may have at most 200 fragment spreads.'];

/** The errors of a document from the limits only. */
function errorsOf(document: string): readonly string[] {
  return validate(schema, parse(document), limits).map(({ message }) => message);
}

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ');
const aliases = (count: number, field: string) => times(count, (index) => `a${index}: ${field}`);

describe('at most 30 root fields are accepted', () => {
  test.each<[string, (count: number) => string]>([
    ['of Query', (count) => `{ ${aliases(count, 'one { id }')} }`],
    ['of Mutation', (count) => `mutation { ${aliases(count, 'create { id }')} }`],
    ['of introspection', (count) => `{ ${aliases(count, '__typename')} }`],
    ['in a fragment', (count) => `{ ...F } fragment F on Query { ${aliases(count, 'one { id }')} }`],
    ['in inline fragments', (count) => `{ ${times(count, (n) => `... on Query { a${n}: one { id } }`)} }`],
    [
      'in all operations together',
      (count) => `query A { ${aliases(10, 'one { id }')} } query B { ${aliases(count - 10, 'one { id }')} }`,
    ],
  ])('%s', (_, document) => {
    expect(errorsOf(document(30))).toEqual([]);
    expect(errorsOf(document(31))).toEqual(ROOT_FIELDS);
  });

  test('and connections of other types, together', () => {
    const document = (count: number) =>
      `{ ${aliases(10, `one { ${aliases(count, 'page { nodes { id } }')} }`)} }`;
    expect(errorsOf(document(2))).toEqual([]);
    expect(errorsOf(document(3))).toEqual(ROOT_FIELDS);
  });

  test('fields of other types are not root fields', () => {
    expect(errorsOf(`{ one { ${aliases(100, 'title')} } }`)).toEqual([]);
  });
});

describe('at most 20,000 response fields are accepted', () => {
  test.each<[string, (count: number) => string]>([
    // Each field of the list counts 100 times, and the list itself once.
    ['in a list', (count) => `{ list { ${aliases((count - 100) / 100, 'title')} id } }`],
    [
      'in a fragment in a list',
      (count) => `{ list { ...F id } } fragment F on Item { ${aliases((count - 100) / 100, 'title')} }`,
    ],
    ['in an inline fragment', (count) => `{ list { ... { ${aliases((count - 100) / 100, 'title')} } id } }`],
    [
      'in nodes by a variable',
      (count) => `query ($ids: [ID!]!) { nodes(ids: $ids) { ${aliases((count - 100) / 100, 'title')} id } }`,
    ],
  ])('%s', (_, document) => {
    expect(errorsOf(document(19_900))).toEqual([]);
    expect(errorsOf(document(20_000))).toEqual(RESPONSE_FIELDS);
  });

  test('a page of a negative size, which is refused later, does not count less than nothing', () => {
    const document = (count: number) =>
      `{ list { page(first: -9) { nodes { id } } ${aliases((count - 300) / 100, 'title')} id } }`;
    expect(errorsOf(document(19_900))).toEqual([]);
    expect(errorsOf(document(20_000))).toEqual(RESPONSE_FIELDS);
  });

  test('a page counts its items, whether they are selected or not', () => {
    // The list and each of its pages with 99 items: 1 + 100 * (pages * (1 + 99) + 1).
    const document = (pages: number) => `{ list { ${aliases(pages, 'page(first: 99) { __typename }')} } }`;
    expect(errorsOf(document(1))).toEqual([]);
    expect(errorsOf(document(2))).toEqual(RESPONSE_FIELDS);
  });

  test.each([
    ['lists of lists', '{ list { items { items { id } } } }'],
    [
      'introspection',
      `{ __schema { ${aliases(60, 'types { ...T }')} } } fragment T on __Type { ${aliases(60, 'name')} }`,
    ],
    [
      'fragments that double at each of 40 levels',
      `{ ...F0 } ${times(40, (n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`)} fragment F40 on Query { one { id } }`,
    ],
    ['the second of two operations', `query A { one { id } } query B { list { items { items { id } } } }`],
  ])('more are refused in %s', (_, document) => {
    expect(errorsOf(document)).toEqual(RESPONSE_FIELDS);
  });
});

describe('the parts of a document with quadratic validation time are bounded', () => {
  test('at most 200 repeated fields are accepted in a document', () => {
    const document = (repeated: number) =>
      `{ one { ${times(101, () => 'id')} other { ${times(repeated - 99, () => 'id')} } } }`;
    expect(errorsOf(document(200))).toEqual([]);
    expect(errorsOf(document(201))).toEqual(REPEATED_FIELDS);
  });

  test('a field is repeated if it has the same response key', () => {
    expect(errorsOf(`{ one { ${times(202, () => 'same: id')} } }`)).toEqual(REPEATED_FIELDS);
    expect(errorsOf(`{ one { ${aliases(202, 'id')} } }`)).toEqual([]);
  });

  test('at most 200 fragment spreads are accepted in a document', () => {
    const document = (spreads: number) =>
      `{ one { ${times(spreads, () => '...F')} } } fragment F on Item { id }`;
    expect(errorsOf(document(200))).toEqual([]);
    expect(errorsOf(document(201))).toEqual(FRAGMENT_SPREADS);
  });
});

describe('a document that is refused', () => {
  test('is not checked by the rules of graphql-js, which would take long', () => {
    const document = parse(`{ nothing { ${times(300, () => '...F')} } } fragment F on Nothing { id }`);
    expect(validate(schema, document, [...limits, ...specifiedRules]).map(({ message }) => message)).toEqual(
      FRAGMENT_SPREADS,
    );
  });

  test('because it subscribes has an error that says so', () => {
    expect(errorsOf('subscription { one { id } }')).toEqual(['The schema has no subscriptions.']);
  });

  test.each([
    ['a fragment that spreads itself', '{ one { ...F } } fragment F on Item { id ...F }'],
    [
      'fragments that spread each other',
      '{ ...A } fragment A on Query { ...B } fragment B on Query { ...A }',
    ],
    ['a fragment that does not exist', '{ one { ...Nothing } }'],
    ['a field that does not exist', '{ nothing { nothing { id } } }'],
    ['a type that does not exist', '{ ... on Nothing { list { id } } }'],
  ])('by another rule for %s is not refused by the limits', (_, document) => {
    expect(errorsOf(document)).toEqual([]);
    expect(validate(schema, parse(document))).not.toEqual([]);
  });
});
