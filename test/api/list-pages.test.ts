import { beforeAll, describe, expect, test } from 'vitest';
import { createProject } from '../../src/data/projects/create-project.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { graphqlApi, postGraphql } from '../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { createAccountToken, createApp, cursorsOf, resultOf, tokenNameOf } from '../support/requests.ts';
import { rowsOf } from '../support/rows.ts';

type Arguments = Partial<Record<'first' | 'after' | 'last' | 'before', unknown>>;

type Item = { readonly cursor: string; readonly node: { readonly name: string } };

type List = {
  readonly list: string;
  readonly field: 'projects' | 'apps' | 'wallets' | 'tokens' | 'events';
  readonly filter?: () => string;
  /** Whether it is a field of the first project. */
  readonly inProject?: true;
  /** Whether it refuses the cursors of other lists. */
  readonly ownCursors?: true;
  readonly newestFirst?: true;
  /** The names of its items in order. */
  items(): readonly string[];
};

const LENGTH = 12;

const SIZES = [1, 5, LENGTH - 1, LENGTH, 100, undefined];

const ADDRESS = `0x${'a'.repeat(40)}`;

const MINUTE_MS = 60_000;

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

let older: Tenant;
let tenant: Tenant;
let newer: Tenant;
let events: readonly { readonly name: string; readonly action: unknown; readonly resource: unknown }[];
const added: Record<'projects' | 'apps' | 'appsBeside' | 'wallets' | 'walletsBeside' | 'tokens', string[]> = {
  projects: [],
  apps: [],
  appsBeside: [],
  wallets: [],
  walletsBeside: [],
  tokens: [],
};

beforeAll(async () => {
  const { operator, clock, database } = gateway;
  older = await seedTenant(gateway);
  clock.advance(1);
  tenant = await seedTenant(gateway, { projects: 2, wallets: 1 });
  const { account, token, projects, wallet } = tenant;
  const [own = '', sibling = ''] = projects;
  const addApp = async (project: string) => (await createApp(api, token, { project })).name;
  const addWallet = async (project: string) => {
    const input = { project, title: 'New wallet', network: 'NETWORK_POLYGON', address: ADDRESS };
    return (await registerWallet(operator, input)).name;
  };
  for (let n = 0; n < LENGTH; n += 1) {
    // Equal acts of a minute are one event. The ids of two generators sort by time only if the time differs.
    clock.advance(MINUTE_MS);
    added.projects.push((await createProject(operator, { account, title: `New ${n}` })).project.name);
    added.apps.push(await addApp(own));
    added.wallets.push(await addWallet(own));
    added.tokens.push(`tokens/${(await createAccountToken(operator, { account }, 86_400)).id}`);
    await resultOf(api.updateWallet(token, wallet, { title: `Title ${n}` }));
    // The items of the projects, and the events of the wallets, are mixed in their order.
    if (n % 4 === 0) {
      added.appsBeside.push(await addApp(sibling));
      const beside = await addWallet(sibling);
      added.walletsBeside.push(beside);
      await resultOf(api.updateWallet(token, beside, { description: 'Beside' }));
    }
  }
  clock.advance(1);
  newer = await seedTenant(gateway);
  const rows = await rowsOf(database, 'audit_event', account);
  events = rows.toReversed().map(({ id, action, resource }) => ({ name: `events/${id}`, action, resource }));
});

const eventsWith = ({ action, resource }: { action?: string; resource?: string }) =>
  events
    .filter((event) => event.action === (action ?? event.action))
    .filter((event) => event.resource === (resource ?? event.resource))
    .map(({ name }) => name);

const ofWallet = () => `resource: "${tenant.wallet}"`;
const ofUpdates = () => `action: "wallet.update", ${ofWallet()}`;

const BY_TITLE = { filter: () => 'title: "new "', ownCursors: true } as const;
const AT_ADDRESS = { filter: () => `address: "${ADDRESS}"`, ownCursors: true } as const;
const EVENTS = { field: 'events', newestFirst: true } as const;
const WALLETS = { field: 'wallets', inProject: true } as const;

const LISTS: readonly List[] = [
  { list: 'projects', field: 'projects', items: () => [...tenant.projects, ...added.projects] },
  { list: 'projects by title', field: 'projects', ...BY_TITLE, items: () => added.projects },
  { list: 'apps of a project', field: 'apps', inProject: true, items: () => added.apps },
  { list: 'wallets of a project', ...WALLETS, items: () => [...tenant.wallets, ...added.wallets] },
  { list: 'wallets of a project by title', ...WALLETS, ...BY_TITLE, items: () => added.wallets },
  {
    list: 'wallets by title',
    field: 'wallets',
    ...BY_TITLE,
    items: () => [...added.wallets, ...added.walletsBeside].sort(),
  },
  {
    list: 'apps by title',
    field: 'apps',
    filter: () => 'title: "app"',
    ownCursors: true,
    items: () => [...added.apps, ...added.appsBeside].sort(),
  },
  {
    list: 'wallets at an address',
    field: 'wallets',
    ...AT_ADDRESS,
    items: () => [...added.wallets, ...added.walletsBeside].sort(),
  },
  {
    list: 'tokens',
    field: 'tokens',
    items: () => [tokenNameOf(tenant.token), ...added.tokens],
  },
  { list: 'events', ...EVENTS, items: () => eventsWith({}) },
  {
    list: 'events with an action',
    ...EVENTS,
    filter: () => 'action: "app.create"',
    items: () => eventsWith({ action: 'app.create' }),
  },
  {
    list: 'events on a resource',
    ...EVENTS,
    filter: ofWallet,
    items: () => eventsWith({ resource: tenant.wallet }),
  },
  {
    list: 'events with an action on a resource',
    ...EVENTS,
    filter: ofUpdates,
    items: () => eventsWith({ action: 'wallet.update', resource: tenant.wallet }),
  },
];

const PAGE = `{
  edges { cursor node { name } }
  nodes { name }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
}`;

describe.each(LISTS)('a page of $list', ({ field, filter, inProject, ownCursors, newestFirst, items }) => {
  let edges: readonly Item[];

  beforeAll(async () => {
    edges = (await read({ first: 100 })).edges;
    expect(edges.map(({ node }) => node.name)).toEqual(items());
    expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(edges.length);
    expect(edges.length).toBeGreaterThanOrEqual(LENGTH);
  });

  async function read(args: Arguments, { literals = '', headers = {} } = {}) {
    const written = literals || 'first: $first, after: $after, last: $last, before: $before';
    const list = `list: ${field}(${written}, ${filter?.() ?? ''}) ${PAGE}`;
    const selection = `node(id: $id) { id ${inProject ? `... on Project { ${list} } } ` : `} ${list}`}`;
    const variables = `$id: ID!${literals ? '' : ', $first: Int, $after: String, $last: Int, $before: String'}`;
    const document = `query (${variables}) { ${selection} }`;
    const { token, project: id } = tenant;
    const response = await postGraphql(gateway.url, token, document, { id, ...args }, headers);
    const { data, errors } = JSON.parse(response.text);
    if (errors === undefined) return data.list ?? data.node.list;
    const [{ extensions }] = errors;
    const fields = extensions.fieldViolations.map((each: { field: string }) => each.field);
    return { status: response.status, code: extensions.code, fields };
  }

  /** The expected page of the items from one index up to another. */
  function modelled(from: number, to: number) {
    const [start, end] = [Math.max(from, 0), Math.min(to, edges.length)];
    const page = edges.slice(start, end);
    return {
      edges: page,
      nodes: page.map(({ node }) => node),
      pageInfo: {
        hasNextPage: end < edges.length,
        hasPreviousPage: start > 0,
        startCursor: page.at(0)?.cursor ?? null,
        endCursor: page.at(-1)?.cursor ?? null,
      },
      totalCount: edges.length,
    };
  }

  test.each(SIZES)('forward, by %s, is the expected one', async (first) => {
    const size = first ?? 10;
    let page = await read({ first });
    expect(page).toEqual(modelled(0, size));
    // One page after the last: the page past the end is empty.
    for (let start = 0; start < edges.length; ) {
      start = Math.min(start + size, edges.length);
      page = await read({ first, after: page.pageInfo.endCursor });
      expect(page).toEqual(modelled(start, start + size));
    }
    expect(page.edges).toEqual([]);
  });

  test.each(SIZES)('backward, by %s, is the expected one', async (last) => {
    const size = last ?? 10;
    // Without a size, `before` makes it a backward page.
    let page = await read({ last, before: last === undefined ? '' : undefined });
    expect(page).toEqual(modelled(edges.length - size, edges.length));
    for (let end = edges.length; end > 0; ) {
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
    [{ first: 3, after: '' }, { first: 3 }],
  ])('with %j is the same as with %j', async (given, without) => {
    const expected = await read(without);
    expect(await read(given)).toEqual(expected);
    const written = Object.entries(given).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
    expect(await read({}, { literals: written.join() })).toEqual(expected);
  });

  test('takes a cursor of another list for a position, or refuses it if its cursors have its filter', async () => {
    const [cursor] = await cursorsOf(gateway, newestFirst ? older : newer);
    const { length } = edges;
    for (const [name, page] of [
      ['after', modelled(length, length)],
      ['before', modelled(length - 10, length)],
    ] as const) {
      const refused = { status: 200, code: 'BAD_USER_INPUT', fields: [name] };
      expect(await read({ [name]: cursor })).toEqual(ownCursors ? refused : page);
    }
  });

  test.each<readonly (keyof Arguments)[]>([
    ['first', 'last'],
    ['after', 'before'],
    ['first', 'before'],
    ['after', 'last'],
    ['first', 'after', 'last', 'before'],
  ])('in both directions, by %s, is refused with the names of all arguments', async (...fields) => {
    const cursor = edges[1]?.cursor;
    const all: Arguments = { first: 1, after: cursor, last: 1, before: cursor };
    const args = Object.fromEntries(fields.map((name) => [name, all[name]]));
    expect(await read(args)).toEqual({ status: 200, code: 'BAD_USER_INPUT', fields });
  });

  test.each<[keyof Arguments, readonly unknown[]]>([
    ['first', [0, 101, -(2 ** 31)]],
    ['last', [0, 101, -(2 ** 31)]],
    ['after', ['x', 'é', 5, ['x']]],
    ['before', ['x', 'é', 5, ['x']]],
  ])('with an invalid value of %s is refused', async (name, values) => {
    const refused = { status: 200, code: 'BAD_USER_INPUT', fields: [name] };
    for (const value of values) expect(await read({ [name]: value }), String(value)).toEqual(refused);
  });

  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 422],
  ])('whose size is not an integer is refused: to Accept: %s with %i', async (accept, status) => {
    for (const name of ['first', 'last']) {
      for (const size of [1.5, 'ten', '10', '', true, 2 ** 31, [], {}]) {
        const refused = { status, code: 'BAD_USER_INPUT', fields: [name] };
        expect(await read({ [name]: size }, { headers: { accept } })).toEqual(refused);
      }
    }
  });
});
