import { beforeAll, describe, expect, test } from 'vitest';
import { type CredentialKind, createCredential } from '../../../src/credentials/credential.ts';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { mutations } from '../../../src/graphql/mutations.ts';
import { revokeToken } from '../../../src/storage/tokens.ts';
import {
  createApp,
  createAppIn,
  credentialParts,
  expiredToken,
  keyOf,
  projectTokenOf,
  resultOf,
  withOtherSecret,
  withoutRequestId,
} from '../../support/actors.ts';
import {
  type Api,
  bothApis,
  graphqlOutcome,
  type HttpResponse,
  type Outcome,
  postGraphql,
  restApi,
  send,
} from '../../support/apis.ts';
import { seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import { pawJson } from '../../support/paw.ts';

const HOUR_MS = 3_600_000;

/** The location of a resource, relative to the caller's project. `own` is last, so that a wallet is moved back. */
const PLACES = ['missing', 'foreign', 'sibling', 'own'] as const;

type Place = (typeof PLACES)[number];

type Target = {
  readonly project: string;
  readonly app: { readonly name: string; readonly privateKey: string };
  /** The name of an app whose key is not used. */
  readonly spareApp: string;
  /** The name of an account token that is not used. */
  readonly spareToken: string;
  readonly wallet: string;
};

/** A response, and a summary of it: `ok`, `null`, or the reason and the fields at fault. */
type Summary = { readonly text: string; readonly response: HttpResponse };

type Operation = {
  readonly operation: string;
  readonly account: Expected;
  readonly project: Expected;
  /** With an account token of one project, if not the same as with a project token. */
  readonly oneProject?: Expected;
  readonly only?: 'GraphQL';
  ask(api: Api, token: string | undefined, target: Target): Promise<Summary>;
};

type Expected = Readonly<Partial<Record<Place, string>>>;

const REFUSED = [
  ['no token', 'TOKEN_MISSING'],
  ['text that is no token', 'TOKEN_INVALID'],
  ['an account token that was never issued', 'TOKEN_INVALID'],
  ['a project token that was never issued', 'TOKEN_INVALID'],
  ['a valid token with another secret', 'TOKEN_INVALID'],
  ['an expired account token', 'TOKEN_INVALID'],
  ['an expired project token', 'TOKEN_INVALID'],
  ['a revoked account token', 'TOKEN_INVALID'],
  ['a revoked project token', 'TOKEN_INVALID'],
  ['a project token of an inactive app', 'TOKEN_INVALID'],
  ["an app's private key", 'TOKEN_INVALID'],
] as const;

type Bearer =
  | (typeof REFUSED)[number][0]
  | 'an account token'
  | 'a project token'
  | 'an account token of one project';

const NOT_FOUND = 'RESOURCE_NOT_FOUND';
const NO_SIGN_IN = 'INVALID_CREDENTIALS';
const ACCOUNT_ONLY = 'ACCOUNT_TOKEN_REQUIRED';
const WHOLE_ACCOUNT_ONLY = 'WHOLE_ACCOUNT_REQUIRED';
const NO_PROJECT = 'INVALID_FIELD project';

const OPERATIONS: readonly Operation[] = [
  {
    operation: 'createApp',
    account: { own: 'ok' },
    project: { own: ACCOUNT_ONLY },
    oneProject: { own: 'ok' },
    ask: async (api, token) => summaryOf(await api.createApp(token, newApp()), () => 'ok'),
  },
  {
    operation: 'createApp in a project',
    only: 'GraphQL',
    account: row(NO_PROJECT, NO_PROJECT, 'ok', 'ok'),
    project: row(ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY),
    oneProject: row(NO_PROJECT, NO_PROJECT, NO_PROJECT, 'ok'),
    ask: (_api, token, { project }) =>
      askGraphql(
        'mutation ($input: CreateAppInput!) { createApp(input: $input) { app { project { name } } } }',
        token,
        { ...newApp(), project },
        ({ createApp: { app } }) => sameName(app.project.name, project),
      ),
  },
  {
    operation: 'updateApp',
    only: 'GraphQL',
    account: row(NOT_FOUND, NOT_FOUND, 'ok', 'ok'),
    project: row(ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY),
    oneProject: row(NOT_FOUND, NOT_FOUND, NOT_FOUND, 'ok'),
    ask: (_api, token, { spareApp: name }) =>
      askGraphql(
        'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { name } } }',
        token,
        { name, title: newTitle() },
        ({ updateApp: { app } }) => sameName(app.name, name),
      ),
  },
  {
    operation: 'rotateAppKey',
    only: 'GraphQL',
    account: row(NOT_FOUND, NOT_FOUND, 'ok', 'ok'),
    project: row(ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY),
    oneProject: row(NOT_FOUND, NOT_FOUND, NOT_FOUND, 'ok'),
    ask: (_api, token, { spareApp: name }) =>
      askGraphql(
        'mutation ($input: RotateAppKeyInput!) { rotateAppKey(input: $input) { app { name } } }',
        token,
        { name },
        ({ rotateAppKey: { app } }) => sameName(app.name, name),
      ),
  },
  {
    operation: 'signOut',
    only: 'GraphQL',
    account: { own: 'ok' },
    project: { own: 'ok' },
    ask: async (_api, token) =>
      askGraphql('mutation { signOut { clientMutationId } }', await tokenToEnd(token), {}, () => 'ok'),
  },
  {
    operation: 'viewer',
    only: 'GraphQL',
    account: { own: 'ok' },
    project: { own: 'ok' },
    ask: (_api, token) =>
      askGraphql('{ viewer { level } }', token, {}, ({ viewer: { level } }) =>
        sameName(level, token === tokens['a project token'] ? 'PROJECT' : 'ACCOUNT'),
      ),
  },
  {
    operation: 'events',
    only: 'GraphQL',
    account: { own: 'ok' },
    project: { own: ACCOUNT_ONLY },
    oneProject: { own: WHOLE_ACCOUNT_ONLY },
    ask: (_api, token) => askGraphql('{ events { nodes { id } } }', token, {}, () => 'ok'),
  },
  {
    operation: 'tokens',
    only: 'GraphQL',
    account: { own: 'ok' },
    project: { own: ACCOUNT_ONLY },
    oneProject: { own: WHOLE_ACCOUNT_ONLY },
    ask: (_api, token) => askGraphql('{ tokens { nodes { id } } }', token, {}, () => 'ok'),
  },
  {
    operation: 'revokeToken',
    only: 'GraphQL',
    account: row(NOT_FOUND, NOT_FOUND, 'ok', 'ok'),
    project: row(ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY, ACCOUNT_ONLY),
    oneProject: row(WHOLE_ACCOUNT_ONLY, WHOLE_ACCOUNT_ONLY, WHOLE_ACCOUNT_ONLY, WHOLE_ACCOUNT_ONLY),
    ask: (_api, token, { spareToken: id }) =>
      askGraphql(
        'mutation ($input: RevokeTokenInput!) { revokeToken(input: $input) { revokedTokenId } }',
        token,
        { id },
        ({ revokeToken }) => sameName(revokeToken.revokedTokenId, id),
      ),
  },
  {
    operation: 'signIn',
    account: row(NO_SIGN_IN, NO_SIGN_IN, 'ok', 'ok'),
    project: row(NO_SIGN_IN, NO_SIGN_IN, NO_SIGN_IN, 'ok'),
    ask: async (api, token, { app }) =>
      summaryOf(await api.signIn(token, app), (result) => sameName(result.app.name, app.name)),
  },
  {
    operation: 'updateWallet',
    account: row(NOT_FOUND, NOT_FOUND, 'ok', 'ok'),
    project: row(NOT_FOUND, NOT_FOUND, NOT_FOUND, 'ok'),
    ask: async (api, token, { wallet }) =>
      summaryOf(await api.updateWallet(token, wallet, { title: newTitle() }), ({ name }) =>
        sameName(name, wallet),
      ),
  },
  {
    operation: 'updateWallet into a project',
    account: row(NO_PROJECT, NO_PROJECT, 'ok', 'ok'),
    project: row(NO_PROJECT, NO_PROJECT, NO_PROJECT, 'ok'),
    ask: async (api, token, { project }) =>
      summaryOf(await api.updateWallet(token, targets.own.wallet, { project }), (wallet) =>
        sameName(wallet.project, project),
      ),
  },
  {
    operation: 'listProjects',
    account: { own: 'own, sibling' },
    project: { own: 'own' },
    ask: async (api, token) => summaryOf(await api.listProjects(token), placesOf),
  },
  ...(['project', 'app', 'wallet'] as const).map(
    (kind): Operation => ({
      operation: `node of a${kind === 'app' ? 'n' : ''} ${kind}`,
      only: 'GraphQL',
      account: row('null', 'null', 'ok', 'ok'),
      project: row('null', 'null', 'null', 'ok'),
      ask: (_api, token, target) => {
        const input = kind === 'app' ? target.app.name : target[kind];
        const document = 'query ($input: ID!) { node(id: $input) { id } }';
        return askGraphql(document, token, input, ({ node }) => (node ? sameName(node.id, input) : 'null'));
      },
    }),
  ),
];

/** HTTP status, code and challenge of each error. All other responses are 200. */
const RESPONSES: Readonly<Record<string, Readonly<Record<Api['name'], string>>>> = {
  TOKEN_MISSING: {
    REST: '401 UNAUTHENTICATED Bearer realm="paw"',
    GraphQL: '401 UNAUTHENTICATED Bearer realm="paw"',
  },
  TOKEN_INVALID: {
    REST: '401 UNAUTHENTICATED Bearer realm="paw", error="invalid_token"',
    GraphQL: '401 UNAUTHENTICATED Bearer realm="paw", error="invalid_token"',
  },
  [ACCOUNT_ONLY]: { REST: '403 PERMISSION_DENIED', GraphQL: '200 FORBIDDEN' },
  [WHOLE_ACCOUNT_ONLY]: { REST: '403 PERMISSION_DENIED', GraphQL: '200 FORBIDDEN' },
  [NOT_FOUND]: { REST: '404 NOT_FOUND', GraphQL: '200 NOT_FOUND' },
  [NO_SIGN_IN]: { REST: '401 UNAUTHENTICATED Bearer realm="paw"', GraphQL: '200 INVALID_CREDENTIALS' },
  [NO_PROJECT]: { REST: '400 INVALID_ARGUMENT', GraphQL: '200 BAD_USER_INPUT' },
};

// A bearer token is checked in one place, before any operation. So only one operation is tested with all tokens.
const REFUSED_EVERYWHERE: readonly Bearer[] = ['no token', 'a revoked project token'];

const CASES = OPERATIONS.flatMap((operation) => [
  ...REFUSED.filter(
    ([bearer]) => operation.operation === 'listProjects' || REFUSED_EVERYWHERE.includes(bearer),
  ).map(([bearer, reason]) => ({
    ...operation,
    bearer,
    expected: operation.account.missing ? row(reason, reason, reason, reason) : { own: reason },
  })),
  { ...operation, bearer: 'an account token' as const, expected: operation.account },
  { ...operation, bearer: 'a project token' as const, expected: operation.project },
  {
    ...operation,
    bearer: 'an account token of one project' as const,
    expected: operation.oneProject ?? operation.project,
  },
]);

const gateway = useGateway();
let home: Tenant;
let targets: Readonly<Record<Place, Target>>;
let tokens: Readonly<Record<Bearer, string | undefined>>;
let serial = 0;

beforeAll(async () => {
  const { admin, clock, databaseUrl } = gateway;
  const api = restApi(() => gateway.url);
  home = await seedTenant(gateway, { projects: 2, wallets: 2 });
  const abroad = await seedTenant(gateway, { wallets: 1 });
  const [ownProject = '', siblingProject = ''] = home.projects;
  const [ownWallet = '', siblingWallet = ''] = home.wallets;
  await resultOf(api.updateWallet(home.token, siblingWallet, { project: siblingProject }));

  const [ownApp, inactiveApp] = [await createApp(api, home.token), await createApp(api, home.token)];
  targets = {
    own: {
      project: ownProject,
      app: keyOf(ownApp),
      spareApp: (await createApp(api, home.token)).name,
      spareToken: await newAccountToken(home),
      wallet: ownWallet,
    },
    sibling: {
      project: siblingProject,
      app: keyOf(await createAppIn(gateway, api, home, siblingProject)),
      spareApp: (await createAppIn(gateway, api, home, siblingProject)).name,
      spareToken: await newAccountToken(home, siblingProject),
      wallet: siblingWallet,
    },
    foreign: {
      project: abroad.projects[0] ?? '',
      app: keyOf(await createApp(api, abroad.token)),
      spareApp: (await createApp(api, abroad.token)).name,
      spareToken: await newAccountToken(abroad),
      wallet: abroad.wallets[0] ?? '',
    },
    missing: {
      project: `projects/${admin.newId()}`,
      app: { name: `apps/${admin.newId()}`, privateKey: neverIssued('key') },
      spareApp: `apps/${admin.newId()}`,
      spareToken: `tokens/${admin.newId()}`,
      wallet: `wallets/${admin.newId()}`,
    },
  };

  const newProjectToken = () => projectTokenOf(api, home.token, ownApp);
  const expiredProjectToken = await newProjectToken();
  clock.advance(HOUR_MS);
  const revoked = {
    account: (await createAccountToken(admin, home, 86_400)).accessToken,
    project: await newProjectToken(),
  };
  tokens = {
    'no token': undefined,
    'text that is no token': 'paw_acct_nonsense',
    'an account token that was never issued': neverIssued('acct'),
    'a project token that was never issued': neverIssued('app'),
    'a valid token with another secret': withOtherSecret(home.token),
    'an expired account token': await expiredToken(gateway, home),
    'an expired project token': expiredProjectToken,
    'a revoked account token': revoked.account,
    'a revoked project token': revoked.project,
    'a project token of an inactive app': await projectTokenOf(api, home.token, inactiveApp),
    "an app's private key": ownApp.privateKey,
    'an account token': home.token,
    'a project token': await newProjectToken(),
    'an account token of one project': await tokenOfOneProject(),
  };
  for (const token of Object.values(revoked)) {
    const { accountId, serial } = credentialParts(token);
    await revokeToken(gateway.database, accountId, serial, clock());
  }
  await pawJson(['app', 'deactivate', inactiveApp.name], { DATABASE_URL: databaseUrl });
});

test('the table has every mutation', () => {
  expect(OPERATIONS.map(mutationOf)).toEqual(expect.arrayContaining(Object.keys(mutations)));
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const cases = CASES.filter(({ only }) => only === undefined || only === api.name);

  test.each(cases)(
    '$operation with $bearer has the response of the table, a change is recorded, and a refusal changes nothing',
    async ({ operation, bearer, expected, ask }) => {
      const responses: Partial<Record<Place, string>> = {};
      const bytes: Partial<Record<Place, object>> = {};
      for (const place of PLACES.filter((each) => expected[each])) {
        const [before, acts] = [await contents(), await countActs()];
        const { text, response } = await ask(api, tokens[bearer], targets[place]);
        responses[place] = `${text}: ${wire(response)}`;
        bytes[place] = withoutRequestId(response);
        if (text !== 'ok') expect(await contents(), 'a refusal changes nothing').toEqual(before);
        else if (mutationOf({ operation })) expect(await countActs()).toBeGreaterThan(acts);
      }
      expect(responses).toEqual(
        Object.fromEntries(
          Object.entries(expected).map(([place, reason]) => [place, `${reason}: ${wireOf(reason, api)}`]),
        ),
      );
      for (const place of PLACES.filter((each) => expected.missing && expected[each] === expected.missing)) {
        expect(bytes[place], `${place} gets the response of missing`).toEqual(bytes.missing);
      }
    },
  );

  test.each<[string, (token: string) => string, string | undefined]>([
    ['the scheme in lower case', (token) => `bearer ${token}`, undefined],
    ['another scheme', (token) => `Basic ${Buffer.from(`paw:${token}`).toString('base64')}`, 'TOKEN_MISSING'],
    ['a token and more', (token) => `Bearer ${token} ${token}`, 'TOKEN_INVALID'],
  ])('an Authorization header with %s is read by RFC 6750', async (_what, header, reason) => {
    const headers = { authorization: header(home.token) };
    const response =
      api.name === 'REST'
        ? await send(`${gateway.url}/project/projects`, 'GET', undefined, undefined, headers)
        : await postGraphql(gateway.url, undefined, '{ projects { totalCount } }', {}, headers);
    expect(wire(response)).toBe(reason === undefined ? '200' : wireOf(reason, api));
  });
});

function row(missing: string, foreign: string, sibling: string, own: string): Expected {
  return { missing, foreign, sibling, own };
}

function summaryOf<T>({ value, error, response }: Outcome<T>, textOf: (value: T) => string): Summary {
  if (value !== undefined) return { text: textOf(value), response };
  return { text: [error?.reason, ...(error?.fields ?? [])].join(' '), response };
}

async function askGraphql(
  document: string,
  token: string | undefined,
  input: object | string,
  // biome-ignore lint/suspicious/noExplicitAny: the shape follows from the document
  textOf: (data: any) => string,
): Promise<Summary> {
  return summaryOf(await graphqlOutcome(gateway.url, token, document, { input }, (data) => data), textOf);
}

function sameName(name: string, requested: string): string {
  return name === requested ? 'ok' : `returned ${name}`;
}

function placesOf({ projects }: { projects: readonly { name: string }[] }): string {
  const place = (name: string) => PLACES.find((each) => targets[each].project === name);
  return projects.map(({ name }) => place(name) ?? name).join(', ');
}

function wire({ status, headers, text }: HttpResponse): string {
  const { error, errors } = JSON.parse(text);
  const name = error?.status ?? errors?.[0].extensions.code;
  return [status, name, headers.get('www-authenticate')].filter(Boolean).join(' ');
}

function wireOf(reason: string, { name }: Api): string {
  return RESPONSES[reason]?.[name] ?? '200';
}

/** All rows that an operation could change. */
async function contents(): Promise<unknown> {
  // A sweep can delete the expired tokens meanwhile, and the last use of a token is stored after its request.
  const valid = `SELECT account_id, id, value, expire_time_ms FROM token WHERE expire_time_ms > ${gateway.clock()}`;
  const tables = ['account', 'project', 'app', 'wallet'].map((table) => `SELECT * FROM ${table}`);
  return Promise.all([...tables, valid].map((select) => gateway.database.read(`${select} ORDER BY 1, 2`)));
}

/** The number of acts in the audit trail. */
async function countActs(): Promise<number> {
  const [row] = await gateway.database.read('SELECT SUM(event_count) AS acts FROM audit_event');
  return Number(row?.['acts']);
}

/** Returns the mutation of an operation in the table; undefined for a query. */
function mutationOf({ operation }: Pick<Operation, 'operation'>): string | undefined {
  return Object.keys(mutations).find((name) => name === operation.split(' ')[0]);
}

function newApp() {
  return { title: newTitle(), active: true };
}

/** A new title for every request, so that a write is always visible. */
function newTitle(): string {
  serial += 1;
  return `No. ${serial}`;
}

/** Returns a new token in place of a valid one, which other tests use. */
async function tokenToEnd(token: string | undefined): Promise<string | undefined> {
  if (token === home.token) return (await createAccountToken(gateway.admin, home, 86_400)).accessToken;
  if (token === tokens['an account token of one project']) return tokenOfOneProject();
  const isValid = token === tokens['a project token'];
  return isValid
    ? projectTokenOf(
        restApi(() => gateway.url),
        home.token,
        targets.own.app,
      )
    : token;
}

async function newAccountToken({ account }: Tenant, onlyProject?: string): Promise<string> {
  return `tokens/${(await createAccountToken(gateway.admin, { account, onlyProject }, 86_400)).id}`;
}

async function tokenOfOneProject(): Promise<string> {
  const [onlyProject] = home.projects;
  const { account } = home;
  return (await createAccountToken(gateway.admin, { account, onlyProject }, 86_400)).accessToken;
}

function neverIssued(kind: CredentialKind): string {
  return createCredential(kind, gateway.admin.newId(), gateway.admin.newId());
}
