import { beforeAll, describe, expect, test } from 'vitest';
import { createApp as createAppBy, projectTokenOf, resultOf, ULID } from '../../support/actors.ts';
import { graphqlApi, type HttpResponse, postGraphql } from '../../support/apis.ts';
import { type Gateway, seedTenant, startGateway } from '../../support/gateway.ts';

const FIELDS = `{
  __typename
  id
  ... on Project { name title description imageCoverUrl imageCoverCid createTime }
  ... on App { name title privateKey active createTime project { id name title } }
  ... on Wallet { name title description network address password createTime updateTime project { id name title } }
}`;
const NODE = `query ($id: ID!) { node(id: $id) ${FIELDS} }`;
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

const graphql = graphqlApi(() => gateway.url);
const createApp = (token: string, project?: string) => createAppBy(graphql, token, { project });

describe('node', () => {
  test('returns a project', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const [, name = ''] = projects;
    expect(await node(token, name)).toEqual({
      __typename: 'Project',
      id: name,
      name,
      title: 'Project 2',
      description: 'No. 2',
      imageCoverUrl: `${gateway.url}/covers/${name.slice('projects/'.length)}.svg`,
      imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
      createTime: new Date(gateway.clock()).toISOString(),
    });
  });

  test('returns an app with its project, without the private key', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 2 });
    const { name } = await createApp(token, projects[1]);
    expect(await node(token, name)).toEqual({
      __typename: 'App',
      id: name,
      name,
      title: 'App',
      privateKey: '',
      active: true,
      createTime: new Date(gateway.clock()).toISOString(),
      project: { id: projects[1], name: projects[1], title: 'Project 2' },
    });
  });

  test('returns a wallet with its project, without the password', async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const [name = ''] = wallets;
    const password = 'p'.repeat(32);
    await resultOf(graphql.updateWallet(token, name, { project: projects[1], password }));
    expect(await node(token, name)).toEqual({
      __typename: 'Wallet',
      id: name,
      name,
      title: 'Wallet 1',
      description: 'No. 1',
      network: 'NETWORK_ETHEREUM',
      address: '0x0000000000000000000000000000000000000001',
      password: '',
      createTime: new Date(gateway.clock()).toISOString(),
      updateTime: new Date(gateway.clock()).toISOString(),
      project: { id: projects[1], name: projects[1], title: 'Project 2' },
    });
  });

  test('accepts a ULID in lower or mixed case and returns it in upper case', async () => {
    const { token, names } = await seedResources();
    for (const name of names) {
      const [collection, ulid = ''] = name.split('/');
      expect(ulid).toBe(ulid.toUpperCase());
      const mixed = ulid.slice(0, 13) + ulid.slice(13).toLowerCase();
      for (const id of [ulid.toLowerCase(), mixed]) {
        expect(await node(token, `${collection}/${id}`)).toMatchObject({ id: name, name });
      }
    }
  });

  test.each(['projects', 'apps', 'wallets'])(
    'is null if the name is not among the %s',
    async (collection) => {
      const { token, names } = await seedResources();
      expect(await node(token, `${collection}/${ULID}`)).toBeNull();
      // The same ULID in another collection is a different name.
      for (const name of names.filter((other) => !other.startsWith(collection))) {
        expect(await node(token, `${collection}/${name.split('/')[1]}`)).toBeNull();
      }
    },
  );

  test("gives the same response for another account's resource as for a missing one", async () => {
    const [ours, theirs] = [await seedResources(), await seedResources()];
    for (const foreign of theirs.names) {
      expect(await node(theirs.token, foreign)).toMatchObject({ id: foreign });
      await expectAlike(ours.token, foreign, `${foreign.split('/')[0]}/${ULID}`);
    }
  });

  test("gives a project token the same response for another project's resource as for a missing one", async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const [inside, outside] = [await createApp(token, projects[1]), await createApp(token, projects[0])];
    const projectToken = await projectTokenOf(graphql, token, inside);
    for (const hidden of [projects[0], outside.name, wallets[0]]) {
      const name = hidden ?? '';
      expect(await node(token, name)).toMatchObject({ id: name });
      await expectAlike(projectToken, name, `${name.split('/')[0]}/${ULID}`);
    }
  });

  test('returns the resources of its project to a project token', async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const app = await createApp(token, projects[0]);
    const projectToken = await projectTokenOf(graphql, token, app);
    for (const name of [projects[0], app.name, wallets[0]]) {
      const seen = await node(token, name);
      expect(seen).toMatchObject({ id: name });
      expect(await node(projectToken, name)).toEqual(seen);
    }
  });

  test('is null for a project token after a wallet has left its project', async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const [wallet = ''] = wallets;
    const projectToken = await projectTokenOf(graphql, token, await createApp(token, projects[0]));
    expect(await node(projectToken, wallet)).toMatchObject({ id: wallet });
    await resultOf(graphql.updateWallet(token, wallet, { project: projects[1] }));
    expect(await node(projectToken, wallet)).toBeNull();
  });

  test.each([
    '',
    ULID,
    `accounts/${ULID}`,
    `projects/${ULID}/x`,
    `projects/${ULID.slice(1)}`,
    `projects/8${ULID.slice(1)}`,
    // The upper case of this letter is the ASCII text ST.
    `projects/${ULID.replace('TS', 'ﬆ')}`,
    `projects/${ULID}\n`,
    5,
  ])('refuses the malformed name %j', async (id) => {
    const { token } = await seedTenant(gateway);
    const answer = await postGraphql(gateway.url, token, NODE, { id });
    expect(refusalIn(answer)).toEqual({
      status: 200,
      data: { node: null },
      code: 'BAD_USER_INPUT',
      fields: ['id'],
    });
  });

  test('accepts the largest ULID', async () => {
    const { token } = await seedTenant(gateway);
    expect(await node(token, `projects/7${'Z'.repeat(25)}`)).toBeNull();
  });
});

describe('nodes', () => {
  test('keeps the order, repeated names and nulls', async () => {
    const [{ token, names }, other] = [await seedResources(), await seedResources()];
    const [project = '', app = '', wallet = ''] = names;
    const missing = `wallets/${ULID}`;
    const foreign = other.names[0] ?? '';
    const lower = project.toLowerCase();
    const ids = [wallet, missing, project, foreign, app, wallet, missing, lower];
    expect(await nodes(token, ids)).toEqual([wallet, null, project, null, app, wallet, null, project]);
    expect(await nodes(token, ids.toReversed())).toEqual(
      [wallet, null, project, null, app, wallet, null, project].toReversed(),
    );
  });

  test('returns only the resources of its project to a project token', async () => {
    const { token, projects, wallets } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const app = await createApp(token, projects[1]);
    const ids = [...projects, ...wallets, app.name];
    expect(await nodes(token, ids)).toEqual(ids);
    expect(await nodes(await projectTokenOf(graphql, token, app), ids)).toEqual([
      null,
      projects[1],
      null,
      app.name,
    ]);
  });

  test('is empty for no names', async () => {
    const { token } = await seedTenant(gateway);
    expect(await nodes(token, [])).toEqual([]);
  });

  test.each([1, 10, 11, 100])('accepts %i names', async (count) => {
    const { token, projects } = await seedTenant(gateway, { projects: count });
    const ids = projects.toReversed();
    expect(ids).toHaveLength(count);
    expect(await nodes(token, ids)).toEqual(ids);
  });

  test('accepts 100 names of every kind', async () => {
    const { token, names } = await seedResources();
    const ids = Array.from({ length: 100 }, (_, index) => names[index % names.length] ?? '');
    expect(await nodes(token, ids)).toEqual(ids);
  });

  test('refuses 101 names, even if all are equal', async () => {
    const { token, projects } = await seedTenant(gateway);
    const ids = new Array(101).fill(projects[0]);
    const answer = await postGraphql(gateway.url, token, NODES, { ids });
    expect(refusalIn(answer)).toEqual({ status: 200, data: null, code: 'BAD_USER_INPUT', fields: ['ids'] });
  });

  test('names the index of every malformed name', async () => {
    const { token, projects } = await seedTenant(gateway, { projects: 3 });
    const [fields, ids] = [
      ['ids[3]', 'ids[5]'],
      [...projects, 'x', projects[0], `accounts/${ULID}`],
    ];
    const answer = await postGraphql(gateway.url, token, NODES, { ids });
    expect(refusalIn(answer)).toEqual({ status: 200, data: null, code: 'BAD_USER_INPUT', fields });
  });

  test('names the index of a null', async () => {
    const { token, projects } = await seedTenant(gateway);
    const answer = await postGraphql(gateway.url, token, NODES, { ids: [projects[0], null] });
    expect(refusalIn(answer)).toMatchObject({ code: 'BAD_USER_INPUT', fields: ['ids[1]'] });
  });

  test('never returns a secret', async () => {
    const { token, names } = await seedResources();
    const query = `query ($ids: [ID!]!) {
      nodes(ids: $ids) { ... on App { privateKey } ... on Wallet { password } }
    }`;
    const { text } = await postGraphql(gateway.url, token, query, { ids: names });
    expect(JSON.parse(text)).toEqual({ data: { nodes: [{}, { privateKey: '' }, { password: '' }] } });
  });
});

async function node(token: string, id: string | undefined): Promise<unknown> {
  const { text } = await postGraphql(gateway.url, token, NODE, { id });
  const { data, errors } = JSON.parse(text);
  if (errors !== undefined) throw new Error(text);
  return data.node;
}

async function nodes(token: string, ids: readonly string[]): Promise<(string | null)[]> {
  const { text } = await postGraphql(gateway.url, token, NODES, { ids });
  const { data, errors } = JSON.parse(text);
  if (errors !== undefined) throw new Error(text);
  return data.nodes.map((found: { id: string } | null) => found?.id ?? null);
}

function refusalIn({ status, text }: HttpResponse) {
  const { data, errors } = JSON.parse(text);
  if (errors?.length !== 1) throw new Error(text);
  const [{ extensions }] = errors;
  const fields = extensions.fieldViolations.map(({ field }: { field: string }) => field);
  return { status, data, code: extensions.code, fields };
}

async function expectAlike(token: string, hidden: string, missing: string): Promise<void> {
  const [a, b] = [
    await postGraphql(gateway.url, token, NODE, { id: hidden }),
    await postGraphql(gateway.url, token, NODE, { id: missing }),
  ];
  expect(a.text).toBe('{"data":{"node":null}}');
  expect([a.status, a.text]).toEqual([b.status, b.text]);
}

/** Adds an account with a project, an app and a wallet. The names are in this order. */
async function seedResources(): Promise<{ token: string; names: readonly string[] }> {
  const { token, projects, wallets } = await seedTenant(gateway, { wallets: 1 });
  const app = await createApp(token, projects[0]);
  return { token, names: [...projects, app.name, ...wallets] };
}
