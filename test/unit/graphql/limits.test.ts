import { buildSchema, type GraphQLSchema, Kind, parse, specifiedRules, validate } from 'graphql';
import { describe, expect, test } from 'vitest';
import { excessOfResponse, limitDocument } from '../../../src/graphql/limits.ts';
import { fragmentsOf } from '../../../src/graphql/merged-fields.ts';
import { OperationCost } from '../../../src/graphql/operation-cost.ts';

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
const FIELDS = ['A document may have at most 2000 fields, with its fragments expanded.'];
const PAIRS = [
  'A document may have at most 3000 pairs of selections of the same field, and of fragments, in the same object.',
];

/** The errors of a document from the limits only. */
function errorsOf(document: string): readonly string[] {
  return validate(schema, parse(document), [limitDocument]).map(({ message }) => message);
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

describe('at most 10,000 response fields are accepted', () => {
  /** The error of the response to the only operation of a document. */
  function excessOf(source: string, variables: Record<string, unknown>): string | undefined {
    const document = parse(source);
    const [operation] = document.definitions;
    if (operation?.kind !== Kind.OPERATION_DEFINITION) throw new Error('There is no operation.');
    return excessOfResponse(new OperationCost(schema, fragmentsOf(document), operation), variables);
  }

  test('counting pages whose sizes are variables by these, which the error names', () => {
    // Each field of the list counts 100 times, and the list itself once.
    const document = (count: number) =>
      `query ($n: Int, $m: Int, $none: Int) { list { page(first: $n, last: $none) {
        nodes { page(last: $m) { __typename } } ${aliases((count - 3200) / 100, '__typename')} } } }`;
    const variables = { n: 5, m: 3, none: null };
    expect(excessOf(document(9900), variables)).toBeUndefined();
    expect(excessOf(document(10_000), variables)).toBe(
      'A response may have at most 10000 fields. This one could have 10001, most of them in `list.page.nodes.page`, counting `first: $n` as 5, `last: $m` as 3, a page as its size in the document, and other lists as 100 items.',
    );
  });

  test('and names the page with most of the fields', () => {
    const page = 'page(first: 100) { nodes { id } }';
    const document = `{ one { id } list { small: page(first: 1) { nodes { id } } other { ${page} } } }`;
    expect(excessOf(document, {})).toContain('could have 20703, most of them in `list.other.page`, counting');
  });
});

describe('at most 3,000 pairs of selections of a field or of fragments are accepted in an object', () => {
  const fields = (count: number, part: string) => times(count, () => part);
  const fragments = (count: number) => times(count, (n) => `fragment F${n} on Item { a${n}: id }`);

  // 77 selections are 2,926 pairs, and 78 are 3,003.
  test.each<[string, (count: number) => string]>([
    ['fields', (count) => `{ one { ${fields(count, 'id')} } }`],
    ['fields with the same response key', (count) => `{ one { ${fields(count, 'same: id')} } }`],
    ['fields in inline fragments', (count) => `{ one { ${fields(count, '... { id }')} } }`],
    [
      'fields in nested inline fragments',
      (count) => `{ one { ${'... { id '.repeat(count)}${'} '.repeat(count)} } }`,
    ],
    [
      'fields of different types',
      (count) => `{ nodes(ids: []) { ${times(count, (n) => `... on ${n % 2 ? 'Item' : 'Other'} { id }`)} } }`,
    ],
    ['fragments', (count) => `{ one { ${times(count, (n) => `...F${n}`)} } } ${fragments(count)}`],
    [
      'fragments in inline fragments',
      (count) => `{ one { ${times(count, (n) => `... { ...F${n} }`)} } } ${fragments(count)}`,
    ],
    ['fragments that do not exist', (count) => `{ one { ${times(count, (n) => `...F${n}`)} } }`],
    [
      'fields of a fragment that is not used',
      (count) => `{ one { id } } fragment F on Item { ${fields(count, 'id')} }`,
    ],
  ])('%s', (_, document) => {
    expect(errorsOf(document(77))).toEqual([]);
    expect(errorsOf(document(78))).toEqual(PAIRS);
  });
});

describe('at most 2,000 fields are accepted, with the fragments expanded', () => {
  test.each<[string, (count: number) => string]>([
    ['in an object', (count) => `{ one { ${aliases(count - 1, 'id')} } }`],
    ['in nested objects', (count) => `{ one ${'{ other '.repeat(count - 2)}{ id }${' }'.repeat(count - 1)}`],
    // The fragment counts by itself, too.
    [
      'in a fragment in 19 objects',
      (count) =>
        `{ one { ${aliases(19, 'other { ...F }')} } } fragment F on Item { ${aliases((count - 20) / 20, 'id')} }`,
    ],
  ])('%s', (_, document) => {
    expect(errorsOf(document(2000))).toEqual([]);
    expect(errorsOf(document(2020))).toEqual(FIELDS);
  });

  test('and not more in fragments that double at each of 40 levels', () => {
    const doubled = times(
      40,
      (n) => `fragment F${n} on Item { a: other { ...F${n + 1} } b: other { ...F${n + 1} } }`,
    );
    expect(errorsOf(`{ one { ...F0 } } ${doubled} fragment F40 on Item { id }`)).toEqual(FIELDS);
  });
});

describe('a document that is refused', () => {
  test('is not checked by the rules of graphql-js, which would take long', () => {
    const document = parse(`{ nothing { ${times(300, () => 'id')} } }`);
    expect(
      validate(schema, document, [...specifiedRules, limitDocument]).map(({ message }) => message),
    ).toEqual(PAIRS);
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
