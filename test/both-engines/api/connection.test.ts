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
import { graphqlApi, postGraphql } from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { setRow } from '../../support/rows.ts';

type Arguments = Partial<Record<'first' | 'after' | 'last' | 'before', unknown>>;

type Item = { readonly cursor: string; readonly node: { readonly name: string } };

const PAGE = `{
  edges { cursor node { name } }
  nodes { name }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
}`;

const LENGTH = 12;

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

/** A list, how one more item gets into it, and the field that selects it with these arguments. */
const LISTS = [
  { list: 'projects', add: undefined, of: (args: string) => `list: projects${args} ${PAGE}` },
  {
    list: 'apps',
    add: async (tenant: Tenant, project: string) => (await createAppIn(gateway, api, tenant, project)).name,
    of: (args: string) => `node(id: $id) { ... on Project { list: apps${args} ${PAGE} } }`,
  },
  {
    list: 'wallets',
    async add(_tenant: Tenant, project: string) {
      const input = { title: 'Wallet', network: 'NETWORK_POLYGON', address: `0x${'0'.repeat(40)}` };
      return (await createWallet(gateway.admin, { ...input, project })).name;
    },
    of: (args: string) => `node(id: $id) { ... on Project { list: wallets${args} ${PAGE} } }`,
  },
] as const;

describe.each(LISTS)('a page of $list', ({ add, of }) => {
  const ARGUMENTS = '(first: $first, after: $after, last: $last, before: $before)';
  const VARIABLES = `$first: Int, $after: String, $last: Int, $before: String${add ? ', $id: ID!' : ''}`;
  const DOCUMENT = `query (${VARIABLES}) { ${of(ARGUMENTS)} }`;

  let tenant: Tenant;
  let id: string;
  let items: readonly Item[];

  beforeAll(async () => {
    tenant = await seedTenant(gateway, { projects: add ? 3 : LENGTH });
    const [own = '', sibling = ''] = tenant.projects;
    id = own;
    // The names of apps and of projects come from two generators.
    gateway.clock.advance(1);
    const names = add ? [] : [...tenant.projects];
    for (let n = 0; add && n < LENGTH; n += 1) {
      names.push(await add(tenant, own));
      // The items of the projects are mixed in the order of their names.
      if (n < 3) await add(tenant, sibling);
    }
    items = (await read({ first: 100 })).edges;
    expect(items.map(({ node }) => node.name)).toEqual(names);
    expect(new Set(items.map(({ cursor }) => cursor)).size).toBe(LENGTH);
  });

  async function read(args: Arguments, token = tenant.token, headers = {}) {
    const { status, text } = await postGraphql(gateway.url, token, DOCUMENT, { id, ...args }, headers);
    const { data, errors } = JSON.parse(text);
    if (errors === undefined) return (data.node ?? data).list;
    const [{ extensions }] = errors;
    const fields = extensions.fieldViolations.map(({ field }: { field: string }) => field);
    return { status, code: extensions.code, fields };
  }

  /** The expected page of the items from one index up to another. */
  function modelled(from: number, to: number) {
    const [start, end] = [Math.max(from, 0), Math.min(to, LENGTH)];
    const edges = items.slice(start, end);
    return {
      edges,
      nodes: edges.map(({ node }) => node),
      pageInfo: {
        hasNextPage: end < LENGTH,
        hasPreviousPage: start > 0,
        startCursor: edges.at(0)?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
      totalCount: LENGTH,
    };
  }

  test.each([1, 5, 11, 12, 100, undefined])('forward, by %s, is the expected one', async (first) => {
    const size = first ?? 10;
    let page = await read({ first });
    expect(page).toEqual(modelled(0, size));
    // One page after the last: the page past the end is empty.
    for (let start = 0; start < LENGTH; ) {
      start = Math.min(start + size, LENGTH);
      page = await read({ first, after: page.pageInfo.endCursor });
      expect(page).toEqual(modelled(start, start + size));
    }
    expect(page.edges).toEqual([]);
  });

  test.each([1, 5, 11, 12, 100, undefined])('backward, by %s, is the expected one', async (last) => {
    const size = last ?? 10;
    // Without a size, `before` makes it a backward page.
    let page = await read({ last, before: last === undefined ? '' : undefined });
    expect(page).toEqual(modelled(LENGTH - size, LENGTH));
    for (let end = LENGTH; end > 0; ) {
      end = Math.max(end - size, 0);
      page = await read({ last, before: page.pageInfo.startCursor });
      expect(page).toEqual(modelled(end - size, end));
    }
    expect(page.edges).toEqual([]);
  });

  test.each<[Arguments, Arguments]>([
    [{ first: null, after: null, last: null, before: null }, {}],
    [{ first: 3, after: null, last: null, before: null }, { first: 3 }],
    [{ last: 3, before: null, first: null, after: null }, { last: 3 }],
  ])('with %j is the same as with %j', async (withNulls, without) => {
    const expected = await read(without);
    expect(await read(withNulls)).toEqual(expected);
    const written = Object.entries(withNulls).map(([name, value]) => `${name}: ${value}`);
    const document = `query ${add ? '($id: ID!)' : ''} { ${of(`(${written.join()})`)} }`;
    const { data } = await graphqlBody(gateway.url, tenant.token, document, { id });
    expect((data.node ?? data).list).toEqual(expected);
  });

  test('accepts the cursors of another list, which give a position only', async () => {
    // All projects of the other account are newer.
    gateway.clock.advance(1);
    const [cursor] = await cursorsOf(gateway, await seedTenant(gateway));
    expect(await read({ after: cursor })).toEqual({ ...modelled(LENGTH, LENGTH) });
    expect(await read({ before: cursor })).toEqual(modelled(LENGTH - 10, LENGTH));
  });

  test.each<readonly (keyof Arguments)[]>([
    ['first', 'last'],
    ['after', 'before'],
    ['first', 'before'],
    ['after', 'last'],
    ['first', 'after', 'last', 'before'],
  ])('in both directions, by %s, is refused with the names of all arguments', async (...fields) => {
    const cursor = items[1]?.cursor;
    const all: Arguments = { first: 1, after: cursor, last: 1, before: cursor };
    const args = Object.fromEntries(fields.map((field) => [field, all[field]]));
    expect(await read(args)).toEqual({ status: 200, code: 'BAD_USER_INPUT', fields });
  });

  test.each<[keyof Arguments, readonly unknown[]]>([
    ['first', [0, 101, -(2 ** 31)]],
    ['last', [0, 101, -(2 ** 31)]],
    ['after', ['x', 'é', 5, ['x']]],
    ['before', ['x', 'é', 5, ['x']]],
  ])('with an invalid value of %s is refused', async (field, values) => {
    const refused = { status: 200, code: 'BAD_USER_INPUT', fields: [field] };
    for (const value of values) expect(await read({ [field]: value }), String(value)).toEqual(refused);
  });

  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 422],
  ])('whose size is not an integer is refused: to Accept: %s with %i', async (accept, status) => {
    for (const field of ['first', 'last']) {
      for (const size of [1.5, 'ten', '10', '', true, 2 ** 31, [], {}]) {
        const refused = { status, code: 'BAD_USER_INPUT', fields: [field] };
        expect(await read({ [field]: size }, tenant.token, { accept })).toEqual(refused);
      }
    }
  });
});

test('the projects of a project token are only its project, in both directions', async () => {
  const tenant = await seedTenant(gateway, { projects: 3 });
  const [before, own, behind] = await cursorsOf(gateway, tenant);
  const token = await projectToken(gateway, tenant, tenant.projects[1]);
  const document = `query ($first: Int, $after: String, $last: Int, $before: String) {
    projects(first: $first, after: $after, last: $last, before: $before) { nodes { name } totalCount }
  }`;
  for (const [args, length] of [
    [{}, 1],
    [{ first: 1 }, 1],
    [{ last: 1 }, 1],
    [{ after: before }, 1],
    [{ after: own }, 0],
    [{ after: behind }, 0],
    [{ before: behind }, 1],
    [{ before: own }, 0],
    [{ before }, 0],
  ] as const) {
    const { data } = await graphqlBody(gateway.url, token, document, args);
    const nodes = [{ name: tenant.projects[1] }].slice(0, length);
    expect(data.projects, JSON.stringify(args)).toEqual({ nodes, totalCount: 1 });
  }
});

test('the totalCount of projects is read from the account and not counted', async () => {
  const { account, token } = await seedTenant(gateway, { projects: 3 });
  await setRow(gateway.database, account, { project_count: 12_345 });
  for (const page of ['', '(first: 1)', '(last: 1)']) {
    const { data } = await graphqlBody(gateway.url, token, `{ projects${page} { totalCount } }`);
    expect(data.projects.totalCount).toBe(12_345);
  }
});

describe('the lists of a project', () => {
  const LISTS_OF = `wallets(first: 2) { totalCount nodes { name } pageInfo { hasNextPage } }
    apps { totalCount nodes { title privateKey } }`;

  test('are visible to a token of the account and to a token of the project, and to no other', async () => {
    const [tenant, stranger] = [
      await seedTenant(gateway, { projects: 2, wallets: 3 }),
      await seedTenant(gateway),
    ];
    const [id, sibling] = tenant.projects;
    const query = `query ($id: ID!) { node(id: $id) { ... on Project { ${LISTS_OF} } } }`;
    const own = await projectToken(gateway, tenant, id);
    const lists = {
      wallets: {
        totalCount: 3,
        nodes: tenant.wallets.slice(0, 2).map((name) => ({ name })),
        pageInfo: { hasNextPage: true },
      },
      // The sign-in for the token has created it.
      apps: { totalCount: 1, nodes: [{ title: 'App', privateKey: '' }] },
    };
    for (const token of [tenant.token, own]) {
      expect(await graphqlBody(gateway.url, token, query, { id })).toEqual({ data: { node: lists } });
    }
    const others = [
      [await projectToken(gateway, tenant, sibling), id],
      [stranger.token, id],
      [stranger.token, MISSING_PROJECT],
    ] as const;
    for (const [token, hidden] of others) {
      expect(await graphqlBody(gateway.url, token, query, { id: hidden })).toEqual({ data: { node: null } });
    }
  });

  test('are read for all projects of a page, each with its own items, which change with a wallet that is moved', async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 3 });
    const [moved = '', ...kept] = wallets;
    const query = '{ projects { nodes { wallets { totalCount nodes { name } } } } }';
    const lists = (...ofProjects: (readonly string[])[]) =>
      ofProjects.map((names) => ({
        wallets: { totalCount: names.length, nodes: names.map((name) => ({ name })) },
      }));
    // Executed by Apollo Server, and then compiled.
    for (let times = 0; times < 3; times += 1) {
      const { data } = await graphqlBody(gateway.url, token, query);
      expect(data.projects.nodes).toEqual(lists(wallets, []));
    }
    await resultOf(api.updateWallet(token, moved, { project: projects[1] }));
    const { data } = await graphqlBody(gateway.url, token, query);
    expect(data.projects.nodes).toEqual(lists(kept, [moved]));
  });

  test('have, in the payload of a mutation, what the mutations before it have changed', async () => {
    const { token } = await seedTenant(gateway);
    const create = `createApp(input: { title: "App", active: true }) { app { project { ${LISTS_OF} } } }`;
    const { data } = await graphqlBody(gateway.url, token, `mutation { a: ${create} b: ${create} }`);
    const app = { title: 'App', privateKey: '' };
    expect(data.a.app.project.apps).toEqual({ totalCount: 1, nodes: [app] });
    expect(data.b.app.project.apps).toEqual({ totalCount: 2, nodes: [app, app] });
  });

  test('can be selected with 10 apps and 10 wallets of 100 projects', async () => {
    const { token } = await seedTenant(gateway);
    await createApp(api, token);
    const query = `{ projects(first: 100) { nodes {
      name title
      apps(first: 10) { totalCount nodes { name title active } }
      wallets { totalCount nodes { name title network address } }
    } } }`;
    const { data } = await graphqlBody(gateway.url, token, query);
    expect(data.projects.nodes).toHaveLength(1);
  });
});
