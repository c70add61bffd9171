import { beforeAll, describe, expect, test } from 'vitest';
import { createWallet } from '../../../src/data/create-wallet.ts';
import {
  createApp,
  createAppIn,
  cursorsOf,
  graphqlBody,
  MISSING_PROJECT,
  projectToken,
  resultOf,
} from '../../support/actors.ts';
import { graphqlApi, restApi } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';

type Arguments = Partial<Record<'first' | 'after' | 'last' | 'before', unknown>>;

const SELECTION = `{
  edges { cursor node { name } }
  nodes { name }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
}`;

const LENGTH = 12;

/** A list of a project, and how one more item gets into it. */
const LISTS = [
  {
    list: 'apps',
    async add(tenant: Tenant, project: string) {
      return (
        await createAppIn(
          gateway,
          graphqlApi(() => gateway.url),
          tenant,
          project,
        )
      ).name;
    },
  },
  {
    list: 'wallets',
    async add(_tenant: Tenant, project: string) {
      const address = `0x${'0'.repeat(40)}`;
      const input = { project, title: 'Wallet', network: 'NETWORK_POLYGON', address };
      return (await createWallet(gateway.admin, input)).name;
    },
  },
] as const;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe.each(LISTS)('the $list of a project', ({ list, add }) => {
  const document = `query ($id: ID!, $first: Int, $after: String, $last: Int, $before: String) {
    node(id: $id) { ... on Project { list: ${list}(first: $first, after: $after, last: $last, before: $before) ${SELECTION} } }
  }`;

  let tenant: Tenant;
  let own: string;
  let sibling: string;
  let items: { name: string; cursor: string }[];

  beforeAll(async () => {
    tenant = await seedTenant(gateway, { projects: 3 });
    [own = '', sibling = ''] = tenant.projects;
    // The names of apps and of projects come from two generators.
    gateway.clock.advance(1);
    const names: string[] = [];
    for (let n = 0; n < LENGTH; n += 1) {
      names.push(await add(tenant, own));
      // The items of the projects are mixed in the order of their names.
      if (n < 3) await add(tenant, sibling);
    }
    const all = await read(tenant.token, own, { first: 100 });
    items = all.edges.map(({ cursor }: { cursor: string }, index: number) => ({
      name: names[index],
      cursor,
    }));
    expect(all).toEqual(modelled(0, 100));
  });

  async function read(token: string, id: string, args: Arguments) {
    const { data, errors } = await graphqlBody(gateway.url, token, document, { id, ...args });
    return errors ? errors[0].extensions : data.node.list;
  }

  /** The page from `start` to `end` of a list that is modelled in memory. */
  function modelled(start: number, end: number) {
    const [from, to] = [Math.max(start, 0), Math.min(end, LENGTH)];
    const page = items.slice(from, to);
    const nodes = page.map(({ name }) => ({ name }));
    return {
      edges: page.map(({ name, cursor }) => ({ cursor, node: { name } })),
      nodes,
      pageInfo: {
        hasNextPage: to < LENGTH,
        hasPreviousPage: from > 0,
        startCursor: page[0]?.cursor ?? null,
        endCursor: page.at(-1)?.cursor ?? null,
      },
      totalCount: LENGTH,
    };
  }

  test('is paged forward and backward, by cursor', async () => {
    expect(await read(tenant.token, own, {})).toEqual(modelled(0, 10));
    expect(await read(tenant.token, own, { first: null, after: null })).toEqual(modelled(0, 10));
    expect(await read(tenant.token, own, { last: 3 })).toEqual(modelled(LENGTH - 3, LENGTH));
    const { cursor } = items[4] ?? {};
    expect(await read(tenant.token, own, { first: 5, after: cursor })).toEqual(modelled(5, 10));
    expect(await read(tenant.token, own, { after: cursor })).toEqual(modelled(5, LENGTH));
    expect(await read(tenant.token, own, { last: 2, before: cursor })).toEqual(modelled(2, 4));
    expect(await read(tenant.token, own, { before: cursor })).toEqual(modelled(0, 4));
    const past = await read(tenant.token, own, { after: items.at(-1)?.cursor });
    expect(past).toEqual({ ...modelled(LENGTH, LENGTH), totalCount: LENGTH });
  });

  test('accepts the cursors of another list, which give a position only', async () => {
    const [, second] = await cursorsOf(gateway, tenant);
    // All items were created after the projects.
    expect(await read(tenant.token, own, { after: second })).toMatchObject({ nodes: modelled(0, 10).nodes });
  });

  test.each<[string, Arguments]>([
    ['first', { first: 0 }],
    ['first', { first: 101 }],
    ['last', { last: -1 }],
    ['after', { after: 'nonsense' }],
    ['first,last', { first: 1, last: 1 }],
  ])('refuses a page with an invalid %s', async (fields, args) => {
    const { reason, fieldViolations } = await read(tenant.token, own, args);
    expect(reason).toBe('INVALID_FIELD');
    expect(fieldViolations.map(({ field }: { field: string }) => field).join()).toBe(fields);
  });

  test('is visible to a token of the account and to a token of the project', async () => {
    expect(
      await read(await projectToken(gateway, tenant, tenant.projects[0]), own, { last: 1 }),
    ).toMatchObject(list === 'wallets' ? modelled(LENGTH - 1, LENGTH) : { totalCount: LENGTH + 1 });
    // The sign-in above has created an app.
    const { totalCount } = await read(tenant.token, own, {});
    expect(totalCount).toBe(list === 'wallets' ? LENGTH : LENGTH + 1);
  });

  test('of another project is like that of a missing project', async () => {
    const stranger = await seedTenant(gateway);
    const token = await projectToken(gateway, tenant, sibling);
    const answers = [
      await graphqlBody(gateway.url, token, document, { id: own }),
      await graphqlBody(gateway.url, stranger.token, document, { id: own }),
      await graphqlBody(gateway.url, stranger.token, document, { id: MISSING_PROJECT }),
    ];
    for (const answer of answers) expect(answer).toEqual({ data: { node: null } });
  });

  test('is read for all projects of a page, each with its own items', async () => {
    const query = `{ projects { nodes { name list: ${list}(first: 2) { totalCount nodes { name } pageInfo { hasNextPage } } } } }`;
    // Executed by Apollo Server, and then compiled.
    for (let times = 0; times < 3; times += 1) {
      const { data } = await graphqlBody(gateway.url, tenant.token, query);
      const [first, second, third] = data.projects.nodes;
      expect(first).toMatchObject({ list: { nodes: modelled(0, 2).nodes, pageInfo: { hasNextPage: true } } });
      expect(second.list.nodes).toHaveLength(2);
      expect(first.list.nodes).not.toContainEqual(second.list.nodes[0]);
      expect(third).toEqual({
        name: tenant.projects[2],
        list: { totalCount: 0, nodes: [], pageInfo: { hasNextPage: false } },
      });
    }
  });
});

test('a wallet that is moved changes its list', async () => {
  const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
  const counts = async () => {
    const { data } = await graphqlBody(
      gateway.url,
      token,
      '{ projects { nodes { wallets { totalCount } } } }',
    );
    return data.projects.nodes.map((node: { wallets: { totalCount: number } }) => node.wallets.totalCount);
  };
  expect(await counts()).toEqual([1, 0]);
  await resultOf(restApi(() => gateway.url).updateWallet(token, wallets[0] ?? '', { project: projects[1] }));
  expect(await counts()).toEqual([0, 1]);
});

test('a list in the payload of a mutation has what the mutations before it have changed', async () => {
  const { token } = await seedTenant(gateway);
  const create = `createApp(input: { title: "App", active: true }) { app { project { apps { totalCount nodes { privateKey } } } } }`;
  const { data } = await graphqlBody(gateway.url, token, `mutation { a: ${create} b: ${create} }`);
  const lists = [data.a, data.b].map(({ app }) => app.project.apps);
  expect(lists).toEqual([
    { totalCount: 1, nodes: [{ privateKey: '' }] },
    { totalCount: 2, nodes: [{ privateKey: '' }, { privateKey: '' }] },
  ]);
});

test('a page of 100 projects with 10 apps and 10 wallets each is accepted', async () => {
  const tenant = await seedTenant(gateway);
  await createApp(
    graphqlApi(() => gateway.url),
    tenant.token,
  );
  const query = `{ projects(first: 100) { nodes {
    name title
    apps(first: 10) { totalCount nodes { name title active } }
    wallets { totalCount nodes { name title network address } }
  } } }`;
  const { data } = await graphqlBody(gateway.url, tenant.token, query);
  expect(data.projects.nodes).toHaveLength(1);
});
