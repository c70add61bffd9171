import { beforeAll, describe, expect, test } from 'vitest';
import { graphqlBody, MISSING_APP, MISSING_WALLET, PASSWORD, ULID } from '../support/actors.ts';
import { bothApis, graphqlApi, restApi, send } from '../support/apis.ts';
import { textOf } from '../support/engine.ts';
import { useGateway, useTenant } from '../support/gateway.ts';
import { expectInvalid } from '../support/refusal.ts';

// Each validator has unit tests, and `test/contracts/openapi.test.ts` sends each field of REST values around its bounds. These
// tests show that each operation of both APIs applies the right one, and changes nothing.

const ASSIGNED = "The address of a wallet is assigned by the service. A client can't set it.";

type Case = readonly [field: string, description: string, value: unknown];

const CREATE_APP: readonly Case[] = [
  ['title', 'missing', undefined],
  ['title', '201 emoji', '🦊'.repeat(201)],
  ['title', 'a list', ['App']],
  ['active', 'null', null],
  ['active', 'a string with a semicolon', 'yes; no'],
  ['privateKey', 'not an input', 'text'],
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

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  test.each(CREATE_APP)('createApp is refused if %s is %s, and changes nothing', async (field, _, value) => {
    const input = { title: 'App', active: true, [field]: value };
    expectInvalid(api, await api.createApp(tenant.token, input), [field]);
    await expectUnchanged();
  });

  test.each(SIGN_IN)('signIn is refused if %s is %s', async (field, _, value) => {
    const input = { name: MISSING_APP, privateKey: 'key', [field]: value };
    expectInvalid(api, await api.signIn(tenant.token, input), [field]);
  });

  test.each(UPDATE_WALLET)(
    'updateWallet is refused if %s is %s, and changes nothing',
    async (field, _, value) => {
      const input = { title: 'Renamed', description: 'Changed', [field]: value };
      expectInvalid(api, await api.updateWallet(tenant.token, wallet, input), [field]);
      await expectUnchanged();
    },
  );

  test.each(WALLET_NAMES)('updateWallet is refused if the name is %s', async (_, name) => {
    expectInvalid(api, await api.updateWallet(tenant.token, name, {}), ['name']);
  });

  test('the error of an address says that the service assigns it', async () => {
    const { response } = await api.updateWallet(tenant.token, wallet, { address: `0x${'a'.repeat(40)}` });
    expect(response.text).toContain(ASSIGNED);
  });

  test('an error names all fields at fault', async () => {
    const input = { title: '', description: '\0', project: 'projects/', password: 'short' };
    expectInvalid(api, await api.updateWallet(tenant.token, wallet, input), Object.keys(input));
    await expectUnchanged();
  });
});

test('by GraphQL, an address in the document says that the service assigns it', async () => {
  const update = `mutation { updateWallet(input: { name: "${wallet}", address: "0x" }) { clientMutationId } }`;
  expect((await graphqlBody(gateway.url, tenant.token, update)).errors).toMatchObject([
    { message: ASSIGNED },
  ]);
});

describe('by REST alone', () => {
  const api = restApi(() => gateway.url);

  test('an error names all fields that are missing or unknown', async () => {
    expectInvalid(api, await api.createApp(tenant.token, {}), ['title', 'active']);
    const unknown = { title: 'App', active: true, foo: 1, bar: 2 };
    expectInvalid(api, await api.createApp(tenant.token, unknown), ['foo', 'bar']);
  });

  test('project is not a field of createApp', async () => {
    const input = { title: 'App', active: true, project: tenant.projects[0] };
    expectInvalid(api, await api.createApp(tenant.token, input), ['project']);
    await expectUnchanged();
  });

  test('name is not a field of the body of updateWallet', async () => {
    for (const name of [wallet, MISSING_WALLET]) {
      const outcome = await api.updateWallet(tenant.token, wallet, { title: 'Renamed', name });
      expectInvalid(api, outcome, ['name']);
    }
    await expectUnchanged();
  });

  test.each<[string, object, string[]]>([
    ['text as privateKey', { privateKey: 'key' }, ['privateKey']],
    ['an empty privateKey', { privateKey: {} }, ['privateKey.name', 'privateKey.privateKey']],
    ['the fields at the top level', { name: MISSING_APP, privateKey: 'key' }, ['name']],
  ])('signIn with %s is refused with the field names of the request', async (_, body, fields) => {
    const { status, text } = await send(
      `${gateway.url}/auth/accounts:signinIdentity`,
      'POST',
      tenant.token,
      body,
    );
    const [, badRequest] = JSON.parse(text).error.details;
    expect(status).toBe(400);
    expect(badRequest.fieldViolations.map(({ field }: { field: string }) => field)).toEqual(fields);
  });
});

describe('by GraphQL alone', () => {
  const api = graphqlApi(() => gateway.url);

  test.each([
    ['not a name', 'project'],
    ['empty', ''],
    ['a number', 5],
    ['the name of a wallet', MISSING_WALLET],
  ])('createApp is refused if project is %s, and changes nothing', async (_, project) => {
    const input = { title: 'App', active: true, project };
    expectInvalid(api, await api.createApp(tenant.token, input), ['project']);
    await expectUnchanged();
  });

  test.each([
    ['NUL', 'a\0b'],
    ['a lone surrogate', 'a\ud83e'],
  ])(
    'every mutation is refused if clientMutationId has %s, and changes nothing',
    async (_, clientMutationId) => {
      const outcomes = [
        await api.createApp(tenant.token, { title: 'App', active: true, clientMutationId }),
        await api.signIn(tenant.token, { name: MISSING_APP, privateKey: 'key', clientMutationId }),
        await api.updateWallet(tenant.token, wallet, { password: PASSWORD, clientMutationId }),
      ];
      for (const outcome of outcomes) expectInvalid(api, outcome, ['clientMutationId']);
      await expectUnchanged();
    },
  );

  test('updateWallet is refused if the name is null', async () => {
    expectInvalid(api, await api.updateWallet(tenant.token, wallet, { name: null }), ['name']);
  });
});
