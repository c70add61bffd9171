import { describe, expect, test } from 'vitest';
import { createProject } from '../../src/data/projects/create-project.ts';
import { idGenerator, type Ulid } from '../../src/model/resource-name.ts';
import { type Api, bothApis, type PageFields, send } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { expectInvalid } from '../support/refusal.ts';
import { cursorsOf, graphqlBody, projectToken, resultOf } from '../support/requests.ts';
import { setRow } from '../support/rows.ts';

// The pages by GraphQL are tested with those of the other lists, in `list-pages.test.ts`.

const gateway = useGateway();

const [graphql, rest] = bothApis(() => gateway.url);

test.each([
  [1, [1, undefined]],
  [10, [1, 7, undefined]],
  [11, [7, 10, 11, undefined]],
  [101, [100]],
])(
  'REST returns all of %i projects page by page, with the page sizes %j, and an empty page after the last',
  async (count, sizes) => {
    const tenant = await seedTenant(gateway, { projects: count });
    // The cursors are those of the first 100.
    const last = (await cursorsOf(gateway, tenant)).at(-1);
    for (const first of sizes) {
      const size = first ?? 10;
      const expected = Array.from({ length: Math.ceil(count / size) }, (_, index) =>
        tenant.projects.slice(index * size, (index + 1) * size),
      );
      expect(await pagesOf(rest, tenant.token, first)).toEqual(expected);
      expect(await page(rest, tenant.token, { first, after: last })).toEqual([
        tenant.projects.slice(100),
        '',
      ]);
    }
  },
);

test('both APIs return the same page, and a cursor as its token, which needs no escaping in a URL', async () => {
  const tenant = await seedTenant(gateway, { projects: 4 });
  const first = await resultOf(rest.listProjects(tenant.token, { first: 2 }));
  expect(first.nextPageToken).toBe((await cursorsOf(gateway, tenant))[1]);
  expect(first.nextPageToken).toMatch(/^[\w.~-]+$/);
  expect(await resultOf(graphql.listProjects(tenant.token, { first: 2 }))).toEqual(first);
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test('projects are sorted by name, and one that is added during the paging does not change earlier pages', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 3 });
    const aYearAgo = gateway.clock() - 365 * 86_400_000;
    const older = await addProject(account, aYearAgo);
    const oldest = await addProject(account, aYearAgo - 1);
    const first = await resultOf(api.listProjects(token, { first: 2 }));
    const rest = { first: 2, after: first.nextPageToken };
    const second = await resultOf(api.listProjects(token, rest));
    expect([namesOf(first), namesOf(second)]).toEqual([[oldest, older], projects.slice(0, 2)]);
    const added = await addProject(account);
    expect(await page(api, token, { first: 2, after: second.nextPageToken })).toEqual([
      [projects[2], added],
      '',
    ]);
    expect(await resultOf(api.listProjects(token, { first: 2 }))).toEqual(first);
    expect(await resultOf(api.listProjects(token, rest))).toEqual(second);
  });

  const withOtherEnd = (genuine: string) => genuine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));

  test.each<[string, (genuine: string) => object | Promise<object>]>([
    ['a page size beyond the maximum', () => ({ first: 101 })],
    ['a page size that begins with 0', () => ({ first: '010' })],
    ['a page size and a token', () => ({ first: 0, after: 'x' })],
    ['a resource name as a token', () => ({ after: 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV' })],
    ['a genuine token with another letter', (genuine) => ({ after: withOtherEnd(genuine) })],
  ])('%s that is not valid is refused, and named', async (_, argumentsWith) => {
    const tenant = await seedTenant(gateway);
    const [genuine = ''] = await cursorsOf(gateway, tenant);
    const input = await argumentsWith(genuine);
    expectInvalid(api, await api.listProjects(tenant.token, input), Object.keys(input));
  });
});

test('projects are in the order of the bytes of their ids, whatever the locale of the database', async () => {
  const { account, token, project } = await seedTenant(gateway);
  const names = [project];
  // In Danish, AA is the last letter of the alphabet.
  for (const end of ['A9', 'AA', 'AB', 'ZZ']) {
    const newId = () => `7ZZZZZZZZZZZZZZZ${project.slice(-8)}${end}` as Ulid;
    const input = { account, title: 'New' };
    names.push((await createProject({ ...gateway.operator, newId }, input)).project.name);
  }
  expect((await pagesOf(graphql, token, 1)).flat()).toEqual(names);
});

describe('the path of the list', () => {
  const list = (token: string, query: string) =>
    send(`${gateway.url}/project/projects${query}`, 'GET', token);

  test.each([
    ['?pageSize=1&pageSize=1', ['pageSize']],
    ['?pageSize=1&pageToken=&pageSize=2&pageToken=', ['pageSize', 'pageToken']],
    ['?page=2&skip=2', ['page', 'skip']],
    ['?pageSize=2&filter=x', ['filter']],
    ['?__proto__=2', ['__proto__']],
    ['?pageSize', ['pageSize']],
    ['?pageSize=%zz', ['pageSize']],
    ['?pageSize=%EF%BC%95', ['pageSize']],
    ['?pageToken=%ff', ['pageToken']],
  ])('refuses %s and names the parameter', async (query, fields) => {
    const { token } = await seedTenant(gateway);
    const { status, text } = await list(token, query);
    const { error } = JSON.parse(text);
    expect([status, error.status]).toEqual([400, 'INVALID_ARGUMENT']);
    expect(error.details[1].fieldViolations.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test.each(['', '?', '?pageSize=10', '?pageSize=%31%30&', '?pageToken', '?pageToken=&pageSize=10'])(
    'returns the first ten projects for "%s"',
    async (query) => {
      const { token, projects } = await seedTenant(gateway, { projects: 11 });
      const { status, text } = await list(token, query);
      expect([status, namesOf(JSON.parse(text))]).toEqual([200, projects.slice(0, 10)]);
    },
  );
});

test('the projects of a project token are only its project, in both directions', async () => {
  const older = await seedTenant(gateway);
  gateway.clock.advance(1);
  const tenant = await seedTenant(gateway, { projects: 2 });
  const { projects } = tenant;
  const [own, behind] = await cursorsOf(gateway, tenant);
  const [before] = await cursorsOf(gateway, older);
  const token = await projectToken(gateway, tenant);
  const document = `query ($first: Int, $after: String, $last: Int, $before: String) {
    projects(first: $first, after: $after, last: $last, before: $before) { nodes { name } totalCount }
  }`;
  const read = async (args: object) => (await graphqlBody(gateway.url, token, document, args)).data.projects;
  for (const args of [{}, { first: 1 }, { last: 1 }, { after: before }, { before: behind }]) {
    expect(await read(args)).toEqual({ nodes: [{ name: projects[0] }], totalCount: 1 });
  }
  for (const args of [{ after: own }, { after: behind }, { before: own }, { before }]) {
    expect(await read(args)).toEqual({ nodes: [], totalCount: 1 });
  }
});

test('the totalCount of projects is read from the account and not counted, or is that of a page of all', async () => {
  const { account, token } = await seedTenant(gateway, { projects: 3 });
  await setRow(gateway.database, account, { project_count: 12_345 });
  for (const [page, count] of [
    ['(first: 1)', 12_345],
    ['(last: 2)', 12_345],
    ['(first: 3)', 3],
    ['(last: 3)', 3],
  ]) {
    const { data } = await graphqlBody(gateway.url, token, `{ projects${page} { totalCount } }`);
    expect(data.projects.totalCount).toBe(count);
  }
});

describe('the lists of a project', () => {
  test('are read for all projects of a page, each with its own items, which change with a wallet that is moved', async () => {
    const own = await seedTenant(gateway, { projects: 2, wallets: 3 });
    const { token, projects, wallets } = own;
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
    await resultOf(graphql.updateWallet(token, moved, { project: projects[1] }));
    const { data } = await graphqlBody(gateway.url, token, query);
    expect(data.projects.nodes).toEqual(lists(kept, [moved]));
    for (const [project, names] of [
      [projects[0], kept],
      [projects[1], [moved]],
    ] as const) {
      const ofProject = await projectToken(gateway, own, project);
      const read = await graphqlBody(
        gateway.url,
        ofProject,
        `${query.slice(0, -6)} apps { totalCount } } } }`,
      );
      expect(read.data.projects.nodes).toEqual([{ ...lists(names)[0], apps: { totalCount: 1 } }]);
      const update = graphql.updateWallet(ofProject, names[0] ?? '', { title: 'Own' });
      expect((await resultOf(update)).title).toBe('Own');
    }
  });

  test('have, in the payload of a mutation, what the mutations before it have changed', async () => {
    const { token } = await seedTenant(gateway);
    const apps = 'apps { totalCount nodes { title privateKey } }';
    const create = `createApp(input: { title: "App", active: true }) { app { project { ${apps} } } }`;
    const { data } = await graphqlBody(gateway.url, token, `mutation { a: ${create} b: ${create} }`);
    const app = { title: 'App', privateKey: '' };
    expect(data.a.app.project.apps).toEqual({ totalCount: 1, nodes: [app] });
    expect(data.b.app.project.apps).toEqual({ totalCount: 2, nodes: [app, app] });
  });
});

function namesOf({ projects }: PageFields): string[] {
  return projects.map(({ name }) => name);
}

/** The names of the projects on a page, and the token of the next one. */
async function page(api: Api, token: string, args: { first?: unknown; after?: unknown }) {
  const result = await resultOf(api.listProjects(token, args));
  return [namesOf(result), result.nextPageToken] as const;
}

/** Returns the names of the projects, page by page. */
async function pagesOf(api: Api, token: string, first: number | undefined): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | undefined; after !== ''; ) {
    const [names, next] = await page(api, token, { first, after });
    pages.push(names);
    after = next;
  }
  return pages;
}

async function addProject(account: string, time = gateway.clock()): Promise<string> {
  const { operator } = gateway;
  const newId = time === gateway.clock() ? operator.newId : idGenerator(() => time);
  return (await createProject({ ...operator, newId }, { account, title: 'New' })).project.name;
}
