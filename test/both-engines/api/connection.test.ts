import { beforeAll, describe, expect, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { resourceName } from '../../../src/model/resource-name.ts';
import { insertAccount } from '../../../src/storage/accounts.ts';
import { projectToken, ulidOf } from '../../support/actors.ts';
import { postGraphql } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';

type Arguments = Partial<Record<'first' | 'after' | 'last' | 'before', unknown>>;
type Connection = {
  edges: { cursor: string; node: { name: string } }[];
  nodes: { name: string }[];
  pageInfo: {
    hasNextPage: boolean;
    hasPreviousPage: boolean;
    startCursor: string | null;
    endCursor: string | null;
  };
  totalCount: number;
};

const SELECTION = `{
  edges { cursor node { name } }
  nodes { name }
  pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
  totalCount
}`;
const PROJECTS = `query ($first: Int, $after: String, $last: Int, $before: String) {
  projects(first: $first, after: $after, last: $last, before: $before) ${SELECTION}
}`;

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

describe('paging', () => {
  const sizes = [1, 9, 10, 100, undefined];

  test.each([1, 10, 25])('forward through %i projects returns the expected pages', async (count) => {
    const { list, token } = await seedList(count);
    for (const first of sizes) {
      let page = await ask(token, { first });
      expect(page).toEqual(modelled(list, 0, first ?? 10));
      // One page after the last: the page past the end is empty.
      for (let start = 0; start < count; ) {
        start = Math.min(start + (first ?? 10), count);
        page = await ask(token, { first, after: page.pageInfo.endCursor });
        expect(page).toEqual(modelled(list, start, start + (first ?? 10)));
      }
      expect(page.edges).toEqual([]);
    }
  });

  test.each([1, 10, 25])('backward through %i projects returns the expected pages', async (count) => {
    const { list, token } = await seedList(count);
    for (const last of sizes) {
      // Without a size, `before` makes it a backward page.
      let page = await ask(token, { last, before: last === undefined ? '' : undefined });
      expect(page).toEqual(modelled(list, count - (last ?? 10), count));
      for (let end = count; end > 0; ) {
        end = Math.max(end - (last ?? 10), 0);
        page = await ask(token, { last, before: page.pageInfo.startCursor });
        expect(page).toEqual(modelled(list, end - (last ?? 10), end));
      }
      expect(page.edges).toEqual([]);
    }
  });
});

describe('a page', () => {
  test.each([0, 5, 11])('starts after the cursor at %i of 12 and ends before it', async (at) => {
    const { list, token } = await seedList(12);
    const cursor = list[at]?.cursor;
    expect(await ask(token, { first: 4, after: cursor })).toEqual(modelled(list, at + 1, at + 5));
    expect(await ask(token, { last: 4, before: cursor })).toEqual(modelled(list, at - 4, at));
  });

  test('has the last ten items if only `before` is given', async () => {
    const { list, token } = await seedList(25);
    expect(await ask(token, { before: list[20]?.cursor })).toEqual(modelled(list, 10, 20));
  });

  test('of an account without projects is empty', async () => {
    const { admin } = gateway;
    const [id, default_project_id] = [admin.newId(), admin.newId()];
    await insertAccount(admin.database, {
      id,
      title: 'Empty',
      default_project_id,
      project_count: 0,
      state: 'ACTIVE',
      create_time_ms: 0,
    });
    const account = resourceName('accounts', id);
    const { accessToken } = await createAccountToken(admin, { account }, 86_400);
    for (const args of [{}, { first: 1 }, { last: 1 }]) {
      expect(await ask(accessToken, args)).toEqual(modelled([], 0, 0));
    }
  });

  test.each<[Arguments, Arguments]>([
    [{ first: null }, {}],
    [{ after: null }, {}],
    [{ last: null }, {}],
    [{ before: null }, {}],
    [{ first: null, after: null, last: null, before: null }, {}],
    [{ first: 3, after: null, last: null, before: null }, { first: 3 }],
    [{ last: 3, before: null, first: null, after: null }, { last: 3 }],
  ])('with %j is the same as with %j', async (withNulls, without) => {
    const { token } = await seedTenant(gateway, { projects: 12 });
    const expected = await ask(token, without);
    expect(expected.pageInfo.hasNextPage).toBe(without.last === undefined);
    expect(await ask(token, withNulls)).toEqual(expected);
    const written = Object.entries(withNulls).map(([name, value]) => `${name}: ${value}`);
    const answer = await postGraphql(gateway.url, token, `{ projects(${written.join()}) ${SELECTION} }`);
    expect(JSON.parse(answer.text)).toEqual({ data: { projects: expected } });
  });

  test('accepts both sizes at their bounds', async () => {
    const { list, token } = await seedList(2);
    expect(await ask(token, { first: 1 })).toEqual(modelled(list, 0, 1));
    expect(await ask(token, { last: 1 })).toEqual(modelled(list, 1, 2));
    expect(await ask(token, { first: 100 })).toEqual(modelled(list, 0, 2));
    expect(await ask(token, { last: 100 })).toEqual(modelled(list, 0, 2));
  });

  test('has only its project for a project token, in both directions', async () => {
    const { list, tenant } = await seedList(3);
    const [before, own, behind] = list;
    const itsToken = await projectToken(gateway, tenant, tenant.projects[1]);
    const alone = own === undefined ? [] : [own];
    const pages: [Arguments, from: number, to: number][] = [
      [{}, 0, 1],
      [{ first: 1 }, 0, 1],
      [{ last: 1 }, 0, 1],
      [{ after: before?.cursor }, 0, 1],
      [{ after: own?.cursor }, 1, 1],
      [{ after: behind?.cursor }, 1, 1],
      [{ before: behind?.cursor }, 0, 1],
      [{ before: own?.cursor }, 0, 0],
      [{ before: before?.cursor }, 0, 0],
    ];
    for (const [args, from, to] of pages) {
      expect(await ask(itsToken, args), JSON.stringify(args)).toEqual(modelled(alone, from, to));
    }
  });
});

describe('an invalid page', () => {
  test.each<[string, string[]]>([
    ['first last', ['first', 'last']],
    ['after before', ['after', 'before']],
    ['first before', ['first', 'before']],
    ['after last', ['after', 'last']],
    ['first after before', ['first', 'after', 'before']],
    ['first after last before', ['first', 'after', 'last', 'before']],
  ])('in both directions, by %s, is refused with the names of all arguments', async (_names, fields) => {
    const { list, token } = await seedList(3);
    const cursor = list[1]?.cursor;
    const all: Arguments = { first: 1, after: cursor, last: 1, before: cursor };
    const args = Object.fromEntries(Object.entries(all).filter(([name]) => fields.includes(name)));
    expect(await refusal(token, args)).toEqual({ status: 200, code: 'BAD_USER_INPUT', fields });
  });

  test.each(['first', 'last'])('with an invalid size, by %s, is refused', async (field) => {
    const { token } = await seedTenant(gateway);
    for (const size of [0, 101, -1, 2 ** 31 - 1, -(2 ** 31)]) {
      const refused = { status: 200, code: 'BAD_USER_INPUT', fields: [field] };
      expect(await refusal(token, { [field]: size }), String(size)).toEqual(refused);
    }
  });

  test.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ])('whose size is not an integer is refused: to Accept: %s with %i', async (accept, status) => {
    const { token } = await seedTenant(gateway);
    for (const field of ['first', 'last']) {
      for (const size of [1.5, 'ten', '10', '', true, 2 ** 31, [], {}]) {
        const refused = { status, code: 'BAD_USER_INPUT', fields: [field] };
        expect(await refusal(token, { [field]: size }, { accept }), JSON.stringify(size)).toEqual(refused);
      }
      for (const size of ['1.5', '"ten"', '2147483648', 'TEN']) {
        const document = `{ projects(${field}: ${size}) { totalCount } }`;
        const answer = await postGraphql(gateway.url, token, document, {}, { accept });
        const [{ extensions }] = JSON.parse(answer.text).errors;
        expect([answer.status, extensions.code]).toEqual([status, 'GRAPHQL_VALIDATION_FAILED']);
      }
    }
  });

  test.each(['after', 'before'])('with an invalid cursor, by %s, is refused', async (field) => {
    const { token } = await seedTenant(gateway);
    for (const cursor of ['x', ' ', 'MQ', 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV', 'é', 5, true, ['x']]) {
      const refused = { status: 200, code: 'BAD_USER_INPUT', fields: [field] };
      expect(await refusal(token, { [field]: cursor }), String(cursor)).toEqual(refused);
    }
  });
});

test('totalCount is read from the account and not counted', async () => {
  const { account, token } = await seedTenant(gateway, { projects: 3 });
  await gateway.database.write('UPDATE account SET project_count = 12345 WHERE id = $1', [ulidOf(account)]);
  for (const args of [{}, { first: 1 }, { last: 1 }]) {
    expect((await ask(token, args)).totalCount).toBe(12_345);
  }
});

async function ask(token: string, args: Arguments): Promise<Connection> {
  const { status, text } = await postGraphql(gateway.url, token, PROJECTS, args);
  const { data, errors } = JSON.parse(text);
  if (status !== 200 || errors !== undefined) throw new Error(text);
  return data.projects;
}

async function refusal(token: string, args: Arguments, headers = {}) {
  const { status, text } = await postGraphql(gateway.url, token, PROJECTS, args, headers);
  const { data, errors } = JSON.parse(text);
  if (data?.projects || errors?.length !== 1) throw new Error(text);
  const { code, fieldViolations } = errors[0].extensions;
  return { status, code, fields: fieldViolations.map(({ field }: { field: string }) => field) };
}

/** Adds an account with `count` projects, and reads the edge of each project. */
async function seedList(
  count: number,
): Promise<{ tenant: Tenant; token: string; list: Connection['edges'] }> {
  const tenant = await seedTenant(gateway, { projects: count });
  const { edges } = await ask(tenant.token, { first: 100 });
  expect(edges.map(({ node }) => node.name)).toEqual(tenant.projects);
  expect(new Set(edges.map(({ cursor }) => cursor)).size).toBe(count);
  return { tenant, token: tenant.token, list: edges };
}

/** The expected connection for the items of `list` from one index up to another. */
function modelled(list: Connection['edges'], from: number, to: number): Connection {
  const [start, end] = [Math.max(from, 0), Math.min(to, list.length)];
  const edges = list.slice(start, end);
  return {
    edges,
    nodes: edges.map(({ node }) => node),
    pageInfo: {
      hasNextPage: end < list.length,
      hasPreviousPage: start > 0,
      startCursor: edges.at(0)?.cursor ?? null,
      endCursor: edges.at(-1)?.cursor ?? null,
    },
    totalCount: list.length,
  };
}
