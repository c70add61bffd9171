import { expect, test } from 'vitest';
import { deleteAllAddresses } from '../../../src/operator/delete-addresses.ts';
import { findRowProblems } from '../../../src/storage/jobs/verify-rows.ts';
import { findFewestAddresses } from '../../../src/storage/tables/addresses.ts';
import { graphqlApi } from '../../support/both-apis.ts';
import { NETWORK, seedTenant, testGateway, useGateway } from '../../support/gateway.ts';
import { accountToken, mutate, payloadOf, tokenNameOf, tokenStatus } from '../../support/requests.ts';
import { eventsOf, rowsOf } from '../../support/rows.ts';

const gateway = useGateway();
const other = useGateway({}, gateway);

test('a token ends with its maker on distributed tables', async () => {
  const tenant = await seedTenant(gateway);
  const maker = await accountToken(gateway, tenant);
  const { accessToken } = await payloadOf(gateway.url, maker, 'createToken', { title: 'A' }, 'accessToken');
  const api = graphqlApi(() => gateway.url);
  expect(await tokenStatus(api, accessToken)).toBe('ok');
  await mutate(gateway.url, tenant.token, 'revokeToken', { id: tokenNameOf(maker) });
  expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
});

test('the fewest addresses that an account has left are found on all nodes', async () => {
  for (const addresses of [7, 3, 5]) await seedTenant(gateway, { addresses });
  const fewest = await findFewestAddresses(gateway.database);
  expect(fewest.get(NETWORK)).toBeLessThanOrEqual(3);
});

test('an address that is left in accounts of several nodes is found, and deleted in all of them', async () => {
  const { operator, database } = await testGateway();
  for (let n = 0; n < 8; n += 1) await seedTenant({ operator }, { addresses: 2 });
  const problems = () => findRowProblems(database);
  expect((await problems()).count).toBe(16);
  expect(await deleteAllAddresses(operator, {})).toBe(16);
  expect((await problems()).count).toBe(0);
});

test.each([
  ['createWallet', 'wallet', { network: NETWORK }],
  ['createProject', 'project', {}],
] as const)(
  'of 40 calls of %s with one reference on two instances, one creates something',
  async (name, kind, fields) => {
    const tenant = await seedTenant(gateway, { addresses: 50 });
    const before = (await eventsOf(gateway.database, tenant.account)).length;
    const input = { title: 'Till', reference: 'till', ...fields };
    const creations = Array.from({ length: 40 }, (_, n) =>
      payloadOf(([gateway, other][n % 2] ?? gateway).url, tenant.token, name, input, `${kind} { id } isNew`),
    );
    const payloads = await Promise.all(creations);
    expect(payloads.filter(({ isNew }) => isNew)).toHaveLength(1);
    expect(payloads.map((payload) => payload[kind])).toEqual(Array(40).fill(payloads[0][kind]));
    expect(await eventsOf(gateway.database, tenant.account)).toHaveLength(before + 1);
    expect(await rowsOf(gateway.database, 'address', tenant.account)).toHaveLength(
      kind === 'wallet' ? 49 : 50,
    );
  },
);
