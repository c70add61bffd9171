import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { type CredentialKind, createCredential, parseCredential } from '../../src/credentials/credential.ts';
import { createAccountToken } from '../../src/data/create-account-token.ts';
import { openTokens } from '../../src/storage/tokens.ts';
import { type Answer, type Api, bothApis, type Outcome, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';

const HOUR_MS = 3_600_000;

/** Where a resource is, seen from the own project. Own comes last, so that a wallet that moves ends where it began. */
const PLACES = ['missing', 'foreign', 'sibling', 'own'] as const;

type Place = (typeof PLACES)[number];

type Target = {
  readonly project: string;
  readonly app: { readonly name: string; readonly privateKey: string };
  readonly wallet: string;
};

/** What an answer says (`ok`, `null`, or a reason and the fields at fault), and the answer. */
type Said = { readonly says: string; readonly response: Answer };

type Operation = {
  readonly operation: string;
  readonly account: Expected;
  readonly project: Expected;
  readonly only?: 'GraphQL';
  ask(api: Api, token: string | undefined, target: Target): Promise<Said>;
};

/** What the documents of this file ask for, each a part of it. */
type Data = {
  readonly createApp: { readonly app: { readonly project: { readonly name: string } } };
  readonly node: { readonly id: string } | null;
};

type Expected = Readonly<Partial<Record<Place, string>>>;

const REFUSED = [
  ['no token', 'TOKEN_MISSING'],
  ['text that is no token', 'TOKEN_INVALID'],
  ['an account token that was never made', 'TOKEN_INVALID'],
  ['an access token that was never made', 'TOKEN_INVALID'],
  ['a live token with another secret', 'TOKEN_INVALID'],
  ['an expired account token', 'TOKEN_INVALID'],
  ['an expired access token', 'TOKEN_INVALID'],
  ['a revoked account token', 'TOKEN_INVALID'],
  ['a revoked access token', 'TOKEN_INVALID'],
  ['an access token of an app made inactive', 'TOKEN_INVALID'],
  ["an app's private key", 'TOKEN_INVALID'],
] as const;

type Bearer = (typeof REFUSED)[number][0] | 'an account token' | 'a project token';

const NOT_FOUND = 'RESOURCE_NOT_FOUND';
const NO_SIGN_IN = 'INVALID_CREDENTIALS';
const ACCOUNT_ONLY = 'ACCOUNT_TOKEN_REQUIRED';
const NO_PROJECT = 'INVALID_FIELD project';

const OPERATIONS: readonly Operation[] = [
  {
    operation: 'createApp',
    account: { own: 'ok' },
    project: { own: ACCOUNT_ONLY },
    ask: async (api, token) => said(await api.createApp(token, newApp()), () => 'ok'),
  },
  {
    operation: 'createApp in a project',
    only: 'GraphQL',
    account: row(NO_PROJECT, NO_PROJECT, 'ok', 'ok'),
    project: row(ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY),
    ask: (_face, token, { project }) =>
      askGraphql(token, CREATE_APP, { input: { ...newApp(), project } }, ({ createApp: { app } }) =>
        sameName(app.project.name, project),
      ),
  },
  {
    operation: 'signIn',
    account: row(NO_SIGN_IN, NO_SIGN_IN, 'ok', 'ok'),
    project: row(NO_SIGN_IN, NO_SIGN_IN, NO_SIGN_IN, 'ok'),
    ask: async (api, token, { app }) =>
      said(await api.signIn(token, app), (result) => sameName(result.app.name, app.name)),
  },
  {
    operation: 'updateWallet',
    account: row(NOT_FOUND, NOT_FOUND, 'ok', 'ok'),
    project: row(NOT_FOUND, NOT_FOUND, NOT_FOUND, 'ok'),
    ask: async (api, token, { wallet }) =>
      said(await api.updateWallet(token, wallet, { title: newTitle() }), ({ name }) =>
        sameName(name, wallet),
      ),
  },
  {
    operation: 'updateWallet into a project',
    account: row(NO_PROJECT, NO_PROJECT, 'ok', 'ok'),
    project: row(NO_PROJECT, NO_PROJECT, NO_PROJECT, 'ok'),
    ask: async (api, token, { project }) =>
      said(await api.updateWallet(token, targets.own.wallet, { project }), (wallet) =>
        sameName(wallet.project, project),
      ),
  },
  {
    operation: 'listProjects',
    account: { own: 'own, sibling' },
    project: { own: 'own' },
    ask: async (api, token) => said(await api.listProjects(token), placesOf),
  },
  ...(['project', 'app', 'wallet'] as const).map(
    (kind): Operation => ({
      operation: `node of a${kind === 'app' ? 'n' : ''} ${kind}`,
      only: 'GraphQL',
      account: row('null', 'null', 'ok', 'ok'),
      project: row('null', 'null', 'null', 'ok'),
      ask: (_face, token, target) => {
        const id = kind === 'app' ? target.app.name : target[kind];
        return askGraphql(token, NODE, { id }, ({ node }) => (node ? sameName(node.id, id) : 'null'));
      },
    }),
  ),
];

const CREATE_APP =
  'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { project { name } } } }';

const NODE = 'query ($id: ID!) { node(id: $id) { id } }';

/** HTTP status, name of the error and challenge of each refusal. What is not here is a plain 200. */
const ANSWERS: Readonly<Record<string, Readonly<Record<Api['name'], string>>>> = {
  TOKEN_MISSING: {
    REST: '401 UNAUTHENTICATED Bearer realm="paw"',
    GraphQL: '401 UNAUTHENTICATED Bearer realm="paw"',
  },
  TOKEN_INVALID: {
    REST: '401 UNAUTHENTICATED Bearer realm="paw", error="invalid_token"',
    GraphQL: '401 UNAUTHENTICATED Bearer realm="paw", error="invalid_token"',
  },
  [ACCOUNT_ONLY]: { REST: '403 PERMISSION_DENIED', GraphQL: '200 FORBIDDEN' },
  [NOT_FOUND]: { REST: '404 NOT_FOUND', GraphQL: '200 NOT_FOUND' },
  [NO_SIGN_IN]: { REST: '401 UNAUTHENTICATED Bearer realm="paw"', GraphQL: '200 UNAUTHENTICATED' },
  [NO_PROJECT]: { REST: '400 INVALID_ARGUMENT', GraphQL: '200 BAD_USER_INPUT' },
};

const CASES = OPERATIONS.flatMap((operation) => [
  ...REFUSED.map(([bearer, reason]) => ({
    ...operation,
    bearer,
    expected: operation.account.missing ? row(reason, reason, reason, reason) : { own: reason },
  })),
  { ...operation, bearer: 'an account token' as const, expected: operation.account },
  { ...operation, bearer: 'a project token' as const, expected: operation.project },
]);

let gateway: Gateway;
let home: Tenant;
let targets: Readonly<Record<Place, Target>>;
let tokens: Readonly<Record<Bearer, string | undefined>>;
let serial = 0;

beforeAll(async () => {
  gateway = await startGateway();
  const { admin, clock } = gateway;
  home = await seedTenant(gateway, { projects: 2, wallets: 2 });
  const abroad = await seedTenant(gateway, { wallets: 1 });
  const [ownProject = '', siblingProject = ''] = home.projects;
  const [ownWallet = '', siblingWallet = ''] = home.wallets;
  await post('PATCH', `/wallet/${siblingWallet}`, home.token, { project: siblingProject });

  const { account } = home;
  const sibling = await createAccountToken(admin, { account, project: siblingProject }, 86_400);
  const ownApp = await post('POST', '/auth/apps', home.token, newApp());
  const inactiveApp = await post('POST', '/auth/apps', home.token, newApp());
  targets = {
    own: { project: ownProject, app: keyOf(ownApp), wallet: ownWallet },
    sibling: {
      project: siblingProject,
      app: keyOf(await post('POST', '/auth/apps', sibling.accessToken, newApp())),
      wallet: siblingWallet,
    },
    foreign: {
      project: abroad.projects[0] ?? '',
      app: keyOf(await post('POST', '/auth/apps', abroad.token, newApp())),
      wallet: abroad.wallets[0] ?? '',
    },
    missing: {
      project: `projects/${admin.newId()}`,
      app: { name: `apps/${admin.newId()}`, privateKey: neverMade('key') },
      wallet: `wallets/${admin.newId()}`,
    },
  };

  const accountToken = async (lifeSeconds: number) =>
    (await createAccountToken(admin, { account }, lifeSeconds)).accessToken;
  const expiredAccountToken = await accountToken(HOUR_MS / 1000);
  const expiredAccessToken = await signIn(ownApp);
  clock.advance(HOUR_MS);
  const live = parseCredential(home.token) ?? fail();
  tokens = {
    'no token': undefined,
    'text that is no token': 'paw_acct_nonsense',
    'an account token that was never made': neverMade('acct'),
    'an access token that was never made': neverMade('app'),
    'a live token with another secret': createCredential(live.kind, live.ownerId, live.serial),
    'an expired account token': expiredAccountToken,
    'an expired access token': expiredAccessToken,
    'a revoked account token': await accountToken(86_400),
    'a revoked access token': await signIn(ownApp),
    'an access token of an app made inactive': await signIn(inactiveApp),
    "an app's private key": ownApp.privateKey,
    'an account token': home.token,
    'a project token': await signIn(ownApp),
  };
  for (const token of [tokens['a revoked account token'], tokens['a revoked access token']]) {
    const { ownerId, serial } = parseCredential(token ?? '') ?? fail();
    await openTokens(gateway.database, clock).revoke(ownerId, serial);
  }
  await paw('app', 'deactivate', inactiveApp.name);
  return gateway.stop;
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const cases = CASES.filter(({ only }) => only === undefined || only === api.name);

  it.each(cases)('$operation with $bearer is answered by the table', async ({ bearer, expected, ask }) => {
    const answers: Partial<Record<Place, string>> = {};
    const bytes: Partial<Record<Place, string>> = {};
    for (const place of PLACES.filter((each) => expected[each])) {
      const before = await contents();
      const { says, response } = await ask(api, tokens[bearer], targets[place]);
      answers[place] = `${says}: ${wire(response)}`;
      bytes[place] = withoutRequestId(response);
      if (says !== 'ok') expect(await contents(), 'a refusal changes nothing').toEqual(before);
    }
    const says = Object.entries(expected);
    expect(answers).toEqual(
      Object.fromEntries(says.map(([place, reason]) => [place, `${reason}: ${wireOf(reason, api)}`])),
    );
    for (const place of PLACES.filter((each) => expected.missing && expected[each] === expected.missing)) {
      expect(bytes[place], `${place} cannot be told from missing`).toBe(bytes.missing);
    }
  });

  it.each<[string, (token: string) => string, string | undefined]>([
    ['the scheme in lower case', (token) => `bearer ${token}`, undefined],
    ['the scheme in upper case', (token) => `BEARER ${token}`, undefined],
    ['another scheme', (token) => `Basic ${Buffer.from(`paw:${token}`).toString('base64')}`, 'TOKEN_MISSING'],
    ['a scheme that merely begins alike', (token) => `Bearers ${token}`, 'TOKEN_MISSING'],
    ['the scheme alone', () => 'Bearer', 'TOKEN_MISSING'],
    ['a token without its scheme', (token) => token, 'TOKEN_MISSING'],
    ['a token and more', (token) => `Bearer ${token} ${token}`, 'TOKEN_INVALID'],
    ['two headers in one', (token) => `Bearer ${token}, Bearer ${token}`, 'TOKEN_INVALID'],
    ['a token in upper case', (token) => `Bearer ${token.toUpperCase()}`, 'TOKEN_INVALID'],
    ['a token that was cut short', (token) => `Bearer ${token.slice(0, -1)}`, 'TOKEN_INVALID'],
  ])('an Authorization header with %s is read by RFC 6750', async (_what, header, reason) => {
    const headers = { authorization: header(home.token) };
    const response =
      api.name === 'REST'
        ? await send(`${gateway.url}/project/projects`, 'GET', undefined, undefined, headers)
        : await postGraphql(gateway.url, undefined, '{ projects { totalCount } }', {}, headers);
    expect(wire(response)).toBe(reason === undefined ? '200' : wireOf(reason, api));
  });

  it('a failed sign-in is the same answer whatever is wrong, and does not tell an inactive app', async () => {
    const { own, sibling, foreign } = targets;
    const inactive = keyOf(await post('POST', '/auth/apps', home.token, { ...newApp(), active: false }));
    const foreigner = await seedTenant(gateway);
    const right = await api.signIn(home.token, inactive);
    expect(`${right.error?.reason}: ${wire(right.response)}`).toBe(
      `APP_INACTIVE: ${api.name === 'REST' ? '403 PERMISSION_DENIED' : '200 FORBIDDEN'}`,
    );
    const wrong = [
      await api.signIn(home.token, targets.missing.app),
      await api.signIn(home.token, foreign.app),
      await api.signIn(home.token, { ...own.app, privateKey: neverMade('key') }),
      await api.signIn(home.token, { ...own.app, privateKey: 'no key at all' }),
      await api.signIn(home.token, { ...own.app, privateKey: sibling.app.privateKey }),
      await api.signIn(home.token, { ...inactive, privateKey: own.app.privateKey }),
      await api.signIn(foreigner.token, inactive),
      await api.signIn(tokens['a project token'], sibling.app),
    ];
    const [first = ''] = wrong.map(({ response }) => withoutRequestId(response));
    expect(wrong.map(({ error, response }) => `${error?.reason}: ${wire(response)}`)).toEqual(
      wrong.map(() => `${NO_SIGN_IN}: ${wireOf(NO_SIGN_IN, api)}`),
    );
    expect(wrong.map(({ response }) => withoutRequestId(response))).toEqual(wrong.map(() => first));
  });
});

describe('introspection by GraphQL', () => {
  const deep =
    'fragment F on Query { __typename ...G } fragment G on Query { __schema { queryType { name } } }';

  it.each([
    '{ __typename }',
    '{ __schema { types { name } } }',
    '{ __type(name: "App") { fields { name } } }',
    '{ projects: __typename }',
    '{ ... on Query { __typename } }',
    '{ ... { __typename ... on Query { __schema { queryType { name } } } } }',
    `{ ...F } ${deep}`,
    'mutation { __typename }',
  ])('%s needs no token and minds no bad one', async (document) => {
    for (const token of [undefined, tokens['text that is no token']]) {
      const { status, text } = await postGraphql(gateway.url, token, document);
      expect(status).toBe(200);
      expect(JSON.parse(text)).toEqual({ data: expect.any(Object) });
    }
  });

  it.each([
    '{ __typename projects { totalCount } }',
    '{ __typename: projects { totalCount } }',
    '{ ... on Query { __typename projects { totalCount } } }',
    '{ ... { ... { projects { totalCount } } } }',
    '{ ...F projects { totalCount } } fragment F on Query { __typename }',
    '{ __typename ...F } fragment F on Query { ...G } fragment G on Query { projects { totalCount } }',
    '{ __typename projects @skip(if: true) { totalCount } }',
    '{ __typename node(id: "nonsense") { id } }',
    'mutation { __typename createApp(input: { title: "App", active: true }) { app { name } } }',
  ])('%s needs a token, and without one nothing of it is executed', async (document) => {
    const before = await contents();
    const response = await postGraphql(gateway.url, undefined, document);
    expect(wire(response)).toBe('401 UNAUTHENTICATED Bearer realm="paw"');
    expect(JSON.parse(response.text)).not.toHaveProperty('data');
    expect(await contents()).toEqual(before);
  });

  it('is judged by the operation that is to run, not by others of the document', async () => {
    const query = 'query Open { __typename } query Closed { projects { totalCount } }';
    const ask = (operationName: string) =>
      send(`${gateway.url}/graphql`, 'POST', undefined, { query, operationName });
    expect((await ask('Open')).status).toBe(200);
    expect((await ask('Closed')).status).toBe(401);
  });
});

function row(missing: string, foreign: string, sibling: string, own: string): Expected {
  return { missing, foreign, sibling, own };
}

function said<T>({ value, error, response }: Outcome<T>, says: (value: T) => string): Said {
  if (value !== undefined) return { says: says(value), response };
  return { says: [error?.reason, ...(error?.fields ?? [])].join(' '), response };
}

async function askGraphql(
  token: string | undefined,
  query: string,
  variables: object,
  says: (data: Data) => string,
): Promise<Said> {
  const response = await postGraphql(gateway.url, token, query, variables);
  const { data, errors } = JSON.parse(response.text);
  if (!errors) return { says: says(data), response };
  const { reason, fieldViolations = [] } = errors[0].extensions;
  const fields = fieldViolations.map(({ field }: { field: string }) => field);
  return { says: [reason, ...fields].join(' '), response };
}

function sameName(name: string, asked: string): string {
  return name === asked ? 'ok' : `answered for ${name}`;
}

function placesOf({ projects }: { projects: readonly { name: string }[] }): string {
  const place = (name: string) => PLACES.find((each) => targets[each].project === name);
  return projects.map(({ name }) => place(name) ?? name).join(', ');
}

function wire({ status, headers, text }: Answer): string {
  const { error, errors } = JSON.parse(text);
  const name = error?.status ?? errors?.[0].extensions.code;
  return [status, name, headers.get('www-authenticate')].filter(Boolean).join(' ');
}

function wireOf(reason: string, { name }: Api): string {
  return ANSWERS[reason]?.[name] ?? '200';
}

function withoutRequestId({ status, headers, text }: Answer): string {
  const requestId = headers.get('x-request-id') ?? '';
  // The length follows from the request id's own.
  const own = ['date', 'x-request-id', 'content-length'];
  const lines = [...headers].filter(([name]) => !own.includes(name)).map((line) => line.join(': '));
  return [status, ...lines, text.replaceAll(requestId, '<request id>')].join('\n');
}

/** All rows that an operation could change. */
async function contents(): Promise<unknown> {
  const tables = ['account', 'project', 'app', 'wallet', 'token'];
  return Promise.all(tables.map((table) => gateway.database.query(`SELECT * FROM ${table} ORDER BY 1, 2`)));
}

async function post(method: string, path: string, token: string, body: object) {
  const { status, text } = await send(gateway.url + path, method, token, body);
  if (status !== 200) throw new Error(text);
  return JSON.parse(text);
}

async function signIn(app: Target['app']): Promise<string> {
  const body = { privateKey: keyOf(app) };
  return (await post('POST', '/auth/accounts:signinIdentity', home.token, body)).accessToken;
}

function keyOf({ name, privateKey }: Target['app']): Target['app'] {
  return { name, privateKey };
}

function newApp() {
  return { title: newTitle(), active: true };
}

/** A title of its own for every request, so that none can be written without being seen. */
function newTitle(): string {
  serial += 1;
  return `No. ${serial}`;
}

function neverMade(kind: CredentialKind): string {
  return createCredential(kind, gateway.admin.newId(), gateway.admin.newId());
}

function fail(): never {
  throw new Error('What the test was given is no token.');
}

function paw(...words: readonly string[]) {
  const program = fileURLToPath(new URL('../../src/main.js', import.meta.url));
  return promisify(execFile)(process.execPath, [program, ...words], {
    env: { DATABASE_URL: gateway.databaseUrl },
  });
}
