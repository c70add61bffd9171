import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { createProject } from '../../../src/data/create-project.ts';
import { idGenerator, resourceName } from '../../../src/model/resource-name.ts';
import { insertAccount } from '../../../src/storage/accounts.ts';
import { cursorsOf, projectToken, resultOf } from '../../support/actors.ts';
import { type Api, bothApis, graphqlApi, type ProjectFields, restApi, send } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway } from '../../support/gateway.ts';
import { expectInvalid } from '../../support/refusal.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

const graphql = graphqlApi(() => gateway.url);
const rest = restApi(() => gateway.url);

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([
    [1, [1, 10]],
    [10, [1, 7, 10, 100]],
    [11, [1, 7, 10, 100]],
    [101, [10, 100]],
  ])('returns all of %i projects page by page, with the page sizes %j', async (count, sizes) => {
    const { token, projects } = await seedTenant(gateway, { projects: count });
    for (const size of sizes) expect(await walk(api, token, size)).toEqual(chunks(projects, size));
  });

  test('returns 10 projects per page by default', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 21 });
    expect(await walk(api, token, undefined)).toEqual(chunks(projects, 10));
  });

  test('returns one empty page to an account without projects', async () => {
    const token = await seedEmptyAccount();
    expect(await resultOf(api.listProjects(token))).toEqual({ projects: [], nextPageToken: '' });
  });

  test.each([1, 100])('accepts the page size %i', async (size) => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const { projects: page } = await resultOf(api.listProjects(token, { first: size }));
    expect(names(page)).toEqual(projects.slice(0, size));
  });

  test('returns the rest if the page size exceeds it', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 5 });
    const { nextPageToken } = await resultOf(api.listProjects(token, { first: 2 }));
    const left = await resultOf(api.listProjects(token, { first: 4, after: nextPageToken }));
    expect([names(left.projects), left.nextPageToken]).toEqual([projects.slice(2), '']);
  });

  test.each([undefined, 1, 3, 100])(
    'returns an empty page after the last project at the page size %s',
    async (first) => {
      const tenant = await seedTenant(gateway, { projects: 3 });
      const after = (await cursorsOf(gateway, tenant)).at(-1);
      const page = await resultOf(api.listProjects(tenant.token, { first, after }));
      expect(page).toEqual({ projects: [], nextPageToken: '' });
    },
  );

  test('treats an empty token as a missing one', async () => {
    const { token } = await seedTenant(gateway, { projects: 12 });
    const none = await resultOf(api.listProjects(token));
    expect(none.projects).toHaveLength(10);
    expect(await resultOf(api.listProjects(token, { after: '' }))).toEqual(none);
  });

  test('sorts projects by name, and not by insertion', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 2 });
    const aYearAgo = gateway.clock() - 365 * 86_400_000;
    const older = await addProject(account, aYearAgo);
    const oldest = await addProject(account, aYearAgo - 1);
    expect(await walk(api, token, 1)).toEqual([oldest, older, ...projects].map((name) => [name]));
  });

  test('includes a project that is added during the paging, and does not change earlier pages', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 5 });
    const first = await resultOf(api.listProjects(token, { first: 2 }));
    const second = await resultOf(api.listProjects(token, { first: 2, after: first.nextPageToken }));
    const added = await addProject(account);
    const third = await resultOf(api.listProjects(token, { first: 2, after: second.nextPageToken }));
    expect([names(third.projects), third.nextPageToken]).toEqual([[projects[4], added], '']);
    expect(await resultOf(api.listProjects(token, { first: 2 }))).toEqual(first);
    const again = await api.listProjects(token, { first: 2, after: first.nextPageToken });
    expect(await resultOf(again)).toEqual(second);
  });

  test.each([0, 101, 1.5, '', 'ten', '010', 2 ** 31])('refuses the page size %j', async (first) => {
    const { token } = await seedTenant(gateway);
    expectInvalid(api, await api.listProjects(token, { first }), ['first']);
  });

  test('names both fields if both are invalid', async () => {
    const { token } = await seedTenant(gateway);
    const { error } = await api.listProjects(token, { first: 0, after: 'x' });
    expect(error?.fields).toEqual(['first', 'after']);
  });

  test.each<[string, (genuine: string) => string]>([
    ['one letter', () => 'x'],
    ['a resource name', () => 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['a genuine one with one letter less', (genuine) => genuine.slice(1)],
    [
      'a genuine one with another letter',
      (genuine) => genuine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ['a genuine one with a NUL', (genuine) => `${genuine}\0`],
    ['a long text', () => 'A'.repeat(5000)],
  ])('refuses %s as a token', async (_, forge) => {
    const { token } = await seedTenant(gateway, { projects: 2 });
    const { nextPageToken } = await resultOf(rest.listProjects(token, { first: 1 }));
    expectInvalid(api, await api.listProjects(token, { after: forge(nextPageToken) }), ['after']);
  });

  test("refuses another gateway's token", async () => {
    const other = await startGateway();
    onTestFinished(other.stop);
    const [foreign] = await cursorsOf(other, await seedTenant(other));
    const { token } = await seedTenant(gateway);
    expectInvalid(api, await api.listProjects(token, { after: foreign }), ['after']);
  });

  test("accepts another account's token, and returns only the projects of the own account", async () => {
    const [ours, theirs] = [await seedTenant(gateway), await seedTenant(gateway)];
    const all = [...ours.projects, ...theirs.projects];
    for (const { account } of [ours, theirs, ours, theirs]) all.push(await addProject(account));
    const mine = all.filter((_, index) => index % 2 === 0);
    for (const [index, after] of (await cursorsOf(gateway, theirs)).entries()) {
      const page = await resultOf(api.listProjects(ours.token, { after }));
      expect([names(page.projects), page.nextPageToken]).toEqual([mine.slice(index + 1), '']);
    }
  });

  test('returns only its project to a project token', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const [, project] = tenant.projects;
    const token = await projectToken(gateway, tenant, project);
    const [before, its, behind] = await cursorsOf(gateway, tenant);
    const pages: [object, unknown[]][] = [
      [{}, [project]],
      [{ first: 1 }, [project]],
      [{ after: before }, [project]],
      [{ first: 1, after: before }, [project]],
      [{ after: its }, []],
      [{ after: behind }, []],
    ];
    for (const [sent, expected] of pages) {
      const page = await resultOf(api.listProjects(token, sent));
      expect([names(page.projects), page.nextPageToken]).toEqual([expected, '']);
    }
  });
});

describe('by both APIs in turn', () => {
  test('a page token and a cursor are the same string', async () => {
    const tenant = await seedTenant(gateway, { projects: 4 });
    const { nextPageToken } = await resultOf(rest.listProjects(tenant.token, { first: 2 }));
    expect(nextPageToken).toBe((await cursorsOf(gateway, tenant))[1]);
    expect(await resultOf(graphql.listProjects(tenant.token, { first: 2 }))).toEqual({
      ...(await resultOf(rest.listProjects(tenant.token, { first: 2 }))),
      nextPageToken,
    });
  });

  test.each([
    { order: 'GraphQL first', apis: [graphql, rest] },
    { order: 'REST first', apis: [rest, graphql] },
  ])('a list can be paged with both APIs in turn, $order', async ({ apis }) => {
    const { token, projects } = await seedTenant(gateway, { projects: 11 });
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      for (const api of apis) {
        if (after === '') break;
        const page = await resultOf(api.listProjects(token, { first: 2, after }));
        pages.push(names(page.projects));
        after = page.nextPageToken;
      }
    } while (after !== '');
    expect(pages).toEqual(chunks(projects, 2));
  });

  test('REST accepts the cursor of every edge', async () => {
    const tenant = await seedTenant(gateway, { projects: 4 });
    for (const [index, after] of (await cursorsOf(gateway, tenant)).entries()) {
      const { projects } = await resultOf(rest.listProjects(tenant.token, { after }));
      expect(names(projects)).toEqual(tenant.projects.slice(index + 1));
    }
  });
});

describe('the path of the list', () => {
  const list = (token: string, query: string) =>
    send(`${gateway.url}/project/projects${query}`, 'GET', token);

  test.each([
    ['?pageSize=1&pageSize=1', ['pageSize']],
    ['?pageToken=&pageToken=', ['pageToken']],
    ['?pageSize=1&pageToken=&pageSize=2&pageToken=', ['pageSize', 'pageToken']],
    ['?page=2', ['page']],
    ['?first=2&after=x', ['first', 'after']],
    ['?pagesize=2', ['pagesize']],
    ['?pageSize[]=2', ['pageSize[]']],
    ['?pageSize=2&filter=x', ['filter']],
    ['?__proto__=2', ['__proto__']],
    ['?toString=2', ['toString']],
    ['?pageSize', ['pageSize']],
    ['?pageSize=%00', ['pageSize']],
    ['?pageSize=5%20', ['pageSize']],
    ['?pageSize=%EF%BC%95', ['pageSize']],
    ['?pageSize=10000000000000000000', ['pageSize']],
    ['?pageToken=%ff', ['pageToken']],
  ])('refuses %s and names the parameter', async (query, fields) => {
    const { token } = await seedTenant(gateway);
    const { status, text } = await list(token, query);
    const { error } = JSON.parse(text);
    expect([status, error.code, error.status]).toEqual([400, 400, 'INVALID_ARGUMENT']);
    expect(error.details[1].fieldViolations.map(({ field }: { field: string }) => field)).toEqual(fields);
  });

  test.each(['', '?', '?pageSize=10', '?pageToken', '?pageToken=', '?pageToken=&pageSize=10'])(
    'returns the first ten projects for "%s"',
    async (query) => {
      const { token, projects } = await seedTenant(gateway, { projects: 11 });
      const { status, text } = await list(token, query);
      expect([status, names(JSON.parse(text).projects)]).toEqual([200, projects.slice(0, 10)]);
    },
  );

  test('returns the fields of the specification and no others', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const { status, headers, text } = await list(token, '');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(JSON.parse(text)).toEqual({
      projects: [
        { name: projects[0], title: 'Tenant', description: '', ...cover(projects[0]) },
        { name: projects[1], title: 'Project 2', description: 'No. 2', ...cover(projects[1]) },
      ],
      nextPageToken: '',
    });
  });

  test('returns a page token that needs no escaping in a URL', async () => {
    const { token } = await seedTenant(gateway, { projects: 2 });
    const { nextPageToken } = JSON.parse((await list(token, '?pageSize=1')).text);
    expect(nextPageToken).toMatch(/^[\w.~-]+$/);
  });

  const cover = (name = '') => ({
    imageCoverUrl: `${gateway.url}/covers/${name.slice('projects/'.length)}.svg`,
    imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
  });
});

function names(projects: readonly ProjectFields[]): string[] {
  return projects.map(({ name }) => name);
}

/** The names on each page, from the first to the last page. */
async function walk(api: Api, token: string, first: number | undefined): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  while (after !== '') {
    const page = await resultOf(api.listProjects(token, { first, after }));
    pages.push(names(page.projects));
    after = page.nextPageToken;
  }
  return pages;
}

function chunks(all: readonly string[], size: number): string[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, page) => all.slice(page * size, (page + 1) * size));
}

async function addProject(account: string, time = gateway.clock()): Promise<string> {
  const { admin } = gateway;
  const newId = time === gateway.clock() ? admin.newId : idGenerator(() => time);
  return (await createProject({ ...admin, newId }, { account, title: 'New' })).name;
}

/** An account token of an account without projects. */
async function seedEmptyAccount(): Promise<string> {
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
  const { accessToken } = await createAccountToken(admin, { account: resourceName('accounts', id) }, 86_400);
  return accessToken;
}
