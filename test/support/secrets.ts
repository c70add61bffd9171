import { expect } from 'vitest';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { type Api, bothApis, type HttpResponse, mutationDocument, type Outcome, send } from './both-apis.ts';
import { type Gateway, NETWORK, seedTenant, type Tenant } from './gateway.ts';
import { graphqlBody, mutate, resultOf } from './requests.ts';

/** The gateway, the account and the app that requests with secrets are sent to. */
type Scene = {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly appName: string;
};

/** The secrets that were used. */
export type Secrets = {
  /** Every secret, by its use. */
  readonly byUse: Readonly<Record<string, string>>;
  /** The hashes that the gateway stores for some of the secrets. */
  readonly hashes: readonly string[];
  /** The uses in invalid requests whose response repeats the secret. */
  readonly repeated: readonly string[];
};

const UPDATE_WALLET = mutationDocument('updateWallet', 'wallet { name }');
const ROTATE_APP_KEY = mutationDocument('rotateAppKey', 'app { privateKey }');

/** Invalid inputs of both APIs, with a secret. */
const INPUTS: readonly (readonly [
  what: string,
  operation: Exclude<keyof Api, 'name'>,
  inputOf: (secret: string, app: string) => object,
])[] = [
  ['a password of 33 characters', 'updateWallet', (secret) => ({ password: `${secret}x` })],
  ['a password in a list', 'updateWallet', (secret) => ({ password: [secret] })],
  ['a password in an object', 'updateWallet', (secret) => ({ password: { value: secret } })],
  ['a password beside an unknown field', 'updateWallet', (secret) => ({ password: secret, pasword: '' })],
  ['a password beside a bad title', 'updateWallet', (secret) => ({ password: secret, title: '' })],
  ['a password beside a title that is no text', 'updateWallet', (secret) => ({ password: secret, title: 7 })],
  ['a secret as an unknown field', 'updateWallet', (secret) => ({ pasword: secret })],
  ['a secret as a network', 'updateWallet', (secret) => ({ network: secret })],
  ['a secret as a project', 'updateWallet', (secret) => ({ project: secret })],
  ['a wrong private key', 'signIn', (privateKey, name) => ({ name, privateKey })],
  ['a private key without a name', 'signIn', (privateKey) => ({ privateKey })],
  ['a private key as the name', 'signIn', (privateKey) => ({ name: privateKey, privateKey })],
  ['a private key in a list', 'signIn', (secret, name) => ({ name, privateKey: [secret] })],
  ['an app with a private key', 'createApp', (privateKey) => ({ title: 'App', active: true, privateKey })],
  ['a secret for true or false', 'createApp', (active) => ({ title: 'App', active })],
  ['a secret as a page token', 'listProjects', (after) => ({ after })],
  ['a secret as a page size', 'listProjects', (first) => ({ first })],
];

/** Invalid bodies of both APIs, with their type if it is not JSON. */
const BODIES: readonly (readonly [what: string, bodyOf: (secret: string) => string, type?: string])[] = [
  ['a body that is cut short', (secret) => `{"password":"${secret}`],
  ['a body that is bare text', (secret) => secret],
  ['a body that is a string', (secret) => JSON.stringify(secret)],
  ['a body of another type', (secret) => secret, 'text/plain'],
];

/** Fields of a document with a secret in place of a password or a network. */
const DOCUMENTS: readonly (readonly [what: string, fieldOf: (secret: string) => string])[] = [
  ['a password in a list of a document', (secret) => `password: ["${secret}"]`],
  ['a password as an object of a document', (secret) => `password: { value: "${secret}" }`],
  ['a password without its quotes', (secret) => `password: ${secret}`],
  ['a password without its last quote', (secret) => `password: "${secret}`],
  ['a network in quotes in a document', (secret) => `network: "${secret}"`],
];

/** A description of an invalid request, and a function that sends it with a secret. */
type Fault = readonly [what: string, ask: (secret: string) => Promise<HttpResponse>];

/** Returns the invalid requests for an API. */
function faultsOf({ gateway, tenant: { token, wallets }, appName }: Scene, api: Api): readonly Fault[] {
  const [wallet = ''] = wallets;
  const inputs = INPUTS.map(([what, operation, inputOf]): Fault => {
    const ask = (input: object): Promise<Outcome<unknown>> =>
      operation === 'updateWallet' ? api.updateWallet(token, wallet, input) : api[operation](token, input);
    return [what, async (secret) => (await ask(inputOf(secret, appName))).response];
  });
  const [method, path] = api.name === 'REST' ? ['PATCH', `/wallet/${wallet}`] : ['POST', '/graphql'];
  const bodies = BODIES.map(([what, bodyOf, type = 'application/json']): Fault => {
    const headers = { 'content-type': type };
    return [what, (secret) => send(gateway.url + path, method, token, bodyOf(secret), headers)];
  });
  const faults: readonly Fault[] = [
    ...inputs,
    ...bodies,
    ['a secret as a wallet', async (secret) => (await api.updateWallet(token, secret, {})).response],
    ['a secret as the token', async (secret) => (await api.listProjects(secret)).response],
    [
      'a secret as the token, twice',
      async (secret) => (await api.listProjects(`${secret} ${secret}`)).response,
    ],
  ];
  return api.name === 'REST' ? faults : [...faults, ...graphqlFaultsOf(`${gateway.url}/graphql`, token)];
}

/** Returns the invalid requests that only GraphQL has. */
function graphqlFaultsOf(url: string, token: string): readonly Fault[] {
  const post = (query: string, variables?: unknown) => send(url, 'POST', token, { query, variables });
  const get = (variables: string) =>
    send(`${url}?${new URLSearchParams({ query: UPDATE_WALLET, variables })}`, 'GET', token);
  const documentWith = (field: string) =>
    `mutation { updateWallet(input: { name: "wallets/x", ${field} }) { wallet { name } } }`;
  return [
    ...DOCUMENTS.map(([what, fieldOf]): Fault => [what, (secret) => post(documentWith(fieldOf(secret)))]),
    ['a secret for all variables', (secret) => post(UPDATE_WALLET, secret)],
    ['a secret for an input', (secret) => post(UPDATE_WALLET, { input: secret })],
    ['a secret in the variables of a GET', (secret) => get(JSON.stringify({ input: { password: secret } }))],
    ['a secret in variables cut short', (secret) => get(`{"input":{"password":"${secret}`)],
  ];
}

/** Uses secrets in valid and invalid requests of both APIs. */
export async function useSecrets(gateway: Gateway): Promise<{ account: string; secrets: Secrets }> {
  const tenant = await seedTenant(gateway, { wallets: 1, addresses: 1 });
  const [wallet = ''] = tenant.wallets;
  const byUse: Record<string, string> = { 'the account token': tenant.token };
  const hashes = [hashCredential(tenant.token)];
  const repeated: string[] = [];
  let appName = '';
  for (const api of bothApis(() => gateway.url)) {
    const app = await resultOf(api.createApp(tenant.token, { title: 'App', active: true }));
    const { name, privateKey } = app;
    appName = name;
    const { accessToken } = await resultOf(api.signIn(tenant.token, { name, privateKey }));
    byUse[`the private key by ${api.name}`] = privateKey;
    byUse[`the project token by ${api.name}`] = accessToken;
    hashes.push(hashCredential(privateKey), hashCredential(accessToken));
    await resultOf(api.listProjects(accessToken));

    const password = newSecret(gateway);
    byUse[`the password by ${api.name}`] = password;
    await resultOf(api.updateWallet(accessToken, wallet, { password }));

    const { newId } = gateway.operator;
    const [wrongKey, wrongToken] = [
      createCredential('key', newId(), newId()),
      createCredential('app', newId(), newId()),
    ];
    byUse[`a private key that was never issued by ${api.name}`] = wrongKey;
    expect((await api.signIn(tenant.token, { name, privateKey: wrongKey })).value).toBeUndefined();
    byUse[`a token that was never issued by ${api.name}`] = wrongToken;
    expect((await api.listProjects(wrongToken)).value).toBeUndefined();

    for (const [what, ask] of faultsOf({ gateway, tenant, appName }, api)) {
      const secret = newSecret(gateway);
      const use = `${what} by ${api.name}`;
      byUse[use] = secret;
      const { status, headers, text } = await ask(secret);
      if ([text, ...headers.values()].some((each) => each.includes(secret))) repeated.push(use);
      expect(status >= 400 || 'errors' in JSON.parse(text), `${what} is refused`).toBe(true);
    }
    byUse[`the password of a failed update by ${api.name}`] = await failInside(gateway, tenant, api);
  }
  const password = newSecret(gateway);
  byUse['the password of a new wallet'] = password;
  const created = { title: 'Till', network: NETWORK, password };
  expect(
    await mutate(gateway.url, tenant.token, 'createWallet', created, 'wallet { password }'),
  ).not.toHaveProperty('errors');
  // The hash of the key before is kept, too.
  const input = { name: appName, gracePeriod: 60 };
  const { data } = await graphqlBody(gateway.url, tenant.token, ROTATE_APP_KEY, { input });
  byUse['a new private key'] = data.rotateAppKey.app.privateKey;
  hashes.push(hashCredential(byUse['a new private key'] ?? ''));
  return { account: tenant.account, secrets: { byUse, hashes, repeated } };
}

/** Returns a unique secret with the length of a password. */
function newSecret({ operator }: Gateway): string {
  return operator.newId().toLowerCase().padStart(32, 'secret');
}

/** Returns the uses of those secrets that are in `haystack` in any form. */
export function leaksOf({ byUse }: Secrets, haystack: Buffer): readonly string[] {
  return Object.keys(byUse).filter((use) =>
    formsOf(byUse[use] ?? '').some((form) => haystack.includes(form)),
  );
}

/** The secret itself, and its random part as digits and as bytes. */
function formsOf(secret: string): readonly (string | Buffer)[] {
  const digits = [...secret.matchAll(/_([0-9a-f]{64})/g)].map(([, each = '']) => each);
  return [secret, ...digits, ...digits.map((each) => Buffer.from(each, 'hex'))];
}

/** Sets a password while a column is missing, which logs an error. Returns the password. */
async function failInside(gateway: Gateway, tenant: Tenant, api: Api): Promise<string> {
  const password = newSecret(gateway);
  await gateway.database.write('ALTER TABLE wallet RENAME update_time_ms TO away');
  const { error, response } = await api
    .updateWallet(tenant.token, tenant.wallets[0] ?? '', { password })
    .finally(() => gateway.database.write('ALTER TABLE wallet RENAME away TO update_time_ms'));
  expect(error?.status).toBe('INTERNAL');
  expect(response.text).not.toMatch(/update_time_ms|wallet_|SELECT|\.ts\b|node_modules/);
  return password;
}
