import { describe, expect, test } from 'vitest';
import { createProject } from '../../../src/data/create-project.ts';
import { idGenerator } from '../../../src/model/resource-name.ts';
import { cursorsOf, resultOf } from '../../support/actors.ts';
import { type Api, bothApis, graphqlApi, type PageFields, restApi, send } from '../../support/apis.ts';
import { seedTenant, useGateway } from '../../support/gateway.ts';
import { expectInvalid } from '../../support/refusal.ts';

const gateway = useGateway();
/** A gateway with another database, whose page tokens are not valid. */
const stranger = useGateway();

const graphql = graphqlApi(() => gateway.url);
const rest = restApi(() => gateway.url);

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([
    [1, [1, undefined]],
    [10, [1, 7, undefined]],
    [11, [7, 10, 11, undefined]],
    [101, [100]],
  ])('returns all of %i projects page by page, with the page sizes %j', async (count, sizes) => {
    const { token, projects } = await seedTenant(gateway, { projects: count });
    for (const size of sizes) expect(await walk(api, token, size)).toEqual(chunks(projects, size ?? 10));
  });

  test('returns an empty page after the last project, and the first page for an empty token', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const after = (await cursorsOf(gateway, tenant)).at(-1);
    for (const first of [undefined, 1, 100]) {
      expect(await page(api, tenant.token, { first, after })).toEqual([[], '']);
    }
    expect(await page(api, tenant.token, { after: '' })).toEqual([tenant.projects, '']);
  });

  test('sorts projects by name, and not by insertion', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 2 });
    const aYearAgo = gateway.clock() - 365 * 86_400_000;
    const older = await addProject(account, aYearAgo);
    const oldest = await addProject(account, aYearAgo - 1);
    expect(await page(api, token, {})).toEqual([[oldest, older, ...projects], '']);
  });

  test('includes a project that is added during the paging, and does not change earlier pages', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 5 });
    const first = await resultOf(api.listProjects(token, { first: 2 }));
    const second = await resultOf(api.listProjects(token, { first: 2, after: first.nextPageToken }));
    const added = await addProject(account);
    const third = await page(api, token, { first: 2, after: second.nextPageToken });
    expect(third).toEqual([[projects[4], added], '']);
    expect(await resultOf(api.listProjects(token, { first: 2 }))).toEqual(first);
    const again = await api.listProjects(token, { first: 2, after: first.nextPageToken });
    expect(await resultOf(again)).toEqual(second);
  });

  test.each([101, '010'])('refuses the page size %j', async (first) => {
    const { token } = await seedTenant(gateway);
    expectInvalid(api, await api.listProjects(token, { first }), ['first']);
  });

  test('names both fields if both are invalid', async () => {
    const { token } = await seedTenant(gateway);
    expectInvalid(api, await api.listProjects(token, { first: 0, after: 'x' }), ['first', 'after']);
  });

  test.each<[string, (genuine: string) => unknown]>([
    ['a resource name', () => 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    [
      'a genuine one with another letter',
      (genuine) => genuine.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    ],
    ["another gateway's", async () => (await cursorsOf(stranger, await seedTenant(stranger)))[0]],
  ])('refuses %s as a token', async (_, forge) => {
    const tenant = await seedTenant(gateway);
    const [genuine = ''] = await cursorsOf(gateway, tenant);
    expectInvalid(api, await api.listProjects(tenant.token, { after: await forge(genuine) }), ['after']);
  });
});

test('a page token and a cursor are the same string', async () => {
  const tenant = await seedTenant(gateway, { projects: 4 });
  const first = await resultOf(rest.listProjects(tenant.token, { first: 2 }));
  expect(first.nextPageToken).toBe((await cursorsOf(gateway, tenant))[1]);
  expect(await resultOf(graphql.listProjects(tenant.token, { first: 2 }))).toEqual(first);
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

  test.each([
    '',
    '?',
    '?pageSize=10',
    '?pageSize=%31%30&',
    '?pageToken',
    '?pageToken=',
    '?pageToken=&pageSize=10',
  ])('returns the first ten projects for "%s"', async (query) => {
    const { token, projects } = await seedTenant(gateway, { projects: 11 });
    const { status, text } = await list(token, query);
    expect([status, namesOf(JSON.parse(text))]).toEqual([200, projects.slice(0, 10)]);
  });

  test('returns projects with their fields, and a page token that needs no escaping in a URL', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 3 });
    const [first = '', second = ''] = projects;
    const { text } = await list(token, '?pageSize=2');
    expect(JSON.parse(text)).toMatchObject({
      projects: [
        { name: first, title: 'Tenant', description: '', ...cover(first) },
        { name: second, title: 'Project 2', description: 'No. 2', ...cover(second) },
      ],
      nextPageToken: expect.stringMatching(/^[\w.~-]+$/),
    });
  });

  const cover = (name: string) => ({
    imageCoverUrl: `${gateway.url}/covers/${name.slice('projects/'.length)}.svg`,
    imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
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

/** The names on each page, from the first to the last page. */
async function walk(api: Api, token: string, first: number | undefined): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: string | undefined; after !== ''; ) {
    const [names, next] = await page(api, token, { first, after });
    pages.push(names);
    after = next;
  }
  return pages;
}

function chunks(all: readonly string[], size: number): string[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
}

async function addProject(account: string, time = gateway.clock()): Promise<string> {
  const { admin } = gateway;
  const newId = time === gateway.clock() ? admin.newId : idGenerator(() => time);
  return (await createProject({ ...admin, newId }, 'operator', { account, title: 'New' })).name;
}
