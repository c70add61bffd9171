import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
} from 'graphql';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CompiledQueries } from '../../src/graphql/compiled-queries.ts';
import { withoutRequestId } from '../support/actors.ts';
import { type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

const schema = buildSchema(
  readFileSync(new URL('../../schema/published/paw.graphql', import.meta.url), 'utf8'),
);

let gateway: Gateway;
let tenant: Tenant;
let stranger: Tenant;
let cursor: string;
let count = 0;

beforeAll(async () => {
  gateway = await startGateway();
  [tenant, stranger] = [
    await seedTenant(gateway, { projects: 7, wallets: 3 }),
    await seedTenant(gateway, { projects: 2, wallets: 1 }),
  ];
  const page = await send(`${gateway.url}/project/projects?pageSize=2`, 'GET', tenant.token);
  cursor = JSON.parse(page.text).nextPageToken;
  return gateway.stop;
});

/** Counts the queries of a test that are executed in compiled form. */
function countCompiled(): () => number {
  const find = vi.spyOn(CompiledQueries.prototype, 'find');
  onTestFinished(() => find.mockRestore());
  return () => find.mock.results.filter(({ value }) => value !== undefined).length;
}

let compiledOperations = 0;

const OPERATIONS = 60;

describe('the response to a compiled query equals that of Apollo Server, byte for byte', () => {
  test.each(Array.from({ length: OPERATIONS }, (_, seed) => seed))('random operation %i', async (seed) => {
    const random = randomNumbers(seed);
    const { document, variables } = randomOperation(random);
    const compiled = countCompiled();
    for (let n = 0; n < 3; n += 1) {
      const values = variables();
      const before = compiled();
      // A different document is new to the gateway, and is not compiled.
      const cold = await ask(`${document}\n# ${count}`, values);
      expect(compiled()).toBe(before);
      // A query is compiled when it is executed the second time.
      for (let times = 0; times < (n === 0 ? 3 : 1); times += 1) {
        expect(
          withoutRequestId(await ask(document, values)),
          `${document}\n${JSON.stringify(values)}`,
        ).toEqual(withoutRequestId(cold));
      }
    }
    if (document.startsWith('mutation')) expect(compiled()).toBe(0);
    if (compiled() > 0) compiledOperations += 1;
  });

  test('more than a third of the random operations is compiled', () => {
    expect(compiledOperations).toBeGreaterThan(OPERATIONS / 3);
  });
});

test.each([
  `query ($yes: Boolean!) { projects {
    ...Page @include(if: $yes) totalCount nodes { title ...Names @skip(if: $yes) id } } }
    fragment Page on ProjectConnection { nodes { id } totalCount }
    fragment Names on Project { id name title }`,
  `query ($yes: Boolean!) { projects { ...Page @include(if: $yes) __typename ...Page } }
    fragment Page on ProjectConnection { totalCount nodes { id } }`,
])('fields are in the same order if some are skipped and merged: %s', async (document) => {
  for (const yes of [true, false]) {
    const cold = await ask(`${document} # ${yes}`, { yes });
    for (let times = 0; times < 4; times += 1) {
      expect(withoutRequestId(await ask(document, { yes }))).toEqual(withoutRequestId(cold));
    }
  }
});

test('a condition that is null is refused however its variable is written', async () => {
  const document =
    'query ($no,: # comment\nBoolean = false) { projects { totalCount @skip(if: $no) __typename } }';
  const cold = await ask(`${document} # cold`, { no: null });
  for (let times = 0; times < 4; times += 1) {
    await ask(document, { no: false });
    expect(withoutRequestId(await ask(document, { no: null }))).toEqual(withoutRequestId(cold));
  }
});

test('fields of different types are in the same order if one of them is skipped', async () => {
  const document =
    'query ($i: [ID!]!) { nodes(ids: $i) { ... on App { id } ... on Node { id @skip(if: true) x: id id } } }';
  for (let times = 0; times < 4; times += 1) {
    const { text } = await ask(document, { i: [tenant.wallets[0]] });
    expect(text).toBe(`{"data":{"nodes":[{"x":"${tenant.wallets[0]}","id":"${tenant.wallets[0]}"}]}}`);
  }
});

test('an error deep in a list has the same response', async () => {
  const document =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { id } times: createTime } } }';
  const ids = [...tenant.projects, ...tenant.wallets];
  const compiled = countCompiled();
  for (let times = 0; times < 4; times += 1) {
    expect(JSON.parse((await ask(document, { ids })).text).errors).toBeUndefined();
  }
  expect(compiled()).toBe(2);

  // The time is outside the range of Date.
  const setTime = 'UPDATE wallet SET create_time_ms = $1 WHERE id = $2';
  const id = tenant.wallets[1]?.slice('wallets/'.length) ?? '';
  await gateway.database.write(setTime, [9e15, id]);
  const cold = await ask(`${document} # cold`, { ids });
  const { data, errors } = JSON.parse(cold.text);
  expect(errors).toMatchObject([{ path: ['nodes', ids.length - 2, 'times'] }]);
  expect(data.nodes[ids.length - 2]).toBeNull();
  expect(data.nodes[0]).toEqual({ id: ids[0] });
  expect(withoutRequestId(await ask(document, { ids }))).toEqual(withoutRequestId(cold));
  await gateway.database.write(setTime, [gateway.clock(), id]);
});

test('each combination of conditions has its own response', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const document = `query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) {
    projects { ${names.map((name) => `${name}: totalCount @include(if: $${name})`).join(' ')} __typename }
  }`;
  const compiled = countCompiled();
  await ask(document, Object.fromEntries(names.map((name) => [name, true])));
  for (let n = 0; n < 32; n += 1) {
    const included = names.filter((_, place) => (n >> place) & 1);
    const variables = Object.fromEntries(names.map((name) => [name, included.includes(name)]));
    const { text } = await ask(document, variables);
    const counts = Object.fromEntries(included.map((name) => [name, tenant.projects.length]));
    expect(JSON.parse(text)).toEqual({ data: { projects: { ...counts, __typename: 'ProjectConnection' } } });
  }
  expect(compiled()).toBe(31);
});

test('an operation name that is part of the text of another query does not reach that query', async () => {
  const query = '# \u0000A\nquery A { projects { totalCount } }';
  for (let times = 0; times < 2; times += 1) expect((await ask(query, {})).status).toBe(200);
  const [comment = '', rest = ''] = query.split('\u0000');
  const body = { query: comment, operationName: rest };
  const { text } = await send(`${gateway.url}/graphql`, 'POST', tenant.token, body);
  expect(JSON.parse(text).errors[0].extensions.code).toBe('GRAPHQL_PARSE_FAILED');
});

test('the size of a page in a variable counts with its value, in each execution', async () => {
  const pages = (n: string) =>
    `query ${n} { projects(first: $n) { nodes { wallets(first: $n) { nodes { id } } } } }`;
  const compiled = countCompiled();
  for (let times = 0; times < 3; times += 1) {
    const admitted = JSON.parse((await ask(pages('($n: Int)'), { n: 5 })).text);
    expect(admitted.data.projects.nodes).toHaveLength(5);
    expect(JSON.parse((await ask(pages('($n: Int = 5)'), {})).text)).toEqual(admitted);
    expect(JSON.parse((await ask(pages('($n: Int)'), {})).text).data.projects.nodes).toHaveLength(7);
    const { data, errors } = JSON.parse((await ask(pages('($n: Int)'), { n: 100 })).text);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect(errors[0].message).toContain('at most 10000 fields, counting `first: $n` as 100, a page');
  }
  expect(compiled()).toBeGreaterThan(0);
});

test.each([0, -5, 101, 2 ** 31, 1e300, 1.5, '5', '', true, [5], [], { n: 5 }])(
  'a page size of %j in a variable has the same error in each execution',
  async (n) => {
    const query = 'query ($n: Int) { projects(first: $n) { nodes { wallets(first: 1) { nodes { id } } } } }';
    const cold = await ask(`${query} # ${JSON.stringify(n)}`, { n });
    expect(JSON.parse(cold.text).errors).toMatchObject([{ extensions: { code: 'BAD_USER_INPUT' } }]);
    for (let times = 0; times < 2; times += 1) await ask(query, { n: 1 });
    expect(withoutRequestId(await ask(query, { n }))).toEqual(withoutRequestId(cold));
  },
);

function ask(query: string, variables: object): Promise<HttpResponse> {
  count += 1;
  return send(`${gateway.url}/graphql`, 'POST', tenant.token, { query, variables });
}

/** Returns integers from 0 to below a bound. The same seed gives the same numbers. Source: mulberry32. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

const VARIABLES = {
  first: 'Int',
  last: 'Int',
  after: 'String',
  id: 'ID!',
  ids: '[ID!]!',
  yes: 'Boolean!',
  sure: 'Boolean! = true',
  maybe: 'Boolean = true',
  input: 'UpdateWalletInput!',
};

const LIST_ARGUMENTS = ['', '(first: 2)', '(first: 1, after: $after)', '(last: $last)', '(first: $first)'];

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  apps: LIST_ARGUMENTS,
  wallets: LIST_ARGUMENTS,
  projects: [
    '',
    '(first: $first, after: $after)',
    '(last: $last)',
    '(first: 2)',
    '(first: $first, last: $last)',
  ],
  node: ['(id: $id)'],
  nodes: ['(ids: $ids)'],
  updateWallet: ['(input: $input)'],
};

const CONDITIONS = [
  '@skip(if: $yes)',
  '@include(if: $yes)',
  '@skip(if: $sure)',
  '@include(if: $sure) @skip(if: $yes)',
  '@skip(if: true)',
  '@include(if: false)',
  '@skip(if: $maybe)',
];

/** Returns an operation with fragments, conditions and aliases, and its variables, which may be invalid. */
function randomOperation(random: (below: number) => number) {
  const fragments: string[] = [];
  let names = 0;
  const newName = (start: string) => {
    names += 1;
    return start + names;
  };
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;

  // Apollo Server executes most operations with conditions. Three quarters of the operations have none.
  const isPlain = random(4) > 0;
  const condition = () => (isPlain || random(6) > 0 ? '' : ` ${pick(CONDITIONS)}`);

  function selection(type: GraphQLNamedType | undefined, depth: number): string {
    if (!isObjectType(type) && !isInterfaceType(type)) throw new Error('There is nothing to select.');
    const own = Object.values(type.getFields()).filter(
      (field) => depth > 0 || isLeafType(getNamedType(field.type)),
    );
    const operations = own.filter(({ name }) => name in ARGUMENTS);
    const fields = type.name === 'Mutation' ? operations : own;
    const parts = Array.from({ length: 1 + random(5) }, () => {
      const kind = random(10);
      if (kind === 0) return `${newName('kind')}: __typename${condition()}`;
      if (kind <= 2 && type.name !== 'Mutation') {
        const narrower = pick([type, ...(isInterfaceType(type) ? schema.getPossibleTypes(type) : [])]);
        const inner = `{ ${selection(narrower, depth)} }`;
        if (kind === 1) return `... on ${narrower.name}${condition()} ${inner}`;
        const name = newName('Part');
        fragments.push(`fragment ${name} on ${narrower.name} ${inner}`);
        return `...${name}${condition()}`;
      }
      const { name, type: returned, args } = pick(fields);
      const values = args.length > 0 ? ARGUMENTS[name] : undefined;
      const alias = values || random(4) === 0 ? `${newName('field')}: ` : '';
      const below = getNamedType(returned);
      const inner = isLeafType(below) ? '' : ` { ${selection(below, depth - 1)} }`;
      return `${alias}${name}${values ? pick(values) : ''}${condition()}${inner}`;
    });
    return parts.join(' ');
  }

  const isMutation = random(4) === 0;
  const root: GraphQLObjectType | null | undefined = isMutation
    ? schema.getMutationType()
    : schema.getQueryType();
  const selected = selection(root ?? undefined, 3);
  const body = [`{ ${selected} }`, ...fragments].join('\n');
  const declared = Object.entries(VARIABLES)
    .filter(([name]) => new RegExp(`\\$${name}\\b`).test(body))
    .map(([name, type]) => `$${name}: ${type}`);
  const head = declared.length > 0 ? `(${declared.join(', ')}) ` : '';

  const anyName = () =>
    pick([...tenant.projects, ...tenant.wallets, stranger.wallets[0], `apps/${'0'.repeat(26)}`, 'nonsense']);
  return {
    document: `${isMutation ? 'mutation' : 'query'} ${head}${body}`,
    variables: () => ({
      first: pick([undefined, null, 1, 3, 100, 0, 101, 'two']),
      last: pick([undefined, null, 2, 0]),
      after: pick([undefined, null, '', cursor, 'nonsense']),
      id: anyName(),
      ids: Array.from({ length: random(4) }, anyName),
      yes: pick([true, false]),
      sure: pick([undefined, true, false]),
      maybe: pick([undefined, null, true, false]),
      input: {
        name: pick([...tenant.wallets, stranger.wallets[0], 'nonsense']),
        title: pick([undefined, 'Title', '', 'Quotes " and \\ and \u2028 and 😀']),
        network: pick([undefined, 'NETWORK_POLYGON', 'NETWORK_ETHEREUM_RINKERBY']),
        clientMutationId: pick([undefined, null, 'mine']),
      },
    }),
  };
}

test('a compiled query whose list is left out by a directive is refused without a valid token', async () => {
  const { token } = await seedTenant(gateway);
  const query = '{ projects @skip(if: true) { totalCount } }';
  for (let times = 0; times < 3; times += 1) {
    expect((await postGraphql(gateway.url, token, query)).status).toBe(200);
  }
  for (const refused of [`${token}0`, '']) {
    expect((await postGraphql(gateway.url, refused, query)).status).toBe(401);
  }
});
