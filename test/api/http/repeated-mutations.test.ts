import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { RepeatedMutations } from '../../../src/graphql/fast-path/repeated-mutations.ts';
import { mutationDocument, postGraphql } from '../../support/both-apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import {
  accountToken,
  expiredToken,
  graphqlBody,
  MISSING_WALLET,
  withoutRequestId,
} from '../../support/requests.ts';
import { setRow } from '../../support/rows.ts';

const gateway = useGateway();
let tenant: Tenant;
let count = 0;

const UPDATE = mutationDocument('updateWallet', 'wallet { title createTime }');

beforeEach(async () => {
  tenant = await seedTenant(gateway, { wallets: 1 });
});

type Sent = {
  readonly document?: string;
  readonly variables: object;
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Counts the mutations of a test that are executed without Apollo Server. */
function countRepeated(): () => Promise<number> {
  const execute = vi.spyOn(RepeatedMutations.prototype, 'execute');
  onTestFinished(() => execute.mockRestore());
  return async () => {
    const executions = await Promise.all(execute.mock.results.map(({ value }) => value));
    return executions.filter((execution) => execution !== undefined).length;
  };
}

const send = ({ document = UPDATE, variables, headers = {}, ...by }: Sent) =>
  postGraphql(gateway.url, 'token' in by ? by.token : tenant.token, document, variables, headers);

/** Sends a mutation until it is executed without Apollo Server. */
async function repeat(sent: Sent): Promise<void> {
  for (let times = 0; times < 3; times += 1) expect((await send(sent)).status).toBe(200);
}

const valid = (title = 'Title') => ({ input: { name: tenant.wallet, title } });

describe.each(['application/json', 'application/graphql-response+json'])('as %s', (accept) => {
  test.each<[string, () => Sent | Promise<Sent>]>([
    ['a value of a wrong type', () => ({ variables: { input: { name: 1 } } })],
    ['an unknown field', () => ({ variables: { input: { name: tenant.wallet, other: 1 } } })],
    ['a missing variable', () => ({ variables: {} })],
    ['an invalid value', () => ({ variables: valid('') })],
    ['a wallet that does not exist', () => ({ variables: { input: { name: MISSING_WALLET } } })],
    [
      'an etag that has changed',
      () => ({ variables: { input: { name: tenant.wallet, ifMatch: MISSING_WALLET.slice(8) } } }),
    ],
    ['no token', () => ({ variables: valid(), token: undefined })],
    [
      'a token that has ended',
      async () => ({ variables: valid(), token: await expiredToken(gateway, tenant) }),
    ],
    [
      'a token that may only read',
      async () => ({ variables: valid(), token: await accountToken(gateway, tenant, { readOnly: true }) }),
    ],
    ['an invalid key', () => ({ variables: valid(), headers: { 'idempotency-key': '' } })],
    [
      'an invalid value with a key',
      () => ({ variables: valid(''), headers: { 'idempotency-key': randomUUID() } }),
    ],
    [
      'null for a variable with a default value',
      () => ({
        document: `mutation ($name: ResourceName = "${tenant.wallet}") { updateWallet(input: { name: $name }) { wallet { title } } }`,
        variables: { name: null },
      }),
    ],
    [
      'a page size that is too large for the response',
      () => ({
        document: `mutation ($input: UpdateWalletInput!, $n: Int) { updateWallet(input: $input) { wallet {
          project { wallets(first: $n) { nodes { project { wallets(first: $n) { nodes { id } } } } } } } } }`,
        variables: { ...valid(), n: 100 },
      }),
    ],
  ])('the response of a repeated mutation to %s is that of Apollo Server, byte for byte', async (_, sent) => {
    const { document = UPDATE, ...request } = await sent();
    const refused = { ...request, headers: { ...request.headers, accept } };
    await repeat({ document, variables: { ...valid(), name: tenant.wallet, n: 1 } });
    count += 1;
    // A different document is new to the gateway.
    const first = await send({ ...refused, document: `${document}\n# ${count}` });
    expect(JSON.parse(first.text)).toHaveProperty('errors');
    expect(withoutRequestId(await send({ ...refused, document }))).toEqual(withoutRequestId(first));
  });
});

/** Returns the number of updates in the audit of the account. */
async function updates(): Promise<number> {
  const { data } = await graphqlBody(gateway.url, tenant.token, '{ events { nodes { count } } }');
  return data.events.nodes.reduce((sum: number, event: { count: number }) => sum + event.count, 0);
}

test('a mutation whose result has an error is executed once', async () => {
  await repeat({ variables: valid() });
  // The time is outside the range of Date.
  await setRow(gateway.database, tenant.wallet, { create_time_ms: 9e15 });
  const before = await updates();
  const repeated = countRepeated();
  const { errors } = JSON.parse((await send({ variables: valid('New') })).text);
  expect(errors).toMatchObject([{ path: ['updateWallet', 'wallet', 'createTime'] }]);
  expect(await repeated()).toBe(1);
  expect(await updates()).toBe(before + 1);
});

test('several mutations of a repeated document count for the rate limit', async () => {
  const document =
    'mutation ($a: UpdateWalletInput!) { a: updateWallet(input: $a) { clientMutationId } b: updateWallet(input: $a) { clientMutationId } }';
  const variables = { a: valid().input };
  await repeat({ document, variables });
  const remaining = async () =>
    Number(/r=(\d+)/.exec((await send({ document, variables })).headers.get('ratelimit') ?? '')?.[1]);
  const repeated = countRepeated();
  expect((await remaining()) - (await remaining())).toBe(2);
  expect(await repeated()).toBe(2);
});
