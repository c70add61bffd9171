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

const schema = buildSchema(
  readFileSync(new URL('../../schema/published/paw.graphql', import.meta.url), 'utf8'),
);

/** Values that exist: names of resources, names of wallets, and a cursor. */
export type Known = {
  readonly names: readonly string[];
  readonly wallets: readonly string[];
  readonly cursor: string;
};

/** Returns integers from 0 to below a bound. The same seed gives the same numbers. Source: mulberry32. */
export function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below;
  };
}

/** The variables of random operations. */
export const VARIABLES = {
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

const SEARCHES = ['(title: "a")', '(title: "w", first: 2)', '(title: "W", first: 1, after: $after)'];

/** By field, or by type and field. */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  apps: LIST_ARGUMENTS,
  wallets: LIST_ARGUMENTS,
  'Query.apps': SEARCHES,
  'Query.wallets': SEARCHES,
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
export function randomOperation(random: (below: number) => number, { names, wallets, cursor }: Known) {
  const fragments: string[] = [];
  let count = 0;
  const newName = (start: string) => {
    count += 1;
    return start + count;
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
      const values = args.length > 0 ? (ARGUMENTS[`${type.name}.${name}`] ?? ARGUMENTS[name]) : undefined;
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

  const anyName = () => pick([...names, ...wallets, `apps/${'0'.repeat(26)}`, 'nonsense']);
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
        name: pick([...wallets, 'nonsense']),
        title: pick([undefined, 'Title', '', 'Quotes " and \\ and \u2028 and 😀']),
        network: pick([undefined, 'NETWORK_POLYGON', 'NETWORK_ETHEREUM_RINKERBY']),
        clientMutationId: pick([undefined, null, 'mine']),
      },
    }),
  };
}
