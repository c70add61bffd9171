import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { createProject } from '../../src/data/create-project.ts';
import { idGenerator, resourceName } from '../../src/model/resource-name.ts';
import { insertAccount } from '../../src/storage/accounts.ts';
import {
  type Api,
  bothApis,
  type Outcome,
  type PageFields,
  type ProjectFields,
  postGraphql,
  send,
} from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

const [graphql, rest] = bothApis(() => gateway.url) as [Api, Api];

// What the wire calls the fields that a `Api` calls `first` and `after`.
const WIRE_NAMES = {
  GraphQL: { first: 'first', after: 'after' },
  REST: { first: 'pageSize', after: 'pageToken' },
};

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each([1, 9, 10, 11, 100, 101])('pages through %i projects to the end at every size', async (count) => {
    const { token, projects } = await seedTenant(gateway, { projects: count });
    for (const size of [1, 7, 10, 100]) {
      expect(await walk(api, token, size)).toEqual(chunks(projects, size));
    }
  });

  test('gives 10 projects a page if no size is asked for', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 21 });
    expect(await walk(api, token, undefined)).toEqual(chunks(projects, 10));
  });

  test('gives an account without a project one empty page', async () => {
    const token = await seedEmptyAccount();
    expect(valueIn(await api.listProjects(token))).toEqual({ projects: [], nextPageToken: '' });
  });

  test.each([1, 100])('takes %i as the size of a page', async (size) => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const { projects: page } = valueIn(await api.listProjects(token, { first: size }));
    expect(names(page)).toEqual(projects.slice(0, size));
  });

  test('gives all that is left if the size exceeds it', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 5 });
    const { nextPageToken } = valueIn(await api.listProjects(token, { first: 2 }));
    const left = valueIn(await api.listProjects(token, { first: 4, after: nextPageToken }));
    expect([names(left.projects), left.nextPageToken]).toEqual([projects.slice(2), '']);
  });

  test.each([undefined, 1, 3, 100])(
    'gives an empty page after the last project at size %s',
    async (first) => {
      const tenant = await seedTenant(gateway, { projects: 3 });
      const after = (await cursors(tenant)).at(-1);
      const page = valueIn(await api.listProjects(tenant.token, { first, after }));
      expect(page).toEqual({ projects: [], nextPageToken: '' });
    },
  );

  test('takes an empty token as none', async () => {
    const { token } = await seedTenant(gateway, { projects: 12 });
    const none = valueIn(await api.listProjects(token));
    expect(none.projects).toHaveLength(10);
    expect(valueIn(await api.listProjects(token, { after: '' }))).toEqual(none);
  });

  test('orders projects by name, whenever they were added', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 2 });
    const aYearAgo = gateway.clock() - 365 * 86_400_000;
    const older = await addProject(account, aYearAgo);
    const oldest = await addProject(account, aYearAgo - 1);
    expect(await walk(api, token, 1)).toEqual([oldest, older, ...projects].map((name) => [name]));
  });

  test('shows a project that is made while a client pages, and leaves the earlier pages alone', async () => {
    const { account, token, projects } = await seedTenant(gateway, { projects: 5 });
    const first = valueIn(await api.listProjects(token, { first: 2 }));
    const second = valueIn(await api.listProjects(token, { first: 2, after: first.nextPageToken }));
    const added = await addProject(account);
    const third = valueIn(await api.listProjects(token, { first: 2, after: second.nextPageToken }));
    expect([names(third.projects), third.nextPageToken]).toEqual([[projects[4], added], '']);
    expect(valueIn(await api.listProjects(token, { first: 2 }))).toEqual(first);
    const again = await api.listProjects(token, { first: 2, after: first.nextPageToken });
    expect(valueIn(again)).toEqual(second);
  });

  test.each([0, 101, -1, 1.5, '', 'ten', '1e1', ' 5', '010', '+5', '0x5', 2 ** 31, 'null'])(
    'refuses %j as the size of a page',
    async (first) => {
      const { token } = await seedTenant(gateway);
      expectRefused(api, await api.listProjects(token, { first }), 'first');
    },
  );

  test('names both fields if both are wrong', async () => {
    const { token } = await seedTenant(gateway);
    const { error } = await api.listProjects(token, { first: 0, after: 'x' });
    expect(error?.fields).toEqual(['first', 'after']);
  });

  test.each([
    [
      'the next character',
      (code: number) => (code === 'z'.charCodeAt(0) ? 'a' : String.fromCharCode(code + 1)),
    ],
    ['the letter A', (code: number) => (code === 'A'.charCodeAt(0) ? 'B' : 'A')],
    ['a character outside base64url', () => '*'],
    // Decoders that look at the low byte alone read this as the letter that was there.
    ['a character 256 code points on', (code: number) => String.fromCharCode(code + 0x100)],
    ['a character 4096 code points on', (code: number) => String.fromCharCode(code + 0x1000)],
  ])('refuses a token with %s at any one position', async (_what, change) => {
    const { genuine, token } = await seedPageToken();
    expect((await api.listProjects(token, { after: genuine })).error).toBeUndefined();
    const forged = [...genuine].map(
      (letter, at) => genuine.slice(0, at) + change(letter.charCodeAt(0)) + genuine.slice(at + 1),
    );
    expect(new Set([genuine, ...forged]).size).toBe(genuine.length + 1);
    const outcomes = await Promise.all(forged.map((after) => api.listProjects(token, { after })));
    for (const outcome of outcomes) expectRefused(api, outcome, 'after');
  });

  test('refuses a token cut short at any position, at either end', async () => {
    const { genuine, token } = await seedPageToken();
    const cut = [...genuine.slice(1)].flatMap((_, at) => [genuine.slice(0, at + 1), genuine.slice(at + 1)]);
    const outcomes = await Promise.all(cut.map((after) => api.listProjects(token, { after })));
    expect(outcomes).toHaveLength(2 * (genuine.length - 1));
    for (const outcome of outcomes) expectRefused(api, outcome, 'after');
  });

  test.each<[string, (genuine: string) => string]>([
    ['one letter', () => 'x'],
    ['one space', () => ' '],
    ['the word null', () => 'null'],
    ['a number', () => '10'],
    ['a resource name', () => 'projects/01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['a ULID', () => '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
    ['the genuine one in lower case', (genuine) => genuine.toLowerCase()],
    ['the genuine one after a space', (genuine) => ` ${genuine}`],
    ['the genuine one before a space', (genuine) => `${genuine} `],
    ['the genuine one with padding', (genuine) => `${genuine}=`],
    ['the genuine one with one letter more', (genuine) => `${genuine}A`],
    ['the genuine one with a NUL', (genuine) => `${genuine}\0`],
    ['the genuine one twice', (genuine) => genuine + genuine],
    ['the genuine one decoded', (genuine) => Buffer.from(genuine, 'base64url').toString('latin1')],
    ['Latin letters beyond ASCII', (genuine) => 'é'.repeat(genuine.length)],
    ['letters beyond Latin', (genuine) => 'ж'.repeat(genuine.length)],
    ['emoji', (genuine) => '😀'.repeat(genuine.length / 2)],
    ['a lone surrogate', () => '\ud800'],
    ['a long text', () => 'A'.repeat(5000)],
  ])('refuses %s as a token', async (_what, make) => {
    const { genuine, token } = await seedPageToken();
    expectRefused(api, await api.listProjects(token, { after: make(genuine) }), 'after');
  });

  test('refuses a token of another version, though its code is right', async () => {
    const { genuine, token } = await seedPageToken();
    // Only with a right code does the version alone decide.
    expect(await withVersion(genuine, '2')).toBe(genuine);
    for (const version of ['0', '1', '9']) {
      const after = await withVersion(genuine, version);
      expect(after).toHaveLength(genuine.length);
      expectRefused(api, await api.listProjects(token, { after }), 'after');
    }
  });

  test("refuses another gateway's token", async () => {
    const other = await startGateway();
    onTestFinished(other.stop);
    const [foreign] = await cursors(await seedTenant(other), other.url);
    const { token } = await seedTenant(gateway);
    expectRefused(api, await api.listProjects(token, { after: foreign }), 'after');
  });

  test("lets an account page from another's token, among its own projects alone", async () => {
    const [ours, theirs] = [await seedTenant(gateway), await seedTenant(gateway)];
    const all = [...ours.projects, ...theirs.projects];
    for (const { account } of [ours, theirs, ours, theirs]) all.push(await addProject(account));
    const mine = all.filter((_, index) => index % 2 === 0);
    for (const [index, after] of (await cursors(theirs)).entries()) {
      const page = valueIn(await api.listProjects(ours.token, { after }));
      expect([names(page.projects), page.nextPageToken]).toEqual([mine.slice(index + 1), '']);
    }
  });

  test('shows a project token its one project, on the page where it belongs', async () => {
    const tenant = await seedTenant(gateway, { projects: 3 });
    const [, project] = tenant.projects;
    const token = await projectToken(tenant, project);
    const [before, its, behind] = await cursors(tenant);
    const pages: [object, unknown[]][] = [
      [{}, [project]],
      [{ first: 1 }, [project]],
      [{ after: before }, [project]],
      [{ first: 1, after: before }, [project]],
      [{ after: its }, []],
      [{ after: behind }, []],
    ];
    for (const [sent, expected] of pages) {
      const page = valueIn(await api.listProjects(token, sent));
      expect([names(page.projects), page.nextPageToken]).toEqual([expected, '']);
    }
  });
});

describe('by both APIs in turn', () => {
  test('a page token and a cursor are the same string', async () => {
    const tenant = await seedTenant(gateway, { projects: 4 });
    const { nextPageToken } = valueIn(await rest.listProjects(tenant.token, { first: 2 }));
    expect(nextPageToken).toBe((await cursors(tenant))[1]);
    expect(valueIn(await graphql.listProjects(tenant.token, { first: 2 }))).toEqual({
      ...valueIn(await rest.listProjects(tenant.token, { first: 2 })),
      nextPageToken,
    });
  });

  test.each([
    { order: 'GraphQL first', apis: [graphql, rest] },
    { order: 'REST first', apis: [rest, graphql] },
  ])('a list can be paged to the end, $order', async ({ apis }) => {
    const { token, projects } = await seedTenant(gateway, { projects: 11 });
    const pages: string[][] = [];
    let after: string | undefined;
    do {
      for (const api of apis) {
        if (after === '') break;
        const page = valueIn(await api.listProjects(token, { first: 2, after }));
        pages.push(names(page.projects));
        after = page.nextPageToken;
      }
    } while (after !== '');
    expect(pages).toEqual(chunks(projects, 2));
  });

  test("REST takes every edge's cursor, not only the last", async () => {
    const tenant = await seedTenant(gateway, { projects: 4 });
    for (const [index, after] of (await cursors(tenant)).entries()) {
      const { projects } = valueIn(await rest.listProjects(tenant.token, { after }));
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
    'takes "%s" as the first page of ten',
    async (query) => {
      const { token, projects } = await seedTenant(gateway, { projects: 11 });
      const { status, text } = await list(token, query);
      expect([status, names(JSON.parse(text).projects)]).toEqual([200, projects.slice(0, 10)]);
    },
  );

  test("answers with the specification's fields, all of them and no others", async () => {
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

  test('gives a next page token that needs no escaping in a URL', async () => {
    const { token } = await seedTenant(gateway, { projects: 2 });
    const { nextPageToken } = JSON.parse((await list(token, '?pageSize=1')).text);
    expect(nextPageToken).toMatch(/^[\w.~-]+$/);
  });

  const cover = (name = '') => ({
    imageCoverUrl: `${gateway.url}/covers/${name.slice('projects/'.length)}.svg`,
    imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
  });
});

function valueIn<T>({ value, response }: Outcome<T>): T {
  if (value === undefined) throw new Error(response.text);
  return value;
}

function names(projects: readonly ProjectFields[]): string[] {
  return projects.map(({ name }) => name);
}

/** The names on each page, from the first page to the one that has no next. */
async function walk(api: Api, token: string, first: number | undefined): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  while (after !== '') {
    const page = valueIn(await api.listProjects(token, { first, after }));
    pages.push(names(page.projects));
    after = page.nextPageToken;
  }
  return pages;
}

function chunks(all: readonly string[], size: number): string[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, page) => all.slice(page * size, (page + 1) * size));
}

function expectRefused(api: Api, { error, response }: Outcome<PageFields>, field: 'first' | 'after'): void {
  expect([error?.status, error?.fields]).toEqual(['INVALID_ARGUMENT', [field]]);
  expect(response.text).toContain(`"field":"${WIRE_NAMES[api.name][field]}"`);
  expect(response.status).toBe(api.name === 'REST' ? 400 : 200);
}

/** The cursors of an account's projects, in their order. */
async function cursors({ token }: Tenant, url = gateway.url): Promise<string[]> {
  const { text } = await postGraphql(url, token, '{ projects(first: 100) { edges { cursor } } }');
  return JSON.parse(text).data.projects.edges.map(({ cursor }: { cursor: string }) => cursor);
}

/** A page token of an account with more to come. */
async function seedPageToken(): Promise<{ token: string; genuine: string }> {
  const { token } = await seedTenant(gateway, { projects: 2 });
  const { nextPageToken } = valueIn(await rest.listProjects(token, { first: 1 }));
  return { token, genuine: nextPageToken };
}

/** The same place in a token of another version, as a gateway with our key would have made it. */
async function withVersion(genuine: string, version: string): Promise<string> {
  const [row] = await gateway.database.query<{ key: string }>('SELECT key FROM page_token_key');
  const place = version + Buffer.from(genuine, 'base64url').toString('latin1', 1, 27);
  const code = createHash('sha256').update(`${row?.key}${place}`);
  return Buffer.concat([Buffer.from(place), code.digest().subarray(0, 15)]).toString('base64url');
}

async function addProject(account: string, time = gateway.clock()): Promise<string> {
  const { admin } = gateway;
  const newId = time === gateway.clock() ? admin.newId : idGenerator(() => time);
  return (await createProject({ ...admin, newId }, { account, title: 'New' })).name;
}

/** An account token of an account that has no project. */
async function seedEmptyAccount(): Promise<string> {
  const { admin } = gateway;
  const [id, default_project_id] = [admin.newId(), admin.newId()];
  await insertAccount(admin.database, { id, title: 'Empty', default_project_id, create_time_ms: 0 });
  const { accessToken } = await createAccountToken(admin, { account: resourceName('accounts', id) }, 86_400);
  return accessToken;
}

async function projectToken({ token }: Tenant, project: string | undefined): Promise<string> {
  const app = valueIn(await graphql.createApp(token, { title: 'App', active: true, project }));
  return valueIn(await graphql.signIn(token, { name: app.name, privateKey: app.privateKey })).accessToken;
}
