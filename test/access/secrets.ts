import { expect } from 'vitest';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { type Answer, bothFaces, type Face, type Outcome, send } from '../faces.ts';
import { type Gateway, seedTenant, type Tenant } from '../gateway.ts';

/** Where requests with secrets are sent: a gateway, with an account and an app of it. */
export type Scene = {
  readonly gateway: Gateway;
  readonly tenant: Tenant;
  readonly appName: string;
};

/** What went in and out of a gateway. */
export type Secrets = {
  /** Every secret, by where it was used. */
  readonly byUse: Readonly<Record<string, string>>;
  /** The hashes by which the gateway knows some of them. */
  readonly hashes: readonly string[];
};

const UPDATE_WALLET =
  'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name } } }';

/** What holds a secret, and a request with it that is at fault. */
type Fault = readonly [what: string, ask: (scene: Scene, face: Face, secret: string) => Promise<Answer>];

const FAULTS: readonly Fault[] = [
  ['a password of 33 characters', (scene, face, secret) => update(scene, face, { password: `${secret}x` })],
  ['a password in a list', (scene, face, secret) => update(scene, face, { password: [secret] })],
  ['a password in an object', (scene, face, secret) => update(scene, face, { password: { value: secret } })],
  [
    'a password beside an unknown field',
    (scene, face, secret) => update(scene, face, { password: secret, pasword: '' }),
  ],
  [
    'a password beside a bad title',
    (scene, face, secret) => update(scene, face, { password: secret, title: '' }),
  ],
  [
    'a password beside a title that is no text',
    (scene, face, secret) => update(scene, face, { password: secret, title: 7 }),
  ],
  ['a secret as an unknown field', (scene, face, secret) => update(scene, face, { pasword: secret })],
  ['a secret as a network', (scene, face, secret) => update(scene, face, { network: secret })],
  ['a secret as a project', (scene, face, secret) => update(scene, face, { project: secret })],
  [
    'a secret as a wallet',
    (scene, face, secret) => answer(face.updateWallet(scene.tenant.token, secret, {})),
  ],
  [
    'a wrong private key',
    (scene, face, secret) => signIn(scene, face, { name: scene.appName, privateKey: secret }),
  ],
  ['a private key without a name', (scene, face, secret) => signIn(scene, face, { privateKey: secret })],
  [
    'a private key as the name',
    (scene, face, secret) => signIn(scene, face, { name: secret, privateKey: secret }),
  ],
  [
    'a private key in a list',
    (scene, face, secret) => signIn(scene, face, { name: scene.appName, privateKey: [secret] }),
  ],
  [
    'an app with a private key of its own',
    (scene, face, secret) =>
      answer(face.createApp(scene.tenant.token, { title: 'App', active: true, privateKey: secret })),
  ],
  [
    'a secret for true or false',
    (scene, face, secret) => answer(face.createApp(scene.tenant.token, { title: 'App', active: secret })),
  ],
  ['a secret as the token', (_scene, face, secret) => answer(face.listProjects(secret))],
  [
    'a secret as the token, misspelt',
    (_scene, face, secret) => answer(face.listProjects(`${secret} ${secret}`)),
  ],
  [
    'a secret as a page token',
    (scene, face, secret) => answer(face.listProjects(scene.tenant.token, { after: secret })),
  ],
  [
    'a secret as a page size',
    (scene, face, secret) => answer(face.listProjects(scene.tenant.token, { first: secret })),
  ],
  ['a body that is cut short', (scene, face, secret) => sendRaw(scene, face, `{"password":"${secret}`)],
  ['a body that is bare text', (scene, face, secret) => sendRaw(scene, face, secret)],
  ['a body that is a string', (scene, face, secret) => sendRaw(scene, face, JSON.stringify(secret))],
  [
    'a body of another type',
    (scene, face, secret) => sendRaw(scene, face, secret, { 'content-type': 'text/plain' }),
  ],
];

/** What only GraphQL can be asked. */
const GRAPHQL_FAULTS: readonly Fault[] = [
  [
    'a secret in the variables of a GET',
    (scene, _face, secret) => getGraphql(scene, { input: { password: secret } }),
  ],
  [
    'a secret in variables cut short',
    (scene, _face, secret) => getGraphql(scene, `{"input":{"password":"${secret}`),
  ],
  ['a secret for all variables', (scene, _face, secret) => sendGraphql(scene, UPDATE_WALLET, secret)],
  ['a secret for an input', (scene, _face, secret) => sendGraphql(scene, UPDATE_WALLET, { input: secret })],
  [
    'a password in a list of a document',
    (scene, _face, secret) => sendGraphql(scene, updateBy(`["${secret}"]`)),
  ],
  [
    'a password as an object of a document',
    (scene, _face, secret) => sendGraphql(scene, updateBy(`{ value: "${secret}" }`)),
  ],
  ['a password without its quotes', (scene, _face, secret) => sendGraphql(scene, updateBy(secret))],
  ['a password without its last quote', (scene, _face, secret) => sendGraphql(scene, updateBy(`"${secret}`))],
  [
    'a network in quotes in a document',
    (scene, _face, secret) =>
      sendGraphql(
        scene,
        `mutation { updateWallet(input: { name: "x", network: "${secret}" }) { wallet { name } } }`,
      ),
  ],
];

/** The requests that a face can be sent. */
export function faultsOf({ name }: Face): readonly Fault[] {
  return name === 'GraphQL' ? [...FAULTS, ...GRAPHQL_FAULTS] : FAULTS;
}

/** Uses secrets in every way that there is, by both faces, be it well or wrongly. */
export async function useSecrets(gateway: Gateway): Promise<{ scene: Scene; secrets: Secrets }> {
  const tenant = await seedTenant(gateway, { wallets: 1 });
  const [wallet = ''] = tenant.wallets;
  const byUse: Record<string, string> = { 'the account token': tenant.token };
  const hashes = [hashCredential(tenant.token)];
  let appName = '';
  for (const face of bothFaces(() => gateway.url)) {
    const app = await given(face.createApp(tenant.token, { title: 'App', active: true }));
    const { name, privateKey } = app;
    appName = name;
    const { accessToken } = await given(face.signIn(tenant.token, { name, privateKey }));
    byUse[`the private key by ${face.name}`] = privateKey;
    byUse[`the access token by ${face.name}`] = accessToken;
    hashes.push(hashCredential(privateKey), hashCredential(accessToken));
    await given(face.listProjects(accessToken));

    const password = newSecret(gateway);
    byUse[`the password by ${face.name}`] = password;
    await given(face.updateWallet(accessToken, wallet, { password }));

    const { newId } = gateway.workplace;
    const [wrongKey, wrongToken] = [
      createCredential('key', newId(), newId()),
      createCredential('app', newId(), newId()),
    ];
    byUse[`a private key that was never made by ${face.name}`] = wrongKey;
    expect((await face.signIn(tenant.token, { name, privateKey: wrongKey })).value).toBeUndefined();
    byUse[`a token that was never made by ${face.name}`] = wrongToken;
    expect((await face.listProjects(wrongToken)).value).toBeUndefined();

    for (const [what, ask] of faultsOf(face)) {
      const secret = newSecret(gateway);
      byUse[`${what} by ${face.name}`] = secret;
      const { status, text } = await ask({ gateway, tenant, appName }, face, secret);
      expect(status >= 400 || 'errors' in JSON.parse(text), `${what} is refused`).toBe(true);
    }
    byUse[`the password of a failed update by ${face.name}`] = await failInside(gateway, tenant, face);
  }
  return { scene: { gateway, tenant, appName }, secrets: { byUse, hashes } };
}

/** A secret of a password's length that is in no other text. */
export function newSecret({ workplace }: Gateway): string {
  return workplace.newId().toLowerCase().padStart(32, 'secret');
}

/** Returns the uses of those secrets that are in `haystack` in any form. */
export function leaksOf({ byUse }: Secrets, haystack: Buffer): readonly string[] {
  return Object.keys(byUse).filter((use) =>
    formsOf(byUse[use] ?? '').some((form) => haystack.includes(form)),
  );
}

function formsOf(secret: string): readonly (string | Buffer)[] {
  const forms: (string | Buffer)[] = [secret, ...encodingsOf(Buffer.from(secret))];
  for (const [, digits = ''] of secret.matchAll(/_([0-9a-f]{64})/g)) {
    const bytes = Buffer.from(digits, 'hex');
    forms.push(digits, bytes, ...encodingsOf(bytes), ...encodingsOf(Buffer.from(digits)));
  }
  return forms;
}

/** The hexadecimal form, and what is sure of the Base64 forms, which depend on what stands before and after. */
function encodingsOf(bytes: Buffer): readonly string[] {
  const base64 = [0, 1, 2].flatMap((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]);
    return (['base64url', 'base64'] as const).map((encoding) =>
      text
        .toString(encoding)
        .replace(/=+$/, '')
        .slice(before === 0 ? 0 : 4, -3),
    );
  });
  return [bytes.toString('hex'), ...base64];
}

/** Sets a password while its table is away, which is a fault that is logged, and returns it. */
async function failInside(gateway: Gateway, tenant: Tenant, face: Face): Promise<string> {
  const password = newSecret(gateway);
  await gateway.database.query('ALTER TABLE wallet RENAME TO wallet_away');
  const { error } = await face
    .updateWallet(tenant.token, tenant.wallets[0] ?? '', { password })
    .finally(() => gateway.database.query('ALTER TABLE wallet_away RENAME TO wallet'));
  expect(error?.status).toBe('INTERNAL');
  return password;
}

async function given<T>(asking: Promise<Outcome<T>>): Promise<T> {
  const { value, response } = await asking;
  if (value === undefined) throw new Error(response.text);
  return value;
}

async function answer(asking: Promise<Outcome<unknown>>): Promise<Answer> {
  return (await asking).response;
}

function update({ tenant }: Scene, face: Face, sent: object): Promise<Answer> {
  return answer(face.updateWallet(tenant.token, tenant.wallets[0] ?? '', sent));
}

function signIn({ tenant }: Scene, face: Face, sent: object): Promise<Answer> {
  return answer(face.signIn(tenant.token, sent));
}

function updateBy(password: string): string {
  return `mutation { updateWallet(input: { name: "wallets/x", password: ${password} }) { wallet { name } } }`;
}

function sendGraphql({ gateway, tenant }: Scene, query: string, variables?: unknown): Promise<Answer> {
  return send(`${gateway.url}/graphql`, 'POST', tenant.token, { query, variables });
}

function getGraphql({ gateway, tenant }: Scene, variables: object | string): Promise<Answer> {
  const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
  const query = new URLSearchParams({ query: UPDATE_WALLET, variables: text });
  return send(`${gateway.url}/graphql?${query}`, 'GET', tenant.token);
}

function sendRaw(
  { gateway, tenant }: Scene,
  { name }: Face,
  body: string,
  headers: Readonly<Record<string, string>> = {},
) {
  const [method, path] = name === 'REST' ? ['PATCH', `/wallet/${tenant.wallets[0]}`] : ['POST', '/graphql'];
  return send(gateway.url + path, method, tenant.token, body, headers);
}
