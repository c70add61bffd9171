import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES } from '../../../src/graphql/rules/response-size.ts';
import { type HttpResponse, postGraphql } from '../../support/both-apis.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { lineOf } from '../../support/log-lines.ts';
import { setRows } from '../../support/rows.ts';

// Small documents that would cost much time, memory or traffic without limits.

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 30, wallets: 100 });

beforeAll(async () => {
  const control = '\u0001'.repeat(2000);
  await setRows(gateway.database, 'wallet', { description: control });
});

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, n) => part(n)).join(' ');
const aliases = (count: number, selection: string) => times(count, (n) => `a${n}: ${selection}`);

function nestedFragments(count: number): string {
  return `{ __schema { types { ...A } } }
    fragment A on __Type { ${aliases(count, 'fields { ...B }')} }
    fragment B on __Field { ${aliases(count, 'type { ...C }')} }
    fragment C on __Type { ${aliases(count, 'fields { name }')} }`;
}

const TOO_MANY_RESPONSE_FIELDS = 'A response may have at most 10000 fields';
const TOO_MANY_PAIRS =
  'A document may have at most 10000 pairs of selections of the same field, and of fragments, in the same object.';
const TOO_MANY_PAIRS_WITHOUT_TOKEN = TOO_MANY_PAIRS.replace('10000', '3000');
const TOO_MANY_FIELDS = 'A document may have at most 2000 fields, with its fragments expanded.';

const LIMITS: readonly {
  readonly message: string;
  readonly max: number;
  readonly documents: Readonly<Record<string, (count: number) => string>>;
}[] = [
  {
    message: 'A document may have at most 30 fields of Query and Mutation and other connections.',
    max: 30,
    documents: {
      'in a query': (n) => `{ ${aliases(n, '__typename')} }`,
      'in a mutation': (n) => `mutation { ${aliases(n, '__typename')} }`,
      'in a fragment': (n) => `{ ...F } fragment F on Query { ${aliases(n, 'viewer { name }')} }`,
      'in inline fragments': (n) => `{ ${times(n, (a) => `... on Query { a${a}: __typename }`)} }`,
      'in two operations': (n) =>
        `query A { ${aliases(10, '__typename')} } query B { ${aliases(n - 10, '__typename')} }`,
      'and connections': (n) => `{ viewer { project { ${aliases(n - 1, 'apps { totalCount }')} } } }`,
    },
  },
  {
    message: TOO_MANY_PAIRS,
    // 316 selections are 49,770 pairs of plain fields, which count as 9,954, and 317 count as 10,017.
    max: 316,
    documents: {
      fields: (n) => `{ viewer { ${times(n, () => 'name')} } }`,
      'fields of the same response key': (n) => `{ viewer { ${times(n, () => 'a: name')} } }`,
      'fields in inline fragments': (n) => `{ viewer { ${times(n, () => '... { name }')} } }`,
      'fields in nested fragments': (n) => `{ viewer { ${'... { name '.repeat(n)}${'} '.repeat(n)} } }`,
      'fields of an unused fragment': (n) =>
        `{ __typename } fragment F on Viewer { ${times(n, () => 'name')} }`,
    },
  },
  {
    message: TOO_MANY_PAIRS,
    // 141 fragments, or selections with arguments or selections, are 9,870 pairs, and 142 are 10,011.
    max: 141,
    documents: {
      'fragments that do not exist': (n) => `{ viewer { ${times(n, (a) => `...F${a}`)} } }`,
    },
  },
  {
    message: TOO_MANY_FIELDS,
    max: 98,
    documents: {
      // The fragment counts by itself, too.
      'in a fragment in 19 objects': (n) =>
        `{ viewer { ${aliases(19, 'project { ...F }')} } } fragment F on Project { ${aliases(n + 1, 'id')} }`,
    },
  },
  {
    message: `${TOO_MANY_RESPONSE_FIELDS}. This one could have 10001: select`,
    max: 99,
    documents: {
      'in the items of a page': (n) => `{ projects(first: 99) { nodes { ${aliases(n, '__typename')} } } }`,
    },
  },
  {
    message: 'A document may have at most 1500 tokens',
    max: 1492,
    documents: {
      // One for each field, and eight for the rest of the document.
      'in the document': (n) =>
        `{ projects { pageInfo { ${aliases(497, 'hasNextPage')} ${times(n - 1491, () => 'endCursor')} } } }`,
    },
  },
];

/** Sends a document, and returns the messages of its errors. */
async function errorsOf(query: string, token: string | undefined = tenant.token) {
  const { text } = await postGraphql(gateway.url, token, query);
  const { data, errors = [] } = JSON.parse(text) as { data?: unknown; errors?: readonly Error[] };
  if (errors.length > 0) expect(data).toBeUndefined();
  return errors.map(({ message }) => message);
}

describe.each(LIMITS)('$message', ({ message, max, documents }) => {
  test.each(Object.entries(documents))('%s', async (_, document) => {
    for (const error of await errorsOf(document(max))) expect(error).not.toContain('at most');
    expect(await errorsOf(document(max + 1))).toEqual([expect.stringContaining(message)]);
  });
});

const spreads = (spread: (next: string) => string, type: string) =>
  times(40, (n) => `fragment F${n} on ${type} { ${spread(`...F${n + 1}`)} }`);
const TWICE = spreads((next) => `${next} ${next}`, 'Query');
const DOUBLED = spreads((next) => `a: ofType { ${next} } b: ofType { ${next} }`, '__Type');

describe('a small document is refused before its execution', () => {
  test.each<readonly [name: string, document: string, message: string]>([
    [
      '100 pages of 100 items',
      '{ projects(first: 100) { nodes { wallets(first: 100) { nodes { id } } apps(first: 1) { nodes { id } } } } }',
      TOO_MANY_RESPONSE_FIELDS,
    ],
    [
      'many fields behind a page of a negative size',
      `{ less: projects(first: -99999) @skip(if: true) { nodes { id } }
        projects(first: 100) { nodes { ${aliases(250, 'title')} } } }`,
      TOO_MANY_RESPONSE_FIELDS,
    ],
    [
      'fragments that spread each other',
      '{ ...A } fragment A on Query { ...B ...C } fragment B on Query { ...A ...C } fragment C on Query { ...A ...B }',
      'Cannot spread fragment "A" within itself',
    ],
    ['a type that does not exist', '{ ... on Nothing { projects { id } } }', 'Unknown type "Nothing".'],
    ['a variable of another type', 'query ($x: ID) { node(id: $x) { id } }', 'expecting type "ID!"'],
    // The rules of graphql-js would take long, and name the field.
    ['pairs in a field that does not exist', `{ nothing { ${times(317, () => 'id')} } }`, TOO_MANY_PAIRS],
  ])('%s', async (_, document, message) => {
    expect((await errorsOf(document))[0]).toContain(message);
  });

  test.each<readonly [name: string, document: string, message: string]>([
    ['nested fragments in introspection', nestedFragments(6), TOO_MANY_RESPONSE_FIELDS],
    ['2^40 spreads', `{ ...F0 } ${TWICE} fragment F40 on Query { __typename }`, TOO_MANY_PAIRS_WITHOUT_TOKEN],
    [
      '2^40 fields',
      `{ __type(name: "App") { ...F0 } } ${DOUBLED} fragment F40 on __Type { name }`,
      TOO_MANY_FIELDS,
    ],
  ])('%s, without a token', async (_, document, message) => {
    expect(await errorsOf(document, '')).toEqual([expect.stringContaining(message)]);
  });

  test('but not a page of 100 fragments of five fields each', async () => {
    const fragments = times(100, (n) => `fragment F${n} on Project { id name title description createTime }`);
    const query = `{ projects { nodes { ${times(100, (n) => `...F${n}`)} } } } ${fragments}`;
    expect(await errorsOf(query)).toEqual([]);
  });

  test('but not two aliases in nested fragments, and not all fields of the largest page', async () => {
    expect(await errorsOf(nestedFragments(2), '')).toEqual([]);
    const all = 'id name title description imageCoverUrl imageCoverCid createTime';
    expect(
      await errorsOf(
        `{ projects(first: 100) { totalCount nodes { ${all} } edges { cursor node { ${all} } } } }`,
      ),
    ).toEqual([]);
  });
});

describe('a response of more than 5 MB is not sent', () => {
  const document = (fields: number) =>
    `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Wallet { ${aliases(fields, 'description')} } } }`;
  const ask = (fields: number, ids: readonly string[], token: string | undefined = tenant.token) =>
    postGraphql(gateway.url, token, document(fields), { ids });

  async function expectTooLarge(response: HttpResponse) {
    const { status, text } = response;
    expect(status).toBe(200);
    const line = { level: 40, status: 200, reason: 'RESPONSE_TOO_LARGE' };
    expect(await lineOf(gateway, response)).toMatchObject(line);
    const { data, errors } = JSON.parse(text);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', status: 'INVALID_ARGUMENT', reason: 'RESPONSE_TOO_LARGE' } },
    ]);
  }

  test.each([
    ['the same wallet again and again', () => Array.from({ length: 100 }, () => tenant.wallet)],
    ['different wallets', () => tenant.wallets],
  ])('of aliases of the longest text of %s, by Apollo Server and compiled', async (_name, ids) => {
    for (let times = 0; times < 3; times += 1) await expectTooLarge(await ask(95, ids()));
  });

  test('but a response of almost 5 MB is', async () => {
    for (let times = 0; times < 3; times += 1) {
      const { text } = await ask(4, tenant.wallets);
      expect(JSON.parse(text).errors).toBeUndefined();
      expect(Buffer.byteLength(text)).toBeGreaterThan(0.95 * MAX_RESPONSE_BYTES);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_RESPONSE_BYTES);
    }
  });
});

test('a list variable has at most 100 items, and at most 20 of its violations are named', async () => {
  const look = async (ids: readonly unknown[]) => {
    const query = 'query ($i: [ID!]!) { nodes(ids: $i) { id } }';
    const { text } = await postGraphql(gateway.url, tenant.token, query, { i: ids });
    return JSON.parse(text);
  };
  // Apollo Server executes the first two, and the third one is compiled.
  for (let times = 0; times < 3; times += 1) expect((await look([])).data).toEqual({ nodes: [] });
  const { errors } = await look(Array(30_000).fill({}));
  expect(errors[0].extensions.fieldViolations).toEqual([
    { field: 'i', description: 'Must have at most 100 items.' },
  ]);
  const invalid = (await look(Array(100).fill({}))).errors[0].extensions.fieldViolations;
  expect(invalid).toEqual(
    Array.from({ length: 20 }, (_, n) => ({ field: `i[${n}]`, description: 'Must be a string.' })),
  );
});

test('errors do not repeat a long name in full', async () => {
  const name = 'n'.repeat(40_000);
  const variables = Array.from({ length: 100 }, (_, n) => `$v${n}: Int`).join(' ');
  const { text } = await postGraphql(
    gateway.url,
    tenant.token,
    `query ${name}(${variables}) { projects { totalCount } }`,
  );
  const messages = (JSON.parse(text).errors as readonly Error[]).map(({ message }) => message);
  expect(messages).toHaveLength(21);
  expect(Math.max(...messages.map(({ length }) => length))).toBe(501);
});
