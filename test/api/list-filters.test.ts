import { beforeAll, describe, expect, test } from 'vitest';
import { createProject } from '../../src/data/projects/create-project.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { graphqlApi } from '../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway, useTenant } from '../support/gateway.ts';
import { createApp, graphqlBody, mutate } from '../support/requests.ts';

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

const TITLES = [
  'Coffee',
  'coffee beans',
  'Kaffee',
  'COFFEE',
  'Straße',
  'ＣＯＦＦＥＥ bar',
  'Écluse',
  'cof%_',
  'GROẞ',
  'İZMİR',
];
const LONG = `Long ${'🦊'.repeat(190)}`;

const tenant = useTenant(gateway);
/** The names of the projects and of the wallets with each title. */
const named: Record<'projects' | 'wallets', Record<string, string>> = { projects: {}, wallets: {} };

const ADDRESS = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';

const addWallet = (project: string, title: string, address = ADDRESS) =>
  registerWallet(gateway.operator, { project, title, description: '', network: 'NETWORK_ETHEREUM', address });

beforeAll(async () => {
  const { project } = tenant;
  for (const title of [...TITLES, LONG]) {
    const input = { account: tenant.account, title, description: '' };
    named.projects[title] = (await createProject(gateway.operator, input)).project.name;
    const number = Object.keys(named.wallets).length;
    const { name } = await addWallet(project, title, `0x${number.toString().padStart(40, 'a')}`);
    named.wallets[title] = name;
  }
});

const PAGE = 'nodes { id } totalCount pageInfo { hasNextPage hasPreviousPage startCursor endCursor }';
const ARGUMENTS = 'first: $first, after: $after, last: $last, before: $before';
const VARIABLES = '$first: Int, $after: String, $last: Int, $before: String';

const LISTS = {
  projects: `query ($title: String, ${VARIABLES}) { page: projects(title: $title, ${ARGUMENTS}) { ${PAGE} } }`,
  wallets: `query ($project: ID!, $title: String, ${VARIABLES}) {
    node(id: $project) { ... on Project { page: wallets(title: $title, ${ARGUMENTS}) { ${PAGE} } } }
  }`,
};

const AT_ADDRESS = `query ($address: Address!, ${VARIABLES}) {
  page: wallets(address: $address, ${ARGUMENTS}) { ${PAGE} }
}`;

type Node = { readonly id: string };

/** Returns a page, or the extensions of the error. */
async function read(query: string, variables: object, { token, projects }: Tenant) {
  const { data, errors } = await graphqlBody(gateway.url, token, query, {
    project: projects[0],
    ...variables,
  });
  return errors === undefined ? (data.page ?? data.node.page) : errors[0].extensions;
}

const idsOf = ({ nodes }: { readonly nodes: readonly Node[] }) => nodes.map(({ id }) => id);

async function expectInvalid(page: Promise<unknown>, field: string) {
  expect(await page).toMatchObject({ reason: 'INVALID_FIELD', fieldViolations: [{ field }] });
}

describe.each(['projects', 'wallets'] as const)('%s by title', (list) => {
  const find = (variables: object, by: Tenant = tenant) => read(LISTS[list], variables, by);

  test.each<[string, readonly string[]]>([
    ['coffee', ['Coffee', 'coffee beans', 'COFFEE', 'ＣＯＦＦＥＥ bar']],
    ['COFFEE ', ['coffee beans', 'ＣＯＦＦＥＥ bar']],
    ['c', ['Coffee', 'coffee beans', 'COFFEE', 'ＣＯＦＦＥＥ bar', 'cof%_']],
    ['ffee', []],
    ['cof%', ['cof%_']],
    ['STRASSE', ['Straße']],
    ['strass', ['Straße']],
    ['groß', ['GROẞ']],
    ['İZMİR'.toLowerCase(), ['İZMİR']],
    ['e\u0301clu', ['Écluse']],
    ['ecluse', []],
    [LONG, [LONG]],
    // Behind the first 64 code points.
    [`${LONG}x`, [LONG]],
    [LONG.replace('Long ', 'Long x'), []],
    ['Q', []],
  ])('the beginning %j finds %j, in the order of the names', async (title, found) => {
    const page = await find({ title, first: 100 });
    expect(idsOf(page)).toEqual(found.map((each) => named[list][each]));
    expect(page).toMatchObject({
      totalCount: found.length,
      pageInfo: { hasNextPage: false, hasPreviousPage: false },
    });
  });

  test('null finds all, as no title does', async () => {
    const all = await find({ first: 100 });
    expect(idsOf(all)).toEqual(expect.arrayContaining(Object.values(named[list])));
    expect(await find({ title: null, first: 100 })).toEqual(all);
  });

  test('a cursor of another filter or of none is refused, and one of a filter without it', async () => {
    const cursorOf = async (title?: string) => (await find({ title, first: 1 })).pageInfo.endCursor;
    const [coffee, cof, none] = [await cursorOf('coffee'), await cursorOf('cof'), await cursorOf()];
    for (const after of [cof, none]) await expectInvalid(find({ title: 'coffee', after }), 'after');
    for (const before of [coffee, cof]) await expectInvalid(find({ last: 1, before }), 'before');
    // The same filter in other characters.
    const rest = await find({ title: 'COFFEE', after: coffee });
    expect(idsOf(rest)).toEqual(idsOf(await find({ title: 'coffee' })).slice(1));
  });

  test.each(['', 'x'.repeat(201), '🦊'.repeat(201), 'a\u0000b'])('the title %j is refused', async (title) => {
    await expectInvalid(find({ title }), 'title');
  });

  test('the title of a row that is renamed is the new one', async () => {
    const own = await seedTenant(gateway, { wallets: 1 });
    const [name = ''] = own[list];
    const [update, before] = list === 'projects' ? ['updateProject', 'Tenant'] : ['updateWallet', 'Wallet 1'];
    expect(idsOf(await find({ title: before }, own))).toEqual([name]);
    await mutate(gateway.url, own.token, update, { name, title: 'Renamed' });
    expect(idsOf(await find({ title: 'rename' }, own))).toEqual([name]);
    expect(idsOf(await find({ title: before }, own))).toEqual([]);
  });

  test('of more than 1,000 matches, the 1,000 are found whose titles come first', async () => {
    const own = await seedTenant(gateway);
    const { project } = own;
    const add = async (n: number) => {
      const title = `Same ${String(n).padStart(4, '0')}`;
      if (list === 'wallets') return addWallet(project, title);
      return (await createProject(gateway.operator, { account: own.account, title })).project;
    };
    // The last titles come first in the order of names.
    const names: string[] = [];
    for (let n = 1005; n > 0; n -= 1) names.push((await add(n)).name);
    const page = await find({ title: 'same', first: 100 }, own);
    expect(idsOf(page)).toEqual(names.slice(5, 105));
    expect(page.totalCount).toBe(1000);
    const last = await find({ title: 'same', last: 1 }, own);
    expect(idsOf(last)).toEqual(names.slice(-1));
    expect((await find({ title: 'same 1' }, own)).totalCount).toBe(6);
  });
});

test('the wallets, and the apps, of several projects are found by title in one request', async () => {
  const own = await seedTenant(gateway, { projects: 3 });
  const names: string[] = [];
  for (const project of own.projects) {
    for (const title of ['Cash', 'Till']) names.push((await addWallet(project, title)).name);
    for (const title of ['Cashier', 'Terminal']) await createApp(api, own.token, { title, project });
  }
  const query =
    '{ projects { nodes { wallets(title: "ca") { nodes { id } totalCount } till: wallets(title: "t") { totalCount nodes { id } } apps(title: "CA") { totalCount nodes { title } } } } }';
  const { data } = await graphqlBody(gateway.url, own.token, query);
  expect(data.projects.nodes).toEqual(
    own.projects.map((_, n) => ({
      wallets: { nodes: [{ id: names[2 * n] }], totalCount: 1 },
      till: { nodes: [{ id: names[2 * n + 1] }], totalCount: 1 },
      apps: { nodes: [{ title: 'Cashier' }], totalCount: 1 },
    })),
  );
});

test.each([
  ['without a filter', '', 'address'],
  ['by an address and a title', `address: "${ADDRESS}", title: "c"`, 'title'],
  ['by null', 'address: null, title: null', 'address'],
])('wallets %s are refused, and the error names a filter', async (_how, filters, field) => {
  const query = `{ page: wallets(first: 1, ${filters}) { ${PAGE} } }`;
  await expectInvalid(read(query, {}, tenant), field);
});

test('apps are found by the beginning of their title, also after an update', async () => {
  const own = await seedTenant(gateway);
  const find = (title: string) =>
    read(`query ($title: String!) { page: apps(title: $title) { ${PAGE} } }`, { title }, own);
  const { name } = await createApp(api, own.token, { title: 'Straße 1' });
  expect(await find('strass')).toMatchObject({ nodes: [{ id: name }], totalCount: 1 });
  await mutate(gateway.url, own.token, 'updateApp', { name, title: 'Till' });
  expect(idsOf(await find('strass'))).toEqual([]);
  expect(idsOf(await find('TILL'))).toEqual([name]);
});

describe('wallets by address', () => {
  const find = (variables: object, by: Tenant = tenant) => read(AT_ADDRESS, variables, by);

  test('are found in any case, in all projects of the account', async () => {
    const own = await seedTenant(gateway, { projects: 2 });
    const names: string[] = [];
    for (const project of own.projects) names.push((await addWallet(project, 'Till')).name);
    const { pageInfo } = await find({ address: ADDRESS, first: 1 }, own);
    for (const address of [ADDRESS, ADDRESS.toLowerCase(), ADDRESS.toUpperCase().replace('0X', '0x')]) {
      expect(await find({ address }, own)).toMatchObject({
        nodes: names.map((id) => ({ id })),
        totalCount: 2,
      });
      expect(idsOf(await find({ address, after: pageInfo.endCursor }, own))).toEqual(names.slice(1));
    }
    const other = `0x${'b'.repeat(40)}`;
    await expectInvalid(find({ address: other, after: pageInfo.endCursor }, own), 'after');
    expect(await find({ address: other }, own)).toMatchObject({ nodes: [], totalCount: 0 });
  });

  test.each(['', 'x', ADDRESS.slice(0, -1), `${ADDRESS}0`, ADDRESS.slice(2), null, 7])(
    '%j is refused',
    async (address) => {
      expect(await find({ address })).toMatchObject({ fieldViolations: [{ field: 'address' }] });
    },
  );
});
