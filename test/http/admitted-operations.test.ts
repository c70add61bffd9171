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
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { answeredFrom } from '../answered-from.ts';
import { type Answer, send } from '../faces.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../gateway.ts';

const schema = buildSchema(
  readFileSync(new URL('../../schema/published/paw.graphql', import.meta.url), 'utf8'),
);

const TOTAL = '{ projects { totalCount } }';

let gateway: Gateway;
let tenant: Tenant;
let stranger: Tenant;
let cursor: string;
let count = 0;
const answers = answeredFrom();

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

describe('an operation that was admitted before is answered, byte for byte, as the first time', () => {
  test.each(Array.from({ length: 150 }, (_, seed) => seed))('random operation %i', async (seed) => {
    const random = randomNumbers(seed);
    const { document, variables } = randomOperation(random);
    await ask(document, variables());
    for (let n = 0; n < 3; n += 1) {
      const values = variables();
      // An answer is kept from the second time on.
      const ways = [await ask(document, values), await ask(document, values), await ask(document, values)];
      const cold = await ask(`${document}\n# ${count}`, values);
      // A document that was refused, or variables that do not fit, are never admitted.
      if (cold.from !== undefined) throw new Error('The other way was not taken.');
      const { data, errors } = JSON.parse(cold.text);
      if (data !== undefined) {
        const isKept = inject('engine') === 'sqlite' && document.startsWith('query') && errors === undefined;
        const froms = ways.map(({ from }) => from);
        expect(froms[0], document).toMatch(isKept ? /^(compiled operation|memory)$/ : /^compiled operation$/);
        expect(froms[2], document).toBe(isKept ? 'memory' : 'compiled operation');
      }
      for (const each of ways) {
        expect(withoutDate(each), `${document}\n${JSON.stringify(values)}`).toEqual(withoutDate(cold));
      }
    }
  });
});

test('each case of what is included is answered as it is, however many there are', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const document = `query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) {
    ${names.map((name) => `${name}: __typename @include(if: $${name})`).join(' ')}
  }`;
  await ask(document, Object.fromEntries(names.map((name) => [name, true])));
  for (let n = 0; n < 64; n += 1) {
    const included = names.filter((_, place) => (n >> place) & 1);
    const variables = Object.fromEntries(names.map((name) => [name, included.includes(name)]));
    const { from, text } = await ask(document, variables);
    expect(from).toBe('compiled operation');
    expect(JSON.parse(text)).toEqual({ data: Object.fromEntries(included.map((name) => [name, 'Query'])) });
  }
});

test('a request has one id, also if it is left to Apollo Server in the end', async () => {
  const numbers: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const { status, headers } = await send(`${gateway.url}/graphql`, 'POST', undefined, { query: TOTAL });
    expect(status).toBe(401);
    numbers.push(Number(headers.get('x-request-id')?.split('-')[1]));
  }
  const [first = Number.NaN] = numbers;
  expect(numbers).toEqual([first, first + 1, first + 2]);
});

type Asked = Answer & { readonly from: string | undefined };

/** Sends a request, and finds out what it was answered from if Apollo Server had no part in it. */
async function ask(query: string, variables: object): Promise<Asked> {
  count += 1;
  const id = `case-${count}`;
  const answer = await send(
    `${gateway.url}/graphql`,
    'POST',
    tenant.token,
    { query, variables },
    { 'x-request-id': id },
  );
  return { ...answer, from: answers.get(id) };
}

function withoutDate({ status, headers, text }: Asked) {
  const requestId = headers.get('x-request-id') ?? '';
  const kept = [...headers].filter(
    ([name]) => name !== 'date' && name !== 'x-request-id' && name !== 'content-length',
  );
  return {
    status,
    headers: kept,
    text: text.replaceAll(`"${requestId}"`, '"request"').replace(/case-\d+/g, 'case'),
  };
}

/** Returns whole numbers from 0 to below a bound: the same for the same seed. Source: mulberry32. */
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
  maybe: 'Boolean = true',
  input: 'UpdateWalletInput!',
};

const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
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
  '@skip(if: $maybe)',
  '@include(if: $maybe) @skip(if: $yes)',
  '@skip(if: true)',
  '@include(if: false)',
];

/** An operation with fragments, conditions and aliases, and variables for it, which may be wrong. */
function randomOperation(random: (below: number) => number) {
  const fragments: string[] = [];
  let names = 0;
  const newName = (start: string) => {
    names += 1;
    return start + names;
  };
  const pick = <T>(items: readonly T[]): T => items[random(items.length)] as T;

  const condition = () => (random(6) === 0 ? ` ${pick(CONDITIONS)}` : '');

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
      const { name, type: returned } = pick(fields);
      const values = ARGUMENTS[name];
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
