import { beforeAll, describe, expect, test } from 'vitest';
import { bothApis, graphqlOutcome, send } from '../../support/both-apis.ts';
import { textOf } from '../../support/engine.ts';
import { useGateway, useTenant } from '../../support/gateway.ts';
import { documentOf, inputOf, MUTATION_NAMES, type MutationName } from '../../support/mutations.ts';
import { expectInvalid } from '../../support/refusal.ts';
import {
  type AppKey,
  createApp,
  graphqlBody,
  keyOf,
  MISSING_APP,
  MISSING_WALLET,
  ULID,
} from '../../support/requests.ts';

// `test/api/contracts/openapi.test.ts` sends each field of REST values around its bounds. These
// tests show that each operation of GraphQL applies the right one, and that a refused request of both APIs changes nothing.

const ASSIGNED = "The address of a wallet is assigned by the service. A client can't set it.";

/** A field of a mutation, a description of a value, and the value; it is put in place of that of a valid input. */
type Case = readonly [field: string, description: string, value: unknown];

const LONG = 'a'.repeat(2001);

const CASES: Readonly<Partial<Record<MutationName, readonly Case[]>>> = {
  createApp: [
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
  ],
  updateApp: [
    ['title', 'empty', ''],
    ['title', 'null', null],
    ['active', 'null', null],
    ['name', 'not a ULID', 'apps/x'],
    ['privateKey', 'not an input', 'text'],
  ],
  rotateAppKey: [
    ['gracePeriod', 'negative', -1],
    ['gracePeriod', 'more than a week', 604_801],
  ],
  signIn: [
    ['name', 'missing', undefined],
    ['name', 'the name of a wallet', `wallets/${ULID}`],
    ['privateKey', 'a number', 5],
    ['privateKey', 'text with NUL', 'paw_key_\0'],
  ],
  createProject: [
    ['title', 'empty', ''],
    ['title', 'text with NUL', 'x\0'],
    ['description', '2,001 characters', LONG],
  ],
  updateProject: [
    ['title', 'empty', ''],
    ['title', 'null', null],
    ['description', 'null', null],
    ['ifMatch', 'empty', ''],
  ],
  createWallet: [
    ['title', 'empty', ''],
    ['network', 'missing', undefined],
    ['description', '2,001 characters', LONG],
    ['password', 'short', 'short'],
    ['project', 'not a ULID', 'projects/1'],
  ],
  updateWallet: [
    ...['title', 'description', 'project', 'network', 'password'].map((field): Case => [field, 'null', null]),
    ['title', 'empty', ''],
    ['description', '2,001 characters', LONG],
    ['password', '31 characters', 'a'.repeat(31)],
    ['network', 'text with the path of another field', 'x" at "input.title"; y'],
    ['project', 'a lone surrogate', `projects/${ULID.slice(1)}\ud83e`],
    ['address', 'not an input', '0x0000000000000000000000000000000000000002'],
    ['foo', 'unknown', 'text'],
    ['name', 'null', null],
  ],
  createToken: [
    ['title', 'empty', ''],
    ['title', '201 characters', 'x'.repeat(201)],
    ['expireTime', 'in the past', new Date(1).toISOString()],
    ['expireTime', 'not a time', 'tomorrow'],
    ['project', 'not a ULID', 'projects/1'],
  ],
  revokeToken: [
    ['id', 'empty', ''],
    ['id', 'without a ULID', 'tokens/'],
    ['id', 'the name of an app', MISSING_APP],
  ],
};

/** The texts that no field takes. */
const CLIENT_MUTATION_IDS: readonly Case[] = [
  ['clientMutationId', 'text with NUL', 'NUL \0'],
  ['clientMutationId', 'a lone surrogate', '\ud83e'],
  ['clientMutationId', '2,001 characters', LONG],
];

const MUTATION_CASES = MUTATION_NAMES.flatMap((mutation) =>
  [...(CASES[mutation] ?? []), ...CLIENT_MUTATION_IDS].map((each) => [mutation, ...each] as const),
);

const WALLET_NAMES = [
  ['empty', ''],
  ['a ULID alone', ULID],
  ['a name with two slashes', `wallets//${ULID}`],
  ['a name with its slash escaped twice', `wallets%252F${ULID}`],
  ['a name with NUL', `wallets/${ULID}%00`],
] as const;

const gateway = useGateway();
const tenant = useTenant(gateway, { wallets: 1, addresses: 1 });
let wallet: string;
let app: AppKey;
let before: string;

beforeAll(async () => {
  wallet = tenant.wallet;
  app = keyOf(await createApp(graphql, tenant.token));
  before = await textOf(gateway.database);
  gateway.clock.advance(1000);
});

async function expectUnchanged(): Promise<void> {
  expect(await textOf(gateway.database)).toBe(before);
}

const [graphql, rest] = bothApis(() => gateway.url);

describe('by GraphQL', () => {
  test.each(MUTATION_CASES)(
    '%s is refused if %s is %s, and changes nothing',
    async (mutation, field, _, value) => {
      const { token, project } = tenant;
      const input = { ...inputOf(mutation, { app, project, wallet, token }), [field]: value };
      const document = documentOf(mutation);
      const outcome = await graphqlOutcome(gateway.url, token, document, { input }, (data) => data);
      expectInvalid(graphql, outcome, [field]);
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
  await expectUnchanged();
});

const NO_OBJECT = 'Must be an object with the fields name and privateKey.';

test.each([
  ['without a field', {}, { field: 'privateKey', description: 'Required.' }],
  ['with a text', { privateKey: 'key' }, { field: 'privateKey', description: NO_OBJECT }],
  [
    'with its fields',
    { name: MISSING_APP, privateKey: 'key' },
    { field: 'privateKey', description: NO_OBJECT },
  ],
  ['with an empty object', { privateKey: {} }, { field: 'privateKey.name', description: 'Required.' }],
])(
  'by REST, the error of a sign-in %s in place of the object names what is missing',
  async (_, body, first) => {
    const signIn = `${gateway.url}/auth/accounts:signinIdentity`;
    const { status, text } = await send(signIn, 'POST', tenant.token, body);
    expect([status, JSON.parse(text).error.details[1].fieldViolations[0]]).toEqual([400, first]);
    await expectUnchanged();
  },
);

test('by REST, the error of an update with a name says that the path has it', async () => {
  const outcome = await rest.updateWallet(tenant.token, wallet, { name: wallet, title: 'New' });
  expectInvalid(rest, outcome, ['name']);
  expect(outcome.response.text).toContain('the path has the name of the wallet');
  await expectUnchanged();
});
