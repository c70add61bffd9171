import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { RepeatedDocuments } from '../../../src/graphql/fast-path/repeated-documents.ts';
import { postGraphql, send } from '../../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { type Known, randomNumbers, randomOperation } from '../../support/random-operation.ts';
import { withoutRequestId } from '../../support/requests.ts';
import { setRow } from '../../support/rows.ts';

const gateway = useGateway();
let tenant: Tenant;
let known: Known;
let count = 0;

beforeAll(async () => {
  tenant = await seedTenant(gateway, { projects: 7, wallets: 3 });
  const stranger = await seedTenant(gateway, { projects: 2, wallets: 1 });
  const page = await send(`${gateway.url}/project/projects?pageSize=2`, 'GET', tenant.token);
  const wallets = [...tenant.wallets, ...stranger.wallets];
  known = { names: tenant.projects, wallets, cursor: JSON.parse(page.text).nextPageToken };
});

/** Counts the operations of a test that are executed without Apollo Server. */
function countCompiled(): () => number {
  const execute = vi.spyOn(RepeatedDocuments.prototype, 'execute');
  onTestFinished(() => execute.mockRestore());
  return () => execute.mock.results.filter(({ value }) => value !== undefined).length;
}

let repeatedOperations = 0;

const OPERATIONS = 60;

/** Sends a request, and returns its response without what each request changes: its id, and the etag of a wallet. */
async function ask(query: string, variables: object = {}) {
  const { text, ...others } = withoutRequestId(
    await postGraphql(gateway.url, tenant.token, query, variables),
  );
  return { ...others, text: text.replaceAll(/"[0-9A-Z]{26}"/g, '"etag"') };
}

/** Expects that all responses to a document, which is compiled at its second execution, equal that of Apollo Server. */
async function expectSame(document: string, variables: object, times = 4) {
  // A different document is new to the gateway, and is not compiled.
  count += 1;
  const cold = await ask(`${document}\n# ${count}`, variables);
  for (let n = 0; n < times; n += 1) {
    expect(await ask(document, variables), `${document}\n${JSON.stringify(variables)}`).toEqual(cold);
  }
  return JSON.parse(cold.text);
}

const bodyOf = async (query: string, variables: object) => JSON.parse((await ask(query, variables)).text);

describe('the response to a repeated operation equals that of Apollo Server, byte for byte', () => {
  test.each(Array.from({ length: OPERATIONS }, (_, seed) => seed))('random operation %i', async (seed) => {
    const { document, variables } = randomOperation(randomNumbers(seed), known);
    const compiled = countCompiled();
    for (const times of [3, 1, 1]) await expectSame(document, variables(), times);
    if (compiled() > 0) repeatedOperations += 1;
  });

  test('more than a third of the random operations is executed without Apollo Server', () => {
    expect(repeatedOperations).toBeGreaterThan(OPERATIONS / 3);
  });

  test.each([
    `query ($yes: Boolean!) { projects {
      ...Page @include(if: $yes) totalCount nodes { title ...Names @skip(if: $yes) id } } }
      fragment Page on ProjectConnection { nodes { id } totalCount }
      fragment Names on Project { id name title }`,
    `query ($yes: Boolean!) { projects { ...Page @include(if: $yes) __typename ...Page } }
      fragment Page on ProjectConnection { totalCount nodes { id } }`,
  ])('if fields are skipped and merged: %s', async (document) => {
    for (const yes of [true, false]) await expectSame(document, { yes });
  });

  test('if a condition is null, however its variable is written', async () => {
    const document =
      'query ($no,: # comment\nBoolean = false) { projects { totalCount @skip(if: $no) __typename } }';
    await expectSame(document, { no: false });
    await expectSame(document, { no: null });
  });

  test('if an error is deep in a list', async () => {
    const document =
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { id } times: createTime } } }';
    const ids = [...tenant.projects, ...tenant.wallets];
    const compiled = countCompiled();
    expect(await expectSame(document, { ids })).not.toHaveProperty('errors');
    expect(compiled()).toBe(2);

    // The time is outside the range of Date.
    const [, wallet = ''] = tenant.wallets;
    await setRow(gateway.database, wallet, { create_time_ms: 9e15 });
    const { data, errors } = await expectSame(document, { ids }, 1);
    expect(errors).toMatchObject([{ path: ['nodes', ids.length - 2, 'times'] }]);
    expect([data.nodes[0], data.nodes[ids.length - 2]]).toEqual([{ id: ids[0] }, null]);
    await setRow(gateway.database, wallet, { create_time_ms: gateway.clock() });
  });
});

test('fields of different types are in the same order if one of them is skipped', async () => {
  const document =
    'query ($i: [ID!]!) { nodes(ids: $i) { ... on App { id } ... on Node { id @skip(if: true) x: id id } } }';
  for (let times = 0; times < 4; times += 1) {
    const { text } = await ask(document, { i: [tenant.wallets[0]] });
    expect(text).toBe(`{"data":{"nodes":[{"x":"${tenant.wallets[0]}","id":"${tenant.wallets[0]}"}]}}`);
  }
});

test('each combination of conditions has its own response', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'];
  const document = `query (${names.map((name) => `$${name}: Boolean!`).join(', ')}) {
    projects { ${names.map((name) => `${name}: totalCount @include(if: $${name})`).join(' ')} __typename }
  }`;
  const compiled = countCompiled();
  await ask(document, Object.fromEntries(names.map((name) => [name, true])));
  for (let n = 0; n < 32; n += 1) {
    const included = names.filter((_, place) => (n >> place) & 1);
    const variables = Object.fromEntries(names.map((name) => [name, included.includes(name)]));
    const counts = Object.fromEntries(included.map((name) => [name, tenant.projects.length]));
    const data = { projects: { ...counts, __typename: 'ProjectConnection' } };
    expect(await bodyOf(document, variables)).toEqual({ data });
  }
  expect(compiled()).toBe(31);
});

test('an operation name that is part of the text of another query does not reach that query', async () => {
  const query = '# \u0000A\nquery A { projects { totalCount } }';
  for (let times = 0; times < 2; times += 1) expect((await ask(query)).status).toBe(200);
  const [comment = '', rest = ''] = query.split('\u0000');
  const body = { query: comment, operationName: rest };
  const { text } = await send(`${gateway.url}/graphql`, 'POST', tenant.token, body);
  expect(JSON.parse(text).errors[0].extensions.code).toBe('GRAPHQL_PARSE_FAILED');
});

test('fragments that double are not compiled, because each spread becomes code', async () => {
  const compiled = countCompiled();
  const spread = (depth: number) => {
    const fragments = Array.from(
      { length: depth },
      (_, n) => `fragment F${n} on Viewer { ...F${n + 1} ...F${n + 1} }`,
    );
    return `{ viewer { ...F0 } } ${fragments.join(' ')} fragment F${depth} on Viewer { name }`;
  };
  for (const depth of [12, 12, 12, 2, 2, 2]) {
    expect((await bodyOf(spread(depth), {})).data.viewer).toHaveProperty('name');
  }
  expect(compiled()).toBe(1);
});

test('the size of a page in a variable counts with its value, in each execution', async () => {
  const pages = (n: string) =>
    `query ${n} { projects(first: $n) { nodes { wallets(first: $n) { nodes { id } } } } }`;
  const compiled = countCompiled();
  for (let times = 0; times < 3; times += 1) {
    const admitted = await bodyOf(pages('($n: Int)'), { n: 5 });
    expect(admitted.data.projects.nodes).toHaveLength(5);
    expect(await bodyOf(pages('($n: Int = 5)'), {})).toEqual(admitted);
    expect((await bodyOf(pages('($n: Int)'), {})).data.projects.nodes).toHaveLength(7);
    const both = pages('($n: Int, $l: Int, $m: Int)').replace(
      'wallets(first: $n)',
      'wallets(last: $l, first: $m)',
    );
    const { data, errors } = await bodyOf(both, { n: 100, l: 99, m: null });
    expect(data).toBeUndefined();
    expect(errors[0].message).toBe(
      'A response may have at most 10000 fields. This one could have 20102: select fewer fields, or smaller pages.',
    );
  }
  expect(compiled()).toBeGreaterThan(0);
});

test('a compiled query whose list is left out by a directive is refused without a valid token', async () => {
  const { token } = await seedTenant(gateway);
  const query = '{ projects @skip(if: true) { totalCount } }';
  for (let times = 0; times < 3; times += 1) {
    expect((await postGraphql(gateway.url, token, query)).status).toBe(200);
  }
  for (const refused of [`${token}0`, '']) {
    expect((await postGraphql(gateway.url, refused, query)).status).toBe(401);
  }
});
