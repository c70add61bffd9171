import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { createSchema } from '../../src/graphql/schema.ts';
import { send } from '../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { inLowerCase } from '../support/requests.ts';
import { rowsOf } from '../support/rows.ts';

const gateway = useGateway();

let tenant: Tenant;
let key: string;

beforeEach(async () => {
  tenant = await seedTenant(gateway, { wallets: 1, addresses: 20 });
  key = randomUUID();
});

type Body = { readonly query: string; readonly [parameter: string]: unknown };

const ask = async (body: Body) => {
  const headers = { 'idempotency-key': key };
  const {
    status,
    text,
    headers: received,
  } = await send(`${gateway.url}/graphql`, 'POST', tenant.token, body, headers);
  return { status, text, isReplayed: received.get('idempotency-replayed') === 'true' };
};

/** Expects that all requests are the same one: they get one response, and are executed once. */
async function expectOne(first: Body, others: readonly Body[]): Promise<void> {
  const { text } = await ask(first);
  expect(JSON.parse(text).errors).toBeUndefined();
  for (const other of others) {
    expect([other, await ask(other)]).toEqual([other, { status: 200, text, isReplayed: true }]);
  }
}

/** Expects that the key of the first request, which is executed, is refused with other requests. */
async function expectRefused(first: Body, others: readonly Body[]): Promise<void> {
  await expectOne(first, [first]);
  for (const other of others) expect([other, (await ask(other)).status]).toEqual([other, 422]);
}

/** Expects that requests are others than the first, also when their documents are known. */
async function expectOthers(first: Body, others: readonly Body[]): Promise<void> {
  await expectRefused(first, others);
  for (const other of others) {
    key = randomUUID();
    for (let times = 0; times < 3; times += 1) await ask(other);
    expect([other, (await ask(first)).status]).toEqual([other, 422]);
  }
}

const PAYLOAD = '{ wallet { name title } clientMutationId }';
const CREATE = `mutation ($input: CreateWalletInput!) { createWallet(input: $input) ${PAYLOAD} }`;
const UPDATE = `mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) ${PAYLOAD} }`;
const NEW = { title: 'New', network: 'NETWORK_ETHEREUM' };

describe('a request of GraphQL is repeated, and executed once,', () => {
  test('with other white space, commas, comments, and the name of its operation', async () => {
    const query = CREATE.replace('mutation', 'mutation Create');
    const variables = { input: NEW };
    await expectOne({ query, variables }, [
      { query: query.replaceAll(' ', '\n,'), variables },
      { query: `# Again\n${query}`, variables },
      { query, variables, operationName: 'Create' },
      { query, variables, operationName: null },
      { query, variables: { ...variables, unknown: 1 }, extensions: {} },
      { query: `query Other { viewer { name } } ${query}`, variables, operationName: 'Create' },
    ]);
    expect(await rowsOf(gateway.database, 'wallet', tenant.account)).toHaveLength(2);
  });

  test('with null in place of an omitted value, where both mean the same, and fields in another order', async () => {
    const { network, title } = NEW;
    await expectOne({ query: CREATE, variables: { input: NEW } }, [
      { query: CREATE, variables: { input: { network, title } } },
      { query: CREATE, variables: { input: { ...NEW, description: null, project: null, password: null } } },
      { query: CREATE, variables: { input: { ...NEW, clientMutationId: null } } },
    ]);
  });

  test('with a ULID in lower case, and another spelling of a network', async () => {
    const name = tenant.wallet;
    const of = (input: object) => ({ query: UPDATE, variables: { input } });
    await expectOne(of({ name, project: tenant.project, network: 'NETWORK_ETHEREUM_RINKEBY' }), [
      of({ name: inLowerCase(name), project: tenant.project, network: 'NETWORK_ETHEREUM_RINKEBY' }),
      of({ network: 'NETWORK_ETHEREUM_RINKERBY', name, project: inLowerCase(tenant.project) }),
    ]);
  });

  test('with the input in the document, in variables, or by the default of a variable', async () => {
    const { title } = NEW;
    const parts = 'title: $title, network: NETWORK_ETHEREUM';
    const mutation = (variables: string, input: string) =>
      `mutation ${variables} { createWallet(input: ${input}) ${PAYLOAD} }`;
    await expectOne({ query: CREATE, variables: { input: NEW } }, [
      { query: CREATE.replaceAll('$input', '$other'), variables: { other: NEW } },
      { query: mutation('', `{ network: NETWORK_ETHEREUM, title: "${title}" }`) },
      { query: mutation('($title: String!)', `{ ${parts} }`), variables: { title } },
      { query: mutation(`($title: String = "${title}")`, `{ ${parts} }`) },
      {
        query: mutation(
          '($title: String!, $about: String)',
          `{ ${parts}, description: $about, password: $about }`,
        ),
        variables: { title, about: null },
      },
    ]);
  });

  test('with its fragments in another order, and beside an operation with fragments of its own', async () => {
    const operation =
      'mutation Create($input: CreateWalletInput!) { createWallet(input: $input) { ...A clientMutationId } }';
    const a = 'fragment A on CreateWalletPayload { wallet { name ...B } }';
    const b = 'fragment B on Wallet { title }';
    const other = 'query Other { viewer { ...C } } fragment C on Viewer { name }';
    const variables = { input: NEW };
    await expectOne({ query: `${operation} ${a} ${b}`, variables }, [
      { query: `${b} ${a} ${operation}`, variables },
      { query: `${other} ${b} ${operation} ${a}`, variables, operationName: 'Create' },
    ]);
  });

  test('with null in place of an omitted argument of the payload', async () => {
    const query = `mutation ($input: UpdateWalletInput!, $first: Int) {
      updateWallet(input: $input) { wallet { project { wallets(first: $first) { nodes { title } } } } }
    }`;
    const input = { name: tenant.wallet, title: 'New' };
    const first = { query, variables: { input } };
    await expectOne(first, [{ query, variables: { input, first: null } }]);
    // With a default, they would be two requests.
    const types = Object.values(createSchema().getTypeMap()).filter(({ name }) => !name.startsWith('__'));
    const fields = types.flatMap((type) => ('getFields' in type ? Object.values(type.getFields()) : []));
    const args = fields.flatMap((field) => ('args' in field ? field.args : []));
    expect(args.filter(({ defaultValue }) => defaultValue !== undefined)).toEqual([]);
  });
});

describe('a request of GraphQL is refused with the key of another one', () => {
  test('whose input differs, or is invalid', async () => {
    const of = (input: object) => ({ query: UPDATE, variables: { input } });
    const input = { name: tenant.wallet, title: 'New', clientMutationId: 'a' };
    const { clientMutationId: _, ...without } = input;
    const others = [
      { ...input, title: 'new' },
      { ...input, description: '' },
      { ...input, clientMutationId: 'b' },
      { ...input, ifMatch: 'x' },
      { ...input, password: 'p'.repeat(32) },
      { ...input, title: null },
      without,
    ];
    await expectRefused(of(input), others.map(of));
  });

  test('that asks for other fields, under other names, or under conditions', async () => {
    const variables = { input: { name: tenant.wallet, title: 'New' } };
    const withIf = (condition: string) => UPDATE.replace('title }', `title ${condition} }`);
    await expectOthers({ query: UPDATE, variables }, [
      { query: UPDATE.replace('title }', '}'), variables },
      { query: UPDATE.replace('title }', 'other: title }'), variables },
      { query: UPDATE.replace('updateWallet', 'other: updateWallet'), variables },
      { query: UPDATE.replace('name title', 'title name'), variables },
      { query: withIf('@skip(if: true)'), variables },
      { query: withIf('@include(if: true)'), variables },
    ]);
  });

  test('whose variables of conditions, of defaults and of the payload have other values', async () => {
    const query = `mutation ($input: UpdateWalletInput!, $all: Boolean = true, $first: Int = 2) {
      updateWallet(input: $input) @include(if: $all) {
        wallet { ...W project { wallets(first: $first) { nodes { title } } } }
      }
    } fragment W on Wallet { title @skip(if: $all) }`;
    const variables = { input: { name: tenant.wallet, title: 'New' } };
    const first = { query, variables: { ...variables, all: true, first: 2 } };
    await expectOne(first, [{ query, variables }]);
    await expectRefused(first, [
      { query, variables: { ...variables, all: false } },
      { query, variables: { ...variables, first: 3 } },
      { query, variables: { ...variables, first: null } },
      { query: query.replace('= 2', '= 3'), variables },
      { query: query.replace('= true', '= false'), variables },
    ]);
  });

  test('that is another operation of the document, or has other mutations, or in another order', async () => {
    const mutation = (name: string, ...titles: readonly string[]) =>
      `mutation ${name} {${titles.map((title, n) => ` m${n}: updateWallet(input: { name: "${tenant.wallet}", title: "${title}" }) ${PAYLOAD}`)} }`;
    const [a, b] = [mutation('A', 'x', 'y'), mutation('B', 'y', 'x')];
    const first = { query: `${a} ${b}`, operationName: 'A' };
    await expectOne(first, [{ query: a }]);
    await expectRefused(first, [
      { ...first, operationName: 'B' },
      { query: mutation('A', 'y', 'x') },
      { query: mutation('A', 'x') },
      { query: mutation('A', 'x', 'y', 'y') },
      { query: a.replace('m0', 'm2') },
    ]);
  });

  test('in whose fragments something differs', async () => {
    const fragment = (fields: string, condition = '') =>
      `mutation ($input: UpdateWalletInput!) { ...M } fragment M on Mutation {
        updateWallet(input: $input) { wallet { ...W ${condition} } }
      } fragment W on Wallet { ${fields} }`;
    const variables = { input: { name: tenant.wallet, title: 'New' } };
    const first = { query: fragment('title'), variables };
    await expectOne(first, [{ query: fragment(' title '), variables }]);
    await expectRefused(first, [
      { query: fragment('name'), variables },
      { query: fragment('title name'), variables },
      { query: fragment('title', '@skip(if: true) name'), variables },
      { query: fragment('title').replaceAll('W ', 'V '), variables },
      { ...first, variables: { input: { ...variables.input, title: 'Other' } } },
    ]);
  });
});
