import { expect } from 'vitest';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { graphqlBody, resultOf } from './actors.ts';
import { type Api, bothApis, type HttpResponse, mutationDocument, type Outcome, send } from './apis.ts';
import { type Gateway, seedTenant, type Tenant } from './gateway.ts';

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

/** A description of an invalid request, and a function that sends it with a secret. */
type Fault = readonly [what: string, ask: (scene: Scene, api: Api, secret: string) => Promise<HttpResponse>];

type Input = (secret: string, scene: Scene) => object;

/** The changes of invalid updates of a wallet. */
const UPDATES: Readonly<Record<string, Input>> = {
  'a password of 33 characters': (secret) => ({ password: `${secret}x` }),
  'a password in a list': (secret) => ({ password: [secret] }),
  'a password in an object': (secret) => ({ password: { value: secret } }),
  'a password beside an unknown field': (secret) => ({ password: secret, pasword: '' }),
  'a password beside a bad title': (secret) => ({ password: secret, title: '' }),
  'a password beside a title that is no text': (secret) => ({ password: secret, title: 7 }),
  'a secret as an unknown field': (secret) => ({ pasword: secret }),
  'a secret as a network': (secret) => ({ network: secret }),
  'a secret as a project': (secret) => ({ project: secret }),
};

const SIGN_INS: Readonly<Record<string, Input>> = {
  'a wrong private key': (privateKey, { appName }) => ({ name: appName, privateKey }),
  'a private key without a name': (privateKey) => ({ privateKey }),
  'a private key as the name': (privateKey) => ({ name: privateKey, privateKey }),
  'a private key in a list': (secret, { appName }) => ({ name: appName, privateKey: [secret] }),
};

const APPS: Readonly<Record<string, Input>> = {
  'an app with a private key of its own': (privateKey) => ({ title: 'App', active: true, privateKey }),
  'a secret for true or false': (active) => ({ title: 'App', active }),
};

const PAGES: Readonly<Record<string, Input>> = {
  'a secret as a page token': (after) => ({ after }),
  'a secret as a page size': (first) => ({ first }),
};

const BODIES: Readonly<Record<string, (secret: string) => string>> = {
  'a body that is cut short': (secret) => `{"password":"${secret}`,
  'a body that is bare text': (secret) => secret,
  'a body that is a string': (secret) => JSON.stringify(secret),
};

const FAULTS: readonly Fault[] = [
  ...faultsWith(UPDATES, ({ tenant: { token, wallets } }, api, changes) =>
    answer(api.updateWallet(token, wallets[0] ?? '', changes)),
  ),
  ...faultsWith(SIGN_INS, ({ tenant }, api, input) => answer(api.signIn(tenant.token, input))),
  ...faultsWith(APPS, ({ tenant }, api, input) => answer(api.createApp(tenant.token, input))),
  ...faultsWith(PAGES, ({ tenant }, api, input) => answer(api.listProjects(tenant.token, input))),
  ...faultsWith(BODIES, (scene, api, body) => sendRaw(scene, api, body)),
  [
    'a body of another type',
    (scene, api, secret) => sendRaw(scene, api, secret, { 'content-type': 'text/plain' }),
  ],
  ['a secret as a wallet', ({ tenant }, api, secret) => answer(api.updateWallet(tenant.token, secret, {}))],
  ['a secret as the token', (_, api, secret) => answer(api.listProjects(secret))],
  ['a secret as the token, misspelt', (_, api, secret) => answer(api.listProjects(`${secret} ${secret}`))],
];

/** Documents with a secret in place of a password or a network. */
const DOCUMENTS: Readonly<Record<string, (secret: string) => string>> = {
  'a password in a list of a document': (secret) => `password: ["${secret}"]`,
  'a password as an object of a document': (secret) => `password: { value: "${secret}" }`,
  'a password without its quotes': (secret) => `password: ${secret}`,
  'a password without its last quote': (secret) => `password: "${secret}`,
  'a network in quotes in a document': (secret) => `network: "${secret}"`,
};

/** Requests that only GraphQL has. */
const GRAPHQL_FAULTS: readonly Fault[] = [
  ...faultsWith(DOCUMENTS, (scene, _, field) =>
    sendGraphql(
      scene,
      `mutation { updateWallet(input: { name: "wallets/x", ${field} }) { wallet { name } } }`,
    ),
  ),
  ['a secret for all variables', (scene, _, secret) => sendGraphql(scene, UPDATE_WALLET, secret)],
  ['a secret for an input', (scene, _, secret) => sendGraphql(scene, UPDATE_WALLET, { input: secret })],
  [
    'a secret in the variables of a GET',
    (scene, _, secret) => getGraphql(scene, JSON.stringify({ input: { password: secret } })),
  ],
  [
    'a secret in variables cut short',
    (scene, _, secret) => getGraphql(scene, `{"input":{"password":"${secret}`),
  ],
];

/** Returns faults that differ in what they send. */
function faultsWith<T>(
  inputs: Readonly<Record<string, (secret: string, scene: Scene) => T>>,
  ask: (scene: Scene, api: Api, input: T) => Promise<HttpResponse>,
): readonly Fault[] {
  return Object.entries(inputs).map(([what, input]) => [
    what,
    (scene, api, secret) => ask(scene, api, input(secret, scene)),
  ]);
}

/** The requests for an API. */
function faultsOf({ name }: Api): readonly Fault[] {
  return name === 'GraphQL' ? [...FAULTS, ...GRAPHQL_FAULTS] : FAULTS;
}

/** Uses secrets in valid and invalid requests of both APIs. */
export async function useSecrets(gateway: Gateway): Promise<{ account: string; secrets: Secrets }> {
  const tenant = await seedTenant(gateway, { wallets: 1 });
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

    const { newId } = gateway.admin;
    const [wrongKey, wrongToken] = [
      createCredential('key', newId(), newId()),
      createCredential('app', newId(), newId()),
    ];
    byUse[`a private key that was never issued by ${api.name}`] = wrongKey;
    expect((await api.signIn(tenant.token, { name, privateKey: wrongKey })).value).toBeUndefined();
    byUse[`a token that was never issued by ${api.name}`] = wrongToken;
    expect((await api.listProjects(wrongToken)).value).toBeUndefined();

    for (const [what, ask] of faultsOf(api)) {
      const secret = newSecret(gateway);
      const use = `${what} by ${api.name}`;
      byUse[use] = secret;
      const { status, headers, text } = await ask({ gateway, tenant, appName }, api, secret);
      if ([text, ...headers.values()].some((each) => each.includes(secret))) repeated.push(use);
      expect(status >= 400 || 'errors' in JSON.parse(text), `${what} is refused`).toBe(true);
    }
    byUse[`the password of a failed update by ${api.name}`] = await failInside(gateway, tenant, api);
  }
  // The hash of the key before is kept, too.
  const input = { name: appName, gracePeriod: 60 };
  const { data } = await graphqlBody(gateway.url, tenant.token, ROTATE_APP_KEY, { input });
  byUse['a new private key'] = data.rotateAppKey.app.privateKey;
  hashes.push(hashCredential(byUse['a new private key'] ?? ''));
  return { account: tenant.account, secrets: { byUse, hashes, repeated } };
}

/** Returns a unique secret with the length of a password. */
function newSecret({ admin }: Gateway): string {
  return admin.newId().toLowerCase().padStart(32, 'secret');
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

/** Sets a password while its table is missing, which logs an error. Returns the password. */
async function failInside(gateway: Gateway, tenant: Tenant, api: Api): Promise<string> {
  const password = newSecret(gateway);
  await gateway.database.write('ALTER TABLE wallet RENAME TO wallet_away');
  const { error, response } = await api
    .updateWallet(tenant.token, tenant.wallets[0] ?? '', { password })
    .finally(() => gateway.database.write('ALTER TABLE wallet_away RENAME TO wallet'));
  expect(error?.status).toBe('INTERNAL');
  expect(response.text).not.toMatch(/no such table|relation|wallet_|SELECT|\.ts\b|node_modules/);
  return password;
}

async function answer(asking: Promise<Outcome<unknown>>): Promise<HttpResponse> {
  return (await asking).response;
}

function sendGraphql({ gateway, tenant }: Scene, query: string, variables?: unknown): Promise<HttpResponse> {
  return send(`${gateway.url}/graphql`, 'POST', tenant.token, { query, variables });
}

function getGraphql({ gateway, tenant }: Scene, variables: string): Promise<HttpResponse> {
  const query = new URLSearchParams({ query: UPDATE_WALLET, variables });
  return send(`${gateway.url}/graphql?${query}`, 'GET', tenant.token);
}

function sendRaw(
  { gateway, tenant }: Scene,
  { name }: Api,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const [method, path] = name === 'REST' ? ['PATCH', `/wallet/${tenant.wallets[0]}`] : ['POST', '/graphql'];
  return send(gateway.url + path, method, tenant.token, body, headers);
}
