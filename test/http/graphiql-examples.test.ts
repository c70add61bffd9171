import { describe, expect, test } from 'vitest';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { type Example, examplesFor, REACH, type Reach } from '../../src/pages/browser/examples.ts';
import { createApp, graphqlBody, keyOf, projectToken } from '../support/actors.ts';
import { graphqlApi } from '../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../support/gateway.ts';

const gateway = useGateway();
const api = graphqlApi(() => gateway.url);

const accountToken = async ({ account }: Tenant, options: object = {}) =>
  (await createAccountToken(gateway.admin, { account, ...options }, 86_400)).accessToken;

const LIST = ['done', 'For the next page, set "after" to the endCursor.'];
const UPDATE = ['done', 'Change the title or the description. An omitted field is unchanged.'];
const CREATE = ['done', 'Only this response contains the private key. The example SignIn gets it, too.'];
const SIGN_IN = [
  'INVALID_CREDENTIALS',
  'Execute CreateApp first. The variables then contain the new app and its private key.',
];
const READ_ONLY = ['READ_ONLY_TOKEN', 'The token may only read. The gateway refuses this mutation.'];

/** Tokens of an account with two projects, of which the first has a wallet. */
const TOKENS = [
  {
    name: 'an account token',
    tokenOf: accountToken,
    outcomes: { UpdateWallet: UPDATE, CreateApp: CREATE, SignIn: SIGN_IN },
  },
  {
    name: 'an account token of the project',
    tokenOf: (tenant: Tenant) => accountToken(tenant, { onlyProject: tenant.projects[0] }),
    outcomes: { UpdateWallet: UPDATE, CreateApp: CREATE, SignIn: SIGN_IN },
  },
  {
    name: 'an account token of the project without a wallet',
    tokenOf: (tenant: Tenant) => accountToken(tenant, { onlyProject: tenant.projects[1] }),
    outcomes: {
      UpdateWallet: ['RESOURCE_NOT_FOUND', 'The token sees no wallet. "paw wallet create" adds one.'],
      CreateApp: CREATE,
      SignIn: SIGN_IN,
    },
  },
  {
    name: 'a token that may only read',
    tokenOf: (tenant: Tenant) => accountToken(tenant, { readOnly: true }),
    outcomes: { UpdateWallet: READ_ONLY, CreateApp: READ_ONLY, SignIn: READ_ONLY },
  },
  {
    name: 'a project token',
    tokenOf: (tenant: Tenant) => projectToken(gateway, tenant),
    outcomes: {
      UpdateWallet: UPDATE,
      CreateApp: ['ACCOUNT_TOKEN_REQUIRED', 'Only an account token can create apps, not this project token.'],
      SignIn: ['INVALID_CREDENTIALS', 'Set "privateKey" to that of the app.'],
    },
  },
];

describe('the examples of GraphiQL', () => {
  test.each(TOKENS)('for $name run unchanged, or say why they do not', async ({ tokenOf, outcomes }) => {
    const tenant = await seedTenant(gateway, { projects: 2, wallets: 1 });
    const token = await tokenOf(tenant);
    const { data: reach } = await graphqlBody(gateway.url, token, REACH);
    expect(await runAll(token, examplesFor(reach))).toEqual({ ListProjects: LIST, ...outcomes });
  });

  test('name a wallet with its title and description, and the project of a new app', async () => {
    const tenant = await seedTenant(gateway, { projects: 2, wallets: 2 });
    const reach: Reach = (await graphqlBody(gateway.url, tenant.token, REACH)).data;
    const [, update, create] = examplesFor(reach).map(({ variables }) => JSON.parse(variables).input);
    expect(update).toEqual({ name: tenant.wallets[0], title: 'Wallet 1', description: 'No. 1' });
    expect(create).toEqual({ title: 'Back office', active: true, project: tenant.projects[0] });
  });

  test('name an app that exists, and sign in with one whose private key is known', async () => {
    const { token } = await seedTenant(gateway);
    const [first, second] = [await createApp(api, token), await createApp(api, token)];
    const { data: reach } = await graphqlBody(gateway.url, token, REACH);
    const [, , , withoutKey] = examplesFor(reach);
    expect(JSON.parse(withoutKey?.variables ?? '').input.name).toBe(first.name);
    const { SignIn } = await runAll(token, examplesFor(reach, keyOf(second)));
    expect(SignIn).toEqual(['done', 'The app that you have created here, with its private key.']);
  });

  test('are valid without a token', async () => {
    const { token } = await seedTenant(gateway);
    expect(await runAll(token, examplesFor())).toEqual({
      ListProjects: LIST,
      UpdateWallet: [
        'RESOURCE_NOT_FOUND',
        'With a bearer token, the variables contain a wallet that it sees.',
      ],
      CreateApp: CREATE,
      SignIn: SIGN_IN,
    });
  });
});

/** Sends each example. Returns its outcome and its comment by the name of its operation. */
async function runAll(token: string, examples: readonly Example[]): Promise<Record<string, string[]>> {
  const entries = examples.map(async ({ query, variables }) => {
    const { errors } = await graphqlBody(gateway.url, token, query, JSON.parse(variables));
    const [, comment = '', name = ''] = /^# (.*)\n(?:query|mutation) (\w+)/.exec(query) ?? [];
    return [name, [errors ? errors[0].extensions.reason : 'done', comment]];
  });
  return Object.fromEntries(await Promise.all(entries));
}
