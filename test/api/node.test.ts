import type { GraphQLFormattedError } from 'graphql';
import { describe, expect, test } from 'vitest';
import { graphqlApi, graphqlOutcome } from '../support/both-apis.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';
import { expectInvalid } from '../support/refusal.ts';
import { createApp, graphqlBody, PASSWORD, resultOf, ULID } from '../support/requests.ts';

// Which token sees which resource is tested with the other operations, in `permissions.test.ts`.

const NODE = `query ($id: ID!) {
  node(id: $id) {
    __typename
    id
    ... on Project { name title description imageCoverUrl imageCoverCid createTime }
    ... on App { name title privateKey active createTime project { id name title } }
    ... on Wallet { name title description network address password createTime updateTime project { id name title } }
  }
}`;
const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

describe('node', () => {
  test('returns each resource with all its fields, without private key and password', async () => {
    const { token, projects, wallet } = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const [, project = ''] = projects;
    const app = await createApp(api, token, { project });
    await resultOf(api.updateWallet(token, wallet, { project, password: PASSWORD }));
    const createTime = new Date(gateway.clock()).toISOString();
    const parent = { id: project, name: project, title: 'Project 2' };
    const resources = [
      {
        ...{ __typename: 'Project', ...parent, description: 'No. 2', createTime },
        imageCoverUrl: `${gateway.url}/covers/${project.slice('projects/'.length)}.svg`,
        imageCoverCid: expect.stringMatching(/^bafkrei[a-z2-7]{52}$/),
      },
      { __typename: 'App', ...app, id: app.name, privateKey: '', createTime, project: parent },
      {
        ...{ __typename: 'Wallet', id: wallet, name: wallet, title: 'Wallet 1', description: 'No. 1' },
        network: 'NETWORK_ETHEREUM',
        address: '0x0000000000000000000000000000000000000001',
        ...{ password: '', createTime, updateTime: createTime, project: parent },
      },
    ];
    for (const expected of resources) expect(await node(token, expected.id)).toEqual(expected);
  });

  test('is null if another resource has the ULID', async () => {
    const { token, names } = await seedResources();
    const ulids = names.map((name) => name.split('/')[1]);
    for (const [index, collection] of ['projects', 'apps', 'wallets'].entries()) {
      for (const ulid of ulids.toSpliced(index, 1)) {
        expect(await node(token, `${collection}/${ulid}`)).toBeNull();
      }
    }
  });

  test.each([
    '',
    ULID,
    `accounts/${ULID}`,
    // The upper case of this letter is the ASCII text ST.
    `projects/${ULID.replace('TS', 'ﬆ')}`,
    5,
  ])('refuses the malformed name %j', async (id) => {
    const { token } = await seedTenant(gateway);
    expectInvalid(api, await ask(token, NODE, { id }), ['id']);
  });
});

describe('nodes', () => {
  test('keeps the order, repeated names and nulls, and returns names in upper case', async () => {
    const [{ token, names }, other] = [await seedResources(), await seedResources()];
    const [project = '', app = '', wallet = ''] = names;
    const missing = `wallets/${ULID}`;
    const ids = [wallet, missing, project, other.names[0] ?? '', app, wallet, missing, project.toLowerCase()];
    const expected = [wallet, null, project, null, app, wallet, null, project];
    expect(await nodes(token, ids)).toEqual(expected);
    expect(await nodes(token, ids.toReversed())).toEqual(expected.toReversed());
  });

  test('accepts up to 100 names', async () => {
    const { token, names } = await seedResources();
    for (const count of [0, 1, 2, 11, 100]) {
      const ids = Array.from({ length: count }, (_, index) => names[index % names.length] ?? '');
      expect(await nodes(token, ids)).toEqual(ids);
    }
  });

  test('is null with an error in the place of each malformed name, and the others stand', async () => {
    const { token, names } = await seedResources();
    const [project, , wallet] = names;
    const malformed = ['x', ULID, '', `tokens/${ULID}`, `accounts/${ULID}`];
    const ids = [project, ...malformed, wallet, ...Array(15).fill('x'), project];
    // The third execution would be that of the compiled query.
    for (let times = 0; times < 3; times += 1) {
      const { data, errors } = await graphqlBody(gateway.url, token, NODES, { ids });
      const isMalformed = (id: string | undefined) => malformed.includes(id ?? '');
      expect(data.nodes).toEqual(ids.map((id) => (isMalformed(id) ? null : { id })));
      const places = ids.flatMap((id, index) => (isMalformed(id) ? [index] : []));
      const found = errors.map(({ path, extensions }: GraphQLFormattedError) => [path, extensions]);
      const description =
        'Must be a resource name of the form projects/<ULID> or apps/<ULID> or wallets/<ULID>.';
      expect(found).toEqual(
        places.map((index) => [
          ['nodes', index],
          expect.objectContaining({ fieldViolations: [{ field: `ids[${index}]`, description }] }),
        ]),
      );
    }
  });

  test.each<[string, (project: string) => unknown[], string[]]>([
    ['101 names, even if all are equal', (project) => Array(101).fill(project), ['ids']],
    [
      'more than 20 malformed names, with the first ones',
      (project) => [project, ...Array(21).fill('x')],
      Array.from({ length: 20 }, (_, n) => `ids[${n + 1}]`),
    ],
    ['null, with its index', (project) => [project, null], ['ids[1]']],
  ])('refuses %s', async (_, idsOf, fields) => {
    const { token, projects } = await seedTenant(gateway);
    expectInvalid(api, await ask(token, NODES, { ids: idsOf(projects[0] ?? '') }), fields);
  });
});

function ask(token: string, query: string, variables: object) {
  return graphqlOutcome(gateway.url, token, query, variables, (data) => data);
}

async function node(token: string, id: string): Promise<unknown> {
  return (await resultOf(ask(token, NODE, { id }))).node;
}

async function nodes(token: string, ids: readonly string[]): Promise<(string | null)[]> {
  const data = await resultOf(ask(token, NODES, { ids }));
  return data.nodes.map((found: { id: string } | null) => found?.id ?? null);
}

/** Adds an account with a project, an app and a wallet. The names are in this order. */
async function seedResources(): Promise<{ token: string; names: readonly string[] }> {
  const { token, projects, wallets } = await seedTenant(gateway, { wallets: 1 });
  const app = await createApp(api, token);
  return { token, names: [...projects, app.name, ...wallets] };
}
