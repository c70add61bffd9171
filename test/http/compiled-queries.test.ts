import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { CompiledQueries } from '../../src/graphql/compiled-queries.ts';
import { withoutRequestId } from '../support/actors.ts';
import { type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { type Known, randomNumbers, randomOperation } from '../support/random-operation.ts';
import { setRow } from '../support/rows.ts';

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

/** Counts the queries of a test that are executed in compiled form. */
function countCompiled(): () => number {
  const find = vi.spyOn(CompiledQueries.prototype, 'find');
  onTestFinished(() => find.mockRestore());
  return () => find.mock.results.filter(({ value }) => value !== undefined).length;
}

let compiledOperations = 0;

const OPERATIONS = 60;

describe('the response to a compiled query equals that of Apollo Server, byte for byte', () => {
  test.each(Array.from({ length: OPERATIONS }, (_, seed) => seed))('random operation %i', async (seed) => {
    const random = randomNumbers(seed);
    const { document, variables } = randomOperation(random, known);
    const compiled = countCompiled();
    for (let n = 0; n < 3; n += 1) {
      const values = variables();
      const before = compiled();
      // A different document is new to the gateway, and is not compiled.
      const cold = await ask(`${document}\n# ${count}`, values);
      expect(compiled()).toBe(before);
      // A query is compiled when it is executed the second time.
      for (let times = 0; times < (n === 0 ? 3 : 1); times += 1) {
        expect(comparable(await ask(document, values)), `${document}\n${JSON.stringify(values)}`).toEqual(
          comparable(cold),
        );
      }
    }
    if (document.startsWith('mutation')) expect(compiled()).toBe(0);
    if (compiled() > 0) compiledOperations += 1;
  });

  test('more than a third of the random operations is compiled', () => {
    expect(compiledOperations).toBeGreaterThan(OPERATIONS / 3);
  });
});

/** Returns a response without what each request changes: its id, and the etag of a wallet that it updates. */
function comparable(response: HttpResponse) {
  const { text, ...others } = withoutRequestId(response);
  return { ...others, text: text.replaceAll(/"r\d+"/g, '"r"') };
}

test.each([
  `query ($yes: Boolean!) { projects {
    ...Page @include(if: $yes) totalCount nodes { title ...Names @skip(if: $yes) id } } }
    fragment Page on ProjectConnection { nodes { id } totalCount }
    fragment Names on Project { id name title }`,
  `query ($yes: Boolean!) { projects { ...Page @include(if: $yes) __typename ...Page } }
    fragment Page on ProjectConnection { totalCount nodes { id } }`,
])('fields are in the same order if some are skipped and merged: %s', async (document) => {
  for (const yes of [true, false]) {
    const cold = await ask(`${document} # ${yes}`, { yes });
    for (let times = 0; times < 4; times += 1) {
      expect(withoutRequestId(await ask(document, { yes }))).toEqual(withoutRequestId(cold));
    }
  }
});

test('a condition that is null is refused however its variable is written', async () => {
  const document =
    'query ($no,: # comment\nBoolean = false) { projects { totalCount @skip(if: $no) __typename } }';
  const cold = await ask(`${document} # cold`, { no: null });
  for (let times = 0; times < 4; times += 1) {
    await ask(document, { no: false });
    expect(withoutRequestId(await ask(document, { no: null }))).toEqual(withoutRequestId(cold));
  }
});

test('fields of different types are in the same order if one of them is skipped', async () => {
  const document =
    'query ($i: [ID!]!) { nodes(ids: $i) { ... on App { id } ... on Node { id @skip(if: true) x: id id } } }';
  for (let times = 0; times < 4; times += 1) {
    const { text } = await ask(document, { i: [tenant.wallets[0]] });
    expect(text).toBe(`{"data":{"nodes":[{"x":"${tenant.wallets[0]}","id":"${tenant.wallets[0]}"}]}}`);
  }
});

test('an error deep in a list has the same response', async () => {
  const document =
    'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { id } times: createTime } } }';
  const ids = [...tenant.projects, ...tenant.wallets];
  const compiled = countCompiled();
  for (let times = 0; times < 4; times += 1) {
    expect(JSON.parse((await ask(document, { ids })).text).errors).toBeUndefined();
  }
  expect(compiled()).toBe(2);

  // The time is outside the range of Date.
  const [, wallet = ''] = tenant.wallets;
  await setRow(gateway.database, wallet, { create_time_ms: 9e15 });
  const cold = await ask(`${document} # cold`, { ids });
  const { data, errors } = JSON.parse(cold.text);
  expect(errors).toMatchObject([{ path: ['nodes', ids.length - 2, 'times'] }]);
  expect(data.nodes[ids.length - 2]).toBeNull();
  expect(data.nodes[0]).toEqual({ id: ids[0] });
  expect(withoutRequestId(await ask(document, { ids }))).toEqual(withoutRequestId(cold));
  await setRow(gateway.database, wallet, { create_time_ms: gateway.clock() });
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
    const { text } = await ask(document, variables);
    const counts = Object.fromEntries(included.map((name) => [name, tenant.projects.length]));
    expect(JSON.parse(text)).toEqual({ data: { projects: { ...counts, __typename: 'ProjectConnection' } } });
  }
  expect(compiled()).toBe(31);
});

test('an operation name that is part of the text of another query does not reach that query', async () => {
  const query = '# \u0000A\nquery A { projects { totalCount } }';
  for (let times = 0; times < 2; times += 1) expect((await ask(query, {})).status).toBe(200);
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
    expect(JSON.parse((await ask(spread(depth), {})).text).data.viewer).toHaveProperty('name');
  }
  expect(compiled()).toBe(1);
});

test('the size of a page in a variable counts with its value, in each execution', async () => {
  const pages = (n: string) =>
    `query ${n} { projects(first: $n) { nodes { wallets(first: $n) { nodes { id } } } } }`;
  const compiled = countCompiled();
  for (let times = 0; times < 3; times += 1) {
    const admitted = JSON.parse((await ask(pages('($n: Int)'), { n: 5 })).text);
    expect(admitted.data.projects.nodes).toHaveLength(5);
    expect(JSON.parse((await ask(pages('($n: Int = 5)'), {})).text)).toEqual(admitted);
    expect(JSON.parse((await ask(pages('($n: Int)'), {})).text).data.projects.nodes).toHaveLength(7);
    const { data, errors } = JSON.parse((await ask(pages('($n: Int)'), { n: 100 })).text);
    expect(data).toBeUndefined();
    expect(errors).toMatchObject([{ extensions: { code: 'GRAPHQL_VALIDATION_FAILED' } }]);
    expect(errors[0].message).toMatch(
      /at most 10000 fields\. This one could have \d+, most of them in `projects\.nodes\.wallets`, counting `first: \$n` as 100, a page/,
    );
  }
  expect(compiled()).toBeGreaterThan(0);
});

function ask(query: string, variables: object): Promise<HttpResponse> {
  count += 1;
  return send(`${gateway.url}/graphql`, 'POST', tenant.token, { query, variables });
}

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
