import { getIntrospectionQuery, type IntrospectionOptions } from 'graphql';
import { beforeAll, describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES } from '../../src/graphql/response-size.ts';
import { type HttpResponse, postGraphql } from '../support/apis.ts';
import { useGateway, useTenant } from '../support/gateway.ts';

// Small documents that would cost much time, memory or traffic without limits.

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 30, wallets: 100 });

beforeAll(async () => {
  const control = '\u0001'.repeat(2000);
  await gateway.database.write('UPDATE wallet SET description = $1', [control]);
});

const aliases = (count: number, selection: string) =>
  Array.from({ length: count }, (_, n) => `a${n}: ${selection}`).join(' ');

function nestedFragments(count: number): string {
  return `{ __schema { types { ...A } } }
    fragment A on __Type { ${aliases(count, 'fields { ...B }')} }
    fragment B on __Field { ${aliases(count, 'type { ...C }')} }
    fragment C on __Type { ${aliases(count, 'fields { name }')} }`;
}

const ACYCLIC = Array.from({ length: 40 }, (_, n) => `fragment F${n} on Query { ...F${n + 1} ...F${n + 1} }`);

const TOO_MANY_FIELDS = /^A response may have at most 10000 fields/;
const TOO_MANY_PAIRS = /^A document may have at most 3000 pairs of selections/;

type Refusal = readonly [name: string, document: string, message: RegExp];

// The limits have unit tests. These documents show that the API applies them.
const refused: readonly Refusal[] = [
  ['nested fragments in introspection', nestedFragments(6), TOO_MANY_FIELDS],
  [
    '100 pages of 100 items',
    '{ projects(first: 100) { nodes { wallets(first: 100) { nodes { id } } } } }',
    TOO_MANY_FIELDS,
  ],
  [
    'many fields behind a page of a negative size',
    `{ less: projects(first: -99999) @skip(if: true) { nodes { id } }
      projects(first: 100) { nodes { ${aliases(250, 'title')} } } }`,
    TOO_MANY_FIELDS,
  ],
  [
    'fragments that spread each other',
    `{ ...A } fragment A on Query { ...B ...C } fragment B on Query { ...A ...C } fragment C on Query { ...A ...B }`,
    /^Cannot spread fragment "A" within itself/,
  ],
  [
    'fragments of 2^40 spreads',
    `{ ...F0 } ${ACYCLIC.join(' ')} fragment F40 on Query { __typename }`,
    TOO_MANY_PAIRS,
  ],
];

describe('a small document with a large response is refused before its execution', () => {
  test.each(refused)('%s', async (_name, document, message) => {
    const answer = await postGraphql(gateway.url, tenant.token, document);
    const { data, errors } = JSON.parse(answer.text);
    expect(data).toBeUndefined();
    expect(errors[0].message).toMatch(message);
    expect(answer.text.length).toBeLessThan(10_000);
  });

  test('fragments of 2^40 spreads without a token', async () => {
    const document = `{ ...F0 } ${ACYCLIC.join(' ')} fragment F40 on Query { __typename }`;
    const { text } = await postGraphql(gateway.url, undefined, document);
    expect(JSON.parse(text).errors[0].message).toMatch(TOO_MANY_PAIRS);
  });

  test('but two aliases in nested fragments are executed', async () => {
    const { text } = await postGraphql(gateway.url, undefined, nestedFragments(2));
    expect(JSON.parse(text).errors).toBeUndefined();
    expect(text.length).toBeLessThan(MAX_RESPONSE_BYTES);
  });
});

describe('a response of more than 5 MB is not sent', () => {
  const document = (fields: number) =>
    `query ($ids: [ID!]!) { nodes(ids: $ids) { ... on Wallet { ${aliases(fields, 'description')} } } }`;
  const ask = (fields: number, ids: readonly string[], token: string | undefined = tenant.token) =>
    postGraphql(gateway.url, token, document(fields), { ids });

  function expectTooLarge({ status, text }: HttpResponse) {
    expect(status).toBe(200);
    const { data, errors } = JSON.parse(text);
    expect(data).toBeNull();
    expect(errors).toMatchObject([
      { extensions: { code: 'BAD_USER_INPUT', status: 'INVALID_ARGUMENT', reason: 'RESPONSE_TOO_LARGE' } },
    ]);
  }

  test.each([
    ['the same wallet again and again', () => Array.from({ length: 100 }, () => tenant.wallets[0] ?? '')],
    ['different wallets', () => tenant.wallets],
  ])('of aliases of the longest text of %s, by Apollo Server and compiled', async (_name, ids) => {
    for (let times = 0; times < 3; times += 1) expectTooLarge(await ask(95, ids()));
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

test('an id that is looked up many times is one object, and one violation if it is invalid', async () => {
  const look = async (id: string) => {
    const query = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';
    const { text } = await postGraphql(gateway.url, tenant.token, query, { ids: Array(100).fill(id) });
    return JSON.parse(text);
  };
  const id = tenant.wallets[0] ?? '';
  expect(await look(id)).toEqual({ data: { nodes: Array(100).fill({ id }) } });
  const { errors } = await look('nonsense');
  expect(errors[0].extensions.fieldViolations).toMatchObject([{ field: 'ids[0]' }]);
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

test.each<readonly [string, IntrospectionOptions]>([
  ['without options', {}],
  ['of a tool without descriptions', { descriptions: false }],
  [
    'with all options',
    {
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    },
  ],
])('the introspection query %s is executed', async (_which, options) => {
  const { status, text } = await postGraphql(gateway.url, undefined, getIntrospectionQuery(options));
  expect(status).toBe(200);
  expect(JSON.parse(text)).toMatchObject({ data: { __schema: { queryType: { name: 'Query' } } } });
});
