import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { createCredential, hashCredential } from '../../src/credentials/credential.ts';
import { type Answer, bothFaces, type Face, type Outcome, send } from '../faces.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../gateway.ts';

const UPDATE_WALLET =
  'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { name } } }';

/** What holds a secret, and a request with it that is at fault. */
type Fault = readonly [what: string, ask: (face: Face, secret: string) => Promise<Answer>];

const FAULTS: readonly Fault[] = [
  ['a password of 33 characters', (face, secret) => update(face, { password: `${secret}x` })],
  ['a password in a list', (face, secret) => update(face, { password: [secret] })],
  ['a password in an object', (face, secret) => update(face, { password: { value: secret } })],
  ['a password beside an unknown field', (face, secret) => update(face, { password: secret, pasword: '' })],
  ['a password beside a bad title', (face, secret) => update(face, { password: secret, title: '' })],
  [
    'a password beside a title that is no text',
    (face, secret) => update(face, { password: secret, title: 7 }),
  ],
  ['a secret as an unknown field', (face, secret) => update(face, { pasword: secret })],
  ['a secret as a network', (face, secret) => update(face, { network: secret })],
  ['a secret as a project', (face, secret) => update(face, { project: secret })],
  ['a secret as a wallet', async (face, secret) => answer(face.updateWallet(tenant.token, secret, {}))],
  ['a wrong private key', (face, secret) => signIn(face, { name: appName, privateKey: secret })],
  ['a private key without a name', (face, secret) => signIn(face, { privateKey: secret })],
  ['a private key as the name', (face, secret) => signIn(face, { name: secret, privateKey: secret })],
  ['a private key in a list', (face, secret) => signIn(face, { name: appName, privateKey: [secret] })],
  [
    'an app with a private key of its own',
    (face, secret) =>
      answer(face.createApp(tenant.token, { title: 'App', active: true, privateKey: secret })),
  ],
  [
    'a secret for true or false',
    (face, secret) => answer(face.createApp(tenant.token, { title: 'App', active: secret })),
  ],
  ['a secret as the token', (face, secret) => answer(face.listProjects(secret))],
  ['a secret as the token, misspelt', (face, secret) => answer(face.listProjects(`${secret} ${secret}`))],
  ['a secret as a page token', (face, secret) => answer(face.listProjects(tenant.token, { after: secret }))],
  ['a secret as a page size', (face, secret) => answer(face.listProjects(tenant.token, { first: secret }))],
  ['a body that is cut short', (face, secret) => sendRaw(face, `{"password":"${secret}`)],
  ['a body that is bare text', (face, secret) => sendRaw(face, secret)],
  ['a body that is a string', (face, secret) => sendRaw(face, JSON.stringify(secret))],
  ['a body of another type', (face, secret) => sendRaw(face, secret, { 'content-type': 'text/plain' })],
];

/** What only GraphQL can be asked. */
const GRAPHQL_FAULTS: readonly Fault[] = [
  ['a secret in the variables of a GET', (_face, secret) => getGraphql({ input: { password: secret } })],
  ['a secret in variables cut short', (_face, secret) => getGraphql(`{"input":{"password":"${secret}`)],
  ['a secret for all variables', (_face, secret) => sendGraphql(UPDATE_WALLET, secret)],
  ['a secret for an input', (_face, secret) => sendGraphql(UPDATE_WALLET, { input: secret })],
  ['a password in a list of a document', (_face, secret) => sendGraphql(updateBy(`["${secret}"]`))],
  [
    'a password as an object of a document',
    (_face, secret) => sendGraphql(updateBy(`{ value: "${secret}" }`)),
  ],
  ['a password without its quotes', (_face, secret) => sendGraphql(updateBy(secret))],
  ['a password without its last quote', (_face, secret) => sendGraphql(updateBy(`"${secret}`))],
  [
    'a network in quotes in a document',
    (_face, secret) =>
      sendGraphql(
        `mutation { updateWallet(input: { name: "x", network: "${secret}" }) { wallet { name } } }`,
      ),
  ],
];

let gateway: Gateway;
let tenant: Tenant;
let appName: string;
/** Every secret that went in or out, by where it was used. */
const secrets: Record<string, string> = {};
/** The hashes by which the gateway knows some of them. */
const hashes: string[] = [];

beforeAll(async () => {
  gateway = await startGateway({ LOG_LEVEL: 'trace' });
  tenant = await seedTenant(gateway, { wallets: 1 });
  secrets['the account token'] = tenant.token;
  hashes.push(hashCredential(tenant.token));
  for (const face of bothFaces(() => gateway.url)) {
    const app = await given(face.createApp(tenant.token, { title: 'App', active: true }));
    const { name, privateKey } = app;
    appName = name;
    const { accessToken } = await given(face.signIn(tenant.token, { name, privateKey }));
    secrets[`the private key by ${face.name}`] = privateKey;
    secrets[`the access token by ${face.name}`] = accessToken;
    hashes.push(hashCredential(privateKey), hashCredential(accessToken));
    await given(face.listProjects(accessToken));

    const password = newSecret();
    secrets[`the password by ${face.name}`] = password;
    await given(face.updateWallet(accessToken, tenant.wallets[0] ?? '', { password }));

    const { newId } = gateway.workplace;
    const [wrongKey, wrongToken] = [
      createCredential('key', newId(), newId()),
      createCredential('app', newId(), newId()),
    ];
    secrets[`a private key that was never made by ${face.name}`] = wrongKey;
    expect((await face.signIn(tenant.token, { name, privateKey: wrongKey })).value).toBeUndefined();
    secrets[`a token that was never made by ${face.name}`] = wrongToken;
    expect((await face.listProjects(wrongToken)).value).toBeUndefined();

    for (const [what, ask] of faultsOf(face)) {
      const secret = newSecret();
      secrets[`${what} by ${face.name}`] = secret;
      const { status, text } = await ask(face, secret);
      expect(status >= 400 || 'errors' in JSON.parse(text), `${what} is refused`).toBe(true);
    }
    await failInside(face);
  }
  return gateway.stop;
});

describe.each(bothFaces(() => gateway.url))('an error by $name', (face) => {
  it.each(faultsOf(face))('does not repeat %s', async (_what, ask) => {
    const secret = newSecret();
    const { headers, text } = await ask(face, secret);
    expect([text, ...headers.values()].filter((each) => each.includes(secret))).toEqual([]);
  });
});

describe('no secret that was used', () => {
  it('is in the files of the database', () => {
    const files = databaseFiles();
    // What is looked for would be found: the hashes are there.
    expect(hashes.filter((hash) => !files.includes(hash))).toEqual([]);
    expect(files.includes('$argon2id$')).toBe(true);
    expect(leaks(files)).toEqual([]);
  });

  it('is in the log, not even where the database fails', () => {
    const log = Buffer.from(gateway.log());
    expect(log.includes('no such table: wallet')).toBe(true);
    expect(leaks(log)).toEqual([]);
  });

  it('would be missed, in whatever form it were there', () => {
    const names = Object.keys(secrets);
    for (const name of names) {
      const secret = secrets[name] ?? '';
      const hidden = ['', 'a', 'ab', 'abc'].flatMap((before) => [
        Buffer.from(`${before}${secret} and more`),
        ...(['base64', 'base64url', 'hex'] as const).map((encoding) =>
          Buffer.from(Buffer.from(`${before}${secret} and more`).toString(encoding)),
        ),
      ]);
      for (const [, digits = ''] of secret.matchAll(/_([0-9a-f]{64})/g)) {
        hidden.push(Buffer.from(digits), Buffer.from(digits, 'hex'));
        hidden.push(Buffer.from(Buffer.from(digits, 'hex').toString('base64')));
      }
      expect(hidden.filter((haystack) => !leaks(haystack).includes(name))).toEqual([]);
    }
  });
});

function faultsOf({ name }: Face): readonly Fault[] {
  return name === 'GraphQL' ? [...FAULTS, ...GRAPHQL_FAULTS] : FAULTS;
}

/** A secret of a password's length that is in no other text. */
function newSecret(): string {
  return gateway.workplace.newId().toLowerCase().padStart(32, 'secret');
}

/** The names of those secrets that are in `haystack` in any form. */
function leaks(haystack: Buffer): readonly string[] {
  return Object.keys(secrets).filter((name) =>
    formsOf(secrets[name] ?? '').some((form) => haystack.includes(form)),
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

function databaseFiles(): Buffer {
  const path = gateway.databaseUrl.slice('sqlite:'.length);
  const files = [path, `${path}-wal`];
  expect(files.filter((file) => !existsSync(file))).toEqual([]);
  return Buffer.concat(files.map((file) => readFileSync(file)));
}

/** Sets a password while its table is away, which is a fault that is logged. */
async function failInside(face: Face): Promise<void> {
  const password = newSecret();
  secrets[`the password of a failed update by ${face.name}`] = password;
  await gateway.database.query('ALTER TABLE wallet RENAME TO wallet_away');
  const { error } = await face
    .updateWallet(tenant.token, tenant.wallets[0] ?? '', { password })
    .finally(() => gateway.database.query('ALTER TABLE wallet_away RENAME TO wallet'));
  expect(error?.status).toBe('INTERNAL');
}

async function given<T>(asking: Promise<Outcome<T>>): Promise<T> {
  const { value, response } = await asking;
  if (value === undefined) throw new Error(response.text);
  return value;
}

async function answer(asking: Promise<Outcome<unknown>>): Promise<Answer> {
  return (await asking).response;
}

function update(face: Face, sent: object): Promise<Answer> {
  return answer(face.updateWallet(tenant.token, tenant.wallets[0] ?? '', sent));
}

function signIn(face: Face, sent: object): Promise<Answer> {
  return answer(face.signIn(tenant.token, sent));
}

function updateBy(password: string): string {
  return `mutation { updateWallet(input: { name: "wallets/x", password: ${password} }) { wallet { name } } }`;
}

function sendGraphql(query: string, variables?: unknown): Promise<Answer> {
  return send(`${gateway.url}/graphql`, 'POST', tenant.token, { query, variables });
}

function getGraphql(variables: object | string): Promise<Answer> {
  const text = typeof variables === 'string' ? variables : JSON.stringify(variables);
  const query = new URLSearchParams({ query: UPDATE_WALLET, variables: text });
  return send(`${gateway.url}/graphql?${query}`, 'GET', tenant.token);
}

function sendRaw({ name }: Face, body: string, headers: Readonly<Record<string, string>> = {}) {
  const [method, path] = name === 'REST' ? ['PATCH', `/wallet/${tenant.wallets[0]}`] : ['POST', '/graphql'];
  return send(gateway.url + path, method, tenant.token, body, headers);
}
