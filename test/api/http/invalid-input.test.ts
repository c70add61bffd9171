import { beforeAll, describe, expect, test } from 'vitest';
import { bothApis, send } from '../../support/both-apis.ts';
import { textOf } from '../../support/engine.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { expectInvalid } from '../../support/refusal.ts';
import { graphqlBody, MISSING_APP, MISSING_WALLET, PASSWORD, ULID } from '../../support/requests.ts';

// `test/api/contracts/openapi.test.ts` sends each field of REST values around its bounds. These
// tests show that each operation of GraphQL applies the right one, and that a refused request of both APIs changes nothing.

const ASSIGNED = "The address of a wallet is assigned by the service. A client can't set it.";

type Case = readonly [field: string, description: string, value: unknown];

const CREATE_APP: readonly Case[] = [
  ['title', 'missing', undefined],
  ['title', '201 emoji', '🦊'.repeat(201)],
  ['title', 'a list', ['App']],
  ['active', 'null', null],
  ['active', 'a string with a semicolon', 'yes; no'],
  ['privateKey', 'not an input', 'text'],
  ['project', 'not a name', 'project'],
  ['project', 'empty', ''],
  ['project', 'a number', 5],
  ['project', 'the name of a wallet', MISSING_WALLET],
];

const SIGN_IN: readonly Case[] = [
  ['name', 'missing', undefined],
  ['name', 'the name of a wallet', `wallets/${ULID}`],
  ['privateKey', 'a number', 5],
  ['privateKey', 'text with NUL', 'paw_key_\0'],
];

const UPDATE_WALLET: readonly Case[] = [
  ...['title', 'description', 'project', 'network', 'password'].map((field): Case => [field, 'null', null]),
  ['title', 'empty', ''],
  ['description', '2,001 characters', 'a'.repeat(2001)],
  ['password', '31 characters', 'a'.repeat(31)],
  ['network', 'text with the path of another field', 'x" at "input.title"; y'],
  ['project', 'a lone surrogate', `projects/${ULID.slice(1)}\ud83e`],
  ['address', 'not an input', '0x0000000000000000000000000000000000000002'],
  ['foo', 'unknown', 'text'],
  ['name', 'null', null],
];

const WALLET_NAMES = [
  ['empty', ''],
  ['a ULID alone', ULID],
  ['a name with two slashes', `wallets//${ULID}`],
  ['a name with its slash escaped twice', `wallets%252F${ULID}`],
  ['a name with NUL', `wallets/${ULID}%00`],
] as const;

const gateway = useGateway();
const tenant = useTenant(gateway, { wallets: 1 });
let wallet: string;
let before: string;

beforeAll(async () => {
  [wallet = ''] = tenant.wallets;
  before = await textOf(gateway.database);
  gateway.clock.advance(1000);
});

async function expectUnchanged(): Promise<void> {
  expect(await textOf(gateway.database)).toBe(before);
}

const [graphql, rest] = bothApis(() => gateway.url);

describe('by GraphQL', () => {
  test.each(CREATE_APP)('createApp is refused if %s is %s, and changes nothing', async (field, _, value) => {
    const input = { title: 'App', active: true, [field]: value };
    expectInvalid(graphql, await graphql.createApp(tenant.token, input), [field]);
    await expectUnchanged();
  });

  test.each(SIGN_IN)('signIn is refused if %s is %s', async (field, _, value) => {
    const input = { name: MISSING_APP, privateKey: 'key', [field]: value };
    expectInvalid(graphql, await graphql.signIn(tenant.token, input), [field]);
  });

  test.each(UPDATE_WALLET)(
    'updateWallet is refused if %s is %s, and changes nothing',
    async (field, _, value) => {
      const input = { title: 'Renamed', description: 'Changed', [field]: value };
      expectInvalid(graphql, await graphql.updateWallet(tenant.token, wallet, input), [field]);
      await expectUnchanged();
    },
  );

  test.each(['NUL \0', 'a lone surrogate \ud83e'])(
    'every mutation is refused if clientMutationId has %j, and changes nothing',
    async (clientMutationId) => {
      const outcomes = [
        await graphql.createApp(tenant.token, { title: 'App', active: true, clientMutationId }),
        await graphql.signIn(tenant.token, { name: MISSING_APP, privateKey: 'key', clientMutationId }),
        await graphql.updateWallet(tenant.token, wallet, { password: PASSWORD, clientMutationId }),
      ];
      for (const outcome of outcomes) expectInvalid(graphql, outcome, ['clientMutationId']);
      await expectUnchanged();
    },
  );

  test('an address in the document says that the service assigns it', async () => {
    const update = `mutation { updateWallet(input: { name: "${wallet}", address: "0x" }) { clientMutationId } }`;
    const { errors } = await graphqlBody(gateway.url, tenant.token, update);
    expect(errors).toMatchObject([{ message: ASSIGNED }]);
  });
});

describe.each([graphql, rest])('by $name', (api) => {
  test.each(WALLET_NAMES)('updateWallet is refused if the name is %s', async (_, name) => {
    expectInvalid(api, await api.updateWallet(tenant.token, name, {}), ['name']);
  });

  test('the error of an address says that the service assigns it', async () => {
    const { response } = await api.updateWallet(tenant.token, wallet, { address: `0x${'a'.repeat(40)}` });
    expect(response.text).toContain(ASSIGNED);
  });

  test('an error names all fields at fault, and nothing is changed', async () => {
    const input = { title: '', description: '\0', project: 'projects/', password: 'short' };
    expectInvalid(api, await api.updateWallet(tenant.token, wallet, input), Object.keys(input));
    await expectUnchanged();
  });
});

test('by REST, an error names all fields that are missing or unknown', async () => {
  expectInvalid(rest, await rest.createApp(tenant.token, {}), ['title', 'active']);
  const unknown = { title: 'App', active: true, foo: 1, bar: 2 };
  expectInvalid(rest, await rest.createApp(tenant.token, unknown), ['foo', 'bar']);
  const signIn = `${gateway.url}/auth/accounts:signinIdentity`;
  const { status, text } = await send(signIn, 'POST', tenant.token, { privateKey: 'key' });
  const violations = [{ field: 'privateKey' }];
  expect([status, JSON.parse(text).error.details[1].fieldViolations]).toMatchObject([400, violations]);
  await expectUnchanged();
});
