import { describe, expect, test } from 'vitest';
import { importAccount } from '../../src/operator/import-account.ts';
import { registerWallet } from '../../src/operator/register-wallet.ts';
import { addAddresses } from '../../src/operator/supply-addresses.ts';
import { mutationDocument, postGraphql } from '../support/both-apis.ts';
import { addressLines, addressOf, NETWORK, seedTenant, type Tenant, useGateway } from '../support/gateway.ts';
import { accountToken, graphqlBody, PASSWORD, payloadOf, projectToken } from '../support/requests.ts';
import { contentsOf, eventsOf, rowOf, rowsOf } from '../support/rows.ts';

const gateway = useGateway();
const other = useGateway({}, gateway);

const FIELDS = 'name title description network address password createTime project { name }';

/** Creates a wallet, and returns it, or the extensions of the error. */
async function create({ token }: Pick<Tenant, 'token'>, fields: object = {}, { url } = gateway) {
  const input = { title: 'Till', network: NETWORK, ...fields };
  const payload = await payloadOf(url, token, 'createWallet', input, `wallet { ${FIELDS} }`);
  return payload.wallet ?? payload;
}

const supply = ({ account }: Tenant, count: number, start: number, network = NETWORK) =>
  addAddresses(gateway.operator, { account, network }, addressLines(count, start));

/** Returns the numbers of the addresses of wallets, in the order of their creation. */
async function assigned({ account }: Tenant): Promise<readonly number[]> {
  return (await rowsOf(gateway.database, 'wallet', account)).map(({ address }) => Number(address));
}

/** Returns how many addresses are left for the network of the wallets. */
async function left({ token }: Pick<Tenant, 'token'>): Promise<number | undefined> {
  const { data } = await graphqlBody(gateway.url, token, '{ viewer { addressesLeft { network count } } }');
  expect(data.viewer.addressesLeft).toHaveLength(6);
  return data.viewer.addressesLeft.find(({ network }: { network: string }) => network === NETWORK).count;
}

test('a wallet gets the address that was supplied first for its account and its network', async () => {
  const tenant = await seedTenant(gateway, { projects: 2 });
  await supply(await seedTenant(gateway), 1, 1);
  await supply(tenant, 1, 2, 'NETWORK_POLYGON');
  await supply(tenant, 2, 30);
  await supply(tenant, 2, 20);
  expect(await left(tenant)).toBe(4);
  const [, project] = tenant.projects;
  const wallet = await create(tenant, { description: 'Cash', project, password: PASSWORD });
  expect(wallet).toEqual({
    name: expect.stringMatching(/^wallets\/\w{26}$/),
    title: 'Till',
    description: 'Cash',
    network: NETWORK,
    address: expect.stringMatching(/^0x0{38}1[eE]$/),
    password: '',
    createTime: new Date(gateway.clock()).toISOString(),
    project: { name: project },
  });
  expect((await rowOf(gateway.database, wallet.name))['password_hash']).toMatch(/^\$argon2id\$/);
  for (let n = 0; n < 3; n += 1) {
    expect(await create(tenant)).toMatchObject({ description: '', project: { name: tenant.project } });
  }
  expect(await create(tenant, { network: 'NETWORK_POLYGON' })).toMatchObject({ address: addressOf(2) });
  expect(await assigned(tenant)).toEqual([30, 31, 20, 21, 2]);
  expect(await left(tenant)).toBe(0);
  const events = await eventsOf(gateway.database, tenant.account);
  expect(events.filter((event) => 'action' in event && event.action === 'wallet.create')).toHaveLength(5);
});

test('concurrent creations on two instances get each address once, and then NO_ADDRESS_LEFT', async () => {
  const tenant = await seedTenant(gateway, { projects: 2 });
  await supply(tenant, 30, 1);
  const tokens = [tenant.token, await accountToken(gateway, tenant), await projectToken(gateway, tenant)];
  const creations = Array.from({ length: 40 }, (_, n) =>
    create({ token: tokens[n % 3] ?? '' }, {}, [gateway, other][n % 2]),
  );
  const results = await Promise.all(creations);
  const addresses = results.flatMap(({ address }) => address ?? []);
  expect(addresses.map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 30 }, (_, n) => n + 1));
  const refusals = results.filter(({ address }) => address === undefined);
  expect(refusals).toHaveLength(10);
  for (const refusal of refusals) {
    expect(refusal).toMatchObject({ status: 'FAILED_PRECONDITION', reason: 'NO_ADDRESS_LEFT' });
  }
  expect(await left(tenant)).toBe(0);
});

test('creations beside additions get each address once, and no creation is refused while one is left', async () => {
  const tenant = await seedTenant(gateway, { addresses: 20 });
  const additions = (async () => {
    for (let n = 1; n <= 5; n += 1) await supply(tenant, 4, n * 100);
  })();
  const creations = Array.from({ length: 20 }, (_, n) => create(tenant, {}, [gateway, other][n % 2]));
  for (const wallet of await Promise.all(creations)) expect(wallet).toHaveProperty('address');
  await additions;
  expect(new Set(await assigned(tenant)).size).toBe(20);
  expect(await left(tenant)).toBe(20);
});

describe('without an address', () => {
  test.each([{}, { password: PASSWORD }, { 'idempotency-key': 'none' }])(
    'nothing is created, also with %j, and the refusal is an event',
    async (fields: { password?: string; 'idempotency-key'?: string }) => {
      const tenant = await seedTenant(gateway);
      const before = await contentsOf(gateway.database, gateway.clock());
      const { password, ...headers } = fields;
      const variables = { input: { title: 'Till', network: NETWORK, password } };
      const document = mutationDocument('createWallet', 'wallet { id }');
      const refused = await postGraphql(gateway.url, tenant.token, document, variables, headers);
      expect(refused.headers.has('retry-after')).toBe(false);
      expect(JSON.parse(refused.text).errors[0].extensions).toMatchObject({
        code: 'FAILED_PRECONDITION',
        status: 'FAILED_PRECONDITION',
        reason: 'NO_ADDRESS_LEFT',
      });
      expect(await contentsOf(gateway.database, gateway.clock())).toEqual(before);
      const events = await eventsOf(gateway.database, tenant.account);
      const refusal = { action: 'wallet.refuse', resource: tenant.project, count: 1 };
      expect(events).toContainEqual(expect.objectContaining(refusal));
    },
  );

  test('a wallet in a project that does not exist is refused for the project, and takes no address', async () => {
    const tenant = await seedTenant(gateway, { addresses: 1 });
    const { project } = await seedTenant(gateway);
    for (const password of [undefined, PASSWORD]) {
      expect(await create(tenant, { project, password })).toMatchObject({
        fieldViolations: [{ field: 'project' }],
      });
    }
    expect(await left(tenant)).toBe(1);
  });
});

test('a keyed creation that is repeated is one wallet, and one that is undone takes no address', async () => {
  const tenant = await seedTenant(gateway, { addresses: 3 });
  const document = mutationDocument('createWallet', 'wallet { address }');
  const variables = { input: { title: 'Till', network: NETWORK } };
  const send = () =>
    postGraphql(gateway.url, tenant.token, document, variables, { 'idempotency-key': 'till' });
  const [first, again] = [await send(), await send()];
  expect(again.text).toBe(first.text);
  expect(await left(tenant)).toBe(2);
  const twice = `mutation {
    good: createWallet(input: { title: "Till", network: ${NETWORK} }) { wallet { id } }
    bad: createWallet(input: { title: "", network: ${NETWORK} }) { wallet { id } }
  }`;
  await postGraphql(gateway.url, tenant.token, twice, {}, { 'idempotency-key': 'twice' });
  expect(await left(tenant)).toBe(2);
  expect(await assigned(tenant)).toHaveLength(1);
});

test.each([
  [
    'registers',
    (fields: object, { project }: Tenant) => registerWallet(gateway.operator, { project, ...fields }),
  ],
  [
    'imports',
    (fields: object, { account, project }: Tenant) => {
      const line = JSON.stringify({ type: 'wallet', project, ...fields });
      return importAccount(gateway.operator, { account }, oneLine(line), () => {});
    },
  ],
])('no wallet gets an address with which the operator %s one', async (_, make) => {
  const tenant = await seedTenant(gateway);
  await supply(tenant, 2, 1);
  await make({ title: 'Vault', network: 'NETWORK_POLYGON', address: addressOf(1) }, tenant);
  expect(await left(tenant)).toBe(1);
  expect(await create(tenant)).toMatchObject({ address: addressOf(2) });
});

async function* oneLine(line: string): AsyncGenerator<string> {
  yield line;
}
