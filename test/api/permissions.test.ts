import { beforeAll, describe, expect, test } from 'vitest';
import { type CredentialKind, createCredential, parseCredential } from '../../src/credentials/credential.ts';
import { updateApp } from '../../src/data/apps/update-app.ts';
import { createProject } from '../../src/data/projects/create-project.ts';
import { deleteTokenRow } from '../../src/storage/tables/tokens.ts';
import {
  type Api,
  bothApis,
  challengeOf,
  graphqlOutcome,
  type HttpResponse,
  type Outcome,
  postGraphql,
  restApi,
  send,
} from '../support/both-apis.ts';
import { freePort } from '../support/free-port.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { type Answered, countsAfter, lineFor, lineOf, readCounts } from '../support/log-lines.ts';
import { documentOf, MUTATION_NAMES, MUTATIONS, type MutationName } from '../support/mutations.ts';
import { RULES } from '../support/operation-rules.ts';
import {
  authorize,
  createAccountToken,
  createApp,
  createAppIn,
  credentialParts,
  expiredToken,
  keyOf,
  mutate as mutateAs,
  projectTokenOf,
  resultOf,
  ulidOf,
  withOtherSecret,
  withoutRequestId,
} from '../support/requests.ts';
import { contentsOf, eventsOf, setRow } from '../support/rows.ts';

// Every operation with every token by both APIs: its response, what it changes, its audit event, its line of the log and
// its metrics.

const MINUTE_MS = 60_000;

/** The location of a resource, relative to the caller's project. `own` is last, so that a wallet is moved back. */
const PLACES = ['missing', 'foreign', 'sibling', 'own'] as const;

type Place = (typeof PLACES)[number];

type Target = {
  readonly project: string;
  readonly app: { readonly name: string; readonly privateKey: string };
  /** The name of an app whose key is not used. */
  readonly spareApp: string;
  /** Apps to delete, one by one. */
  readonly oldApps: string[];
  /** Projects to delete, one by one. */
  readonly oldProjects: string[];
  /** The names of account tokens to end, one by one. */
  readonly oldTokens: string[];
  readonly wallet: string;
};

/** A response, and a summary of it: `ok`, `null`, or the reason and the fields at fault. */
type Summary = { readonly text: string; readonly response: HttpResponse };

/** What the audit event of an act has beside its request. */
type Act = {
  readonly action: string;
  readonly resource?: string | undefined;
  readonly token?: string | undefined;
  readonly fields?: string;
};

/** What the tokens get that an operation admits. What the others get follows from its level. */
type Operation = {
  /** The name of the operation, and more words. */
  readonly operation: string;
  /** The tokens that may call it, as docs/api.md has them; all if undefined. Not derived from the rules, which it tests. */
  readonly level?: 'account' | 'whole account' | 'issued by operator';
  /** What it says of a target that the token does not see; undefined if it has no target. */
  readonly hidden?: string;
  /** What it says otherwise, to a token that sees the account, and to one that sees a project; `ok` if undefined. */
  readonly shown?: readonly [account: string, project: string];
  readonly only?: 'GraphQL';
  /** The path by REST. */
  readonly path?: string;
  /** The app of a sign-in. */
  app?(target: Target): string;
  /** The act that is recorded of a mutation, and of a sign-in that is refused. */
  act?(target: Target, text: string, token: string): Act;
  ask(api: Api, token: string | undefined, target: Target): Promise<Summary>;
};

type Expected = Readonly<Partial<Record<Place, string>>>;

type Makers = Readonly<Record<string, () => string | undefined | Promise<string>>>;

const REFUSED = {
  'no token': () => undefined,
  'text that is no token': () => 'paw_acct_nonsense',
  'an account token that was never issued': () => neverIssued('acct'),
  'a project token that was never issued': () => neverIssued('app'),
  'a valid token with another secret': () => withOtherSecret(home.token),
  'an expired account token': () => expiredToken(gateway, home),
  'an expired project token': async () => {
    const token = await projectTokenIn(targets.own);
    gateway.clock.advance(3_600_000);
    return token;
  },
  'a revoked account token': async () => revoked(await accountToken()),
  'a revoked project token': async () => revoked(await projectTokenIn(targets.own)),
  'a project token of an inactive app': async () => {
    const app = await createApp(rest, home.token);
    const token = await projectTokenOf(rest, home.token, app);
    await updateApp(gateway.operator, { name: app.name, active: false });
    return token;
  },
  "an app's private key": () => targets.own.app.privateKey,
} as const satisfies Makers;

/** The tokens of a request: a new one for each test, since a test can end it. */
const TOKENS = {
  ...REFUSED,
  'an account token': () => accountToken(),
  'a project token': () => projectTokenIn(targets.own),
  'an account token of one project': () => accountToken({ onlyProject: targets.own.project }),
  'a read-only account token': () => accountToken({ readOnly: true }),
  'a token that a token has created': () => madeToken(),
  'a read-only project token': async () => {
    const response = await authorize(gateway, targets.own.app, { scope: 'read' });
    return ((await response.json()) as { access_token: string }).access_token;
  },
} as const satisfies Makers;

type Bearer = keyof typeof TOKENS;

const NOT_FOUND = 'RESOURCE_NOT_FOUND';
const NO_SIGN_IN = 'INVALID_CREDENTIALS';
const ACCOUNT_ONLY = 'ACCOUNT_TOKEN_REQUIRED';
const WHOLE_ACCOUNT_ONLY = 'WHOLE_ACCOUNT_REQUIRED';
const OPERATOR_ONLY = 'OPERATOR_TOKEN_REQUIRED';
const NO_PROJECT = 'INVALID_FIELD project';
const READ_ONLY = 'READ_ONLY_TOKEN';

const appIn = (text: string) => /apps\/\w{26}/.exec(text)?.[0];

const newTokenIn = (text: string) => credentialParts(/paw_acct_\w+/.exec(text)?.[0] ?? '').id;

const signInAct = ({ app }: Target, text: string): Act => {
  const [token] = /paw_app_\w+/.exec(text) ?? [];
  if (token === undefined)
    return { action: 'sign_in.fail', resource: isOwn(app.name) ? app.name : home.account };
  return { action: 'sign_in.succeed', resource: app.name, token: credentialParts(token).id };
};

const isOwn = (app: string) => [targets.own, targets.sibling].some((target) => target.app.name === app);

const nameOf = ({ operation }: Operation) => /^\w+/.exec(operation)?.[0] ?? '';

/** A mutation of a resource or a token, by GraphQL alone. */
function mutationOf(mutation: MutationName): Operation {
  const [target] = MUTATIONS[mutation];
  const nameIn = ({ project, wallet, spareApp }: Target) =>
    [project, wallet, spareApp].find((name) => name.startsWith(target)) ?? '';
  const [, verb, kind, part] = /^([a-z]+)([A-Z][a-z]+)(\w*)/.exec(mutation) ?? [];
  const action = `${kind}.${verb}${part && `_${part}`}`.toLowerCase();
  return {
    operation: mutation,
    level: 'account',
    only: 'GraphQL',
    hidden: NOT_FOUND,
    act: (at) => ({ action, resource: nameIn(at), ...(verb === 'update' && { fields: 'title' }) }),
    ask: (_api, token, at) => mutate(token, mutation, nameIn(at)),
  };
}

/** The reads, and the mutations that differ from `mutationOf`. */
const OTHERS: readonly Operation[] = [
  {
    operation: 'createApp',
    level: 'account',
    path: 'POST /auth/apps',
    act: (_, text) => ({ action: 'app.create', resource: appIn(text) }),
    ask: async (api, token) => summaryOf(await api.createApp(token, newApp()), () => 'ok'),
  },
  {
    operation: 'createApp in a project',
    level: 'account',
    act: (_, text) => ({ action: 'app.create', resource: appIn(text) }),
    only: 'GraphQL',
    hidden: NO_PROJECT,
    ask: (_api, token, { project }) => mutate(token, 'createApp', project, { project }),
  },
  {
    operation: 'createWallet',
    act: (_, text) => ({ action: 'wallet.create', resource: /wallets\/\w{26}/.exec(text)?.[0] }),
    only: 'GraphQL',
    hidden: NO_PROJECT,
    ask: (_api, token, { project }) => mutate(token, 'createWallet', project, { project }),
  },
  {
    operation: 'countAddresses',
    level: 'whole account',
    only: 'GraphQL',
    ask: (_api, token) => askGraphql('{ viewer { addressesLeft { count } } }', token, {}, () => 'ok'),
  },
  {
    ...mutationOf('deleteApp'),
    act: (_, text) => ({ action: 'app.delete', resource: appIn(text) }),
    ask: (_api, token, { oldApps }) => endFirst(token, 'deleteApp', oldApps),
  },
  {
    ...mutationOf('deleteProject'),
    level: 'whole account',
    act: (_, text) => ({ action: 'project.delete', resource: /projects\/\w{26}/.exec(text)?.[0] }),
    ask: (_api, token, { oldProjects }) => endFirst(token, 'deleteProject', oldProjects),
  },
  ...([0, 1] as const).map(
    (before): Operation => ({
      operation: before ? 'unarchiveWallet' : 'archiveWallet',
      only: 'GraphQL',
      hidden: NOT_FOUND,
      act: ({ wallet }) => ({ action: `wallet.${before ? 'unarchive' : 'archive'}`, resource: wallet }),
      ask: (_api, token, { wallet }) => changeState(token, wallet, before),
    }),
  ),
  {
    operation: 'createProject',
    level: 'whole account',
    act: (_, text) => ({ action: 'project.create', resource: /projects\/\w{26}/.exec(text)?.[0] }),
    only: 'GraphQL',
    ask: (_api, token) => mutate(token, 'createProject', 'projects/'),
  },
  {
    operation: 'createToken',
    level: 'issued by operator',
    only: 'GraphQL',
    act: (_, text) => ({ action: 'token.create', resource: home.account, token: newTokenIn(text) }),
    ask: (_api, token) => mutate(token, 'createToken', 'tokens/'),
  },
  {
    operation: 'createToken for a project',
    level: 'issued by operator',
    only: 'GraphQL',
    act: (_, text) => ({ action: 'token.create', resource: home.account, token: newTokenIn(text) }),
    hidden: NO_PROJECT,
    ask: (_api, token, { project }) => mutate(token, 'createToken', 'tokens/', { project }),
  },
  {
    operation: 'signOut',
    act: (_, _text, token) => ({
      action: 'sign_out',
      resource: token.startsWith('paw_app_') ? targets.own.project : home.account,
      token: credentialParts(token).id,
    }),
    only: 'GraphQL',
    ask: (_api, token) => mutate(token, 'signOut', ''),
  },
  {
    operation: 'getViewer',
    only: 'GraphQL',
    ask: (_api, token) =>
      askGraphql('{ viewer { level } }', token, {}, ({ viewer: { level } }) =>
        sameName(level, token?.startsWith('paw_app_') ? 'PROJECT' : 'ACCOUNT'),
      ),
  },
  ...(['Events', 'Tokens'] as const).map(
    (kind): Operation => ({
      operation: `list${kind}`,
      level: 'whole account',
      only: 'GraphQL',
      ask: (_api, token) => askGraphql(`{ ${kind.toLowerCase()} { nodes { id } } }`, token, {}, () => 'ok'),
    }),
  ),
  {
    ...mutationOf('revokeToken'),
    level: 'whole account',
    act: (_, text) => ({
      ...{ action: 'token.revoke', resource: home.account },
      token: /tokens\/(\w{26})/.exec(text)?.[1],
    }),
    ask: (_api, token, { oldTokens }) => endFirst(token, 'revokeToken', oldTokens),
  },
  {
    operation: 'signIn',
    app: ({ app }) => app.name,
    path: 'POST /auth/accounts:signinIdentity',
    act: signInAct,
    hidden: NO_SIGN_IN,
    ask: async (api, token, { app }) =>
      summaryOf(await api.signIn(token, app), (result) => sameName(result.app.name, app.name)),
  },
  {
    operation: 'updateWallet',
    path: 'PATCH /wallet/*',
    act: ({ wallet }) => ({ action: 'wallet.update', resource: wallet, fields: 'title' }),
    hidden: NOT_FOUND,
    ask: async (api, token, { wallet }) =>
      summaryOf(await api.updateWallet(token, wallet, { title: newTitle() }), ({ name }) =>
        sameName(name, wallet),
      ),
  },
  {
    operation: 'updateWallet into a project',
    path: 'PATCH /wallet/*',
    act: () => ({ action: 'wallet.update', resource: targets.own.wallet, fields: 'project' }),
    hidden: NO_PROJECT,
    ask: async (api, token, { project }) =>
      summaryOf(await api.updateWallet(token, targets.own.wallet, { project }), (wallet) =>
        sameName(wallet.project, project),
      ),
  },
  {
    operation: 'listProjects',
    path: 'GET /project/projects',
    shown: ['own, sibling', 'own'],
    ask: async (api, token) => summaryOf(await api.listProjects(token), placesOf),
  },
  {
    operation: 'searchWallets at an address',
    only: 'GraphQL',
    hidden: 'missing',
    ask: (_api, token, { wallet }) => {
      // Those of all wallets here.
      const [one, two] = [1, 2].map(
        (n) => `wallets(address: "0x${String(n).padStart(40, '0')}") { nodes { id } }`,
      );
      return askGraphql(`{ one: ${one} two: ${two} }`, token, {}, ({ one, two }) =>
        [...one.nodes, ...two.nodes].some(({ id }) => id === wallet) ? 'ok' : 'missing',
      );
    },
  },
  {
    operation: 'searchWallets by title',
    only: 'GraphQL',
    hidden: 'missing',
    // The titles before and after an update.
    ask: (_api, token, { wallet }) => findByTitle(token, 'wallets', ['wallet', 'no.'], wallet),
  },
  {
    operation: 'listApps',
    only: 'GraphQL',
    hidden: 'missing',
    ask: (_api, token, { app }) => findByTitle(token, 'apps', ['app', 'no.'], app.name),
  },
  {
    operation: 'listEvents on a wallet',
    level: 'whole account',
    only: 'GraphQL',
    hidden: 'none',
    shown: ['some', 'some'],
    ask: (_api, token, { wallet }) =>
      askGraphql(
        'query ($input: ResourceName!) { events(resource: $input) { nodes { id } } }',
        token,
        wallet,
        ({ events }) => (events.nodes.length > 0 ? 'some' : 'none'),
      ),
  },
  ...(['project', 'app', 'wallet'] as const).map(
    (kind): Operation => ({
      operation: `getResources: the node of a${kind === 'app' ? 'n' : ''} ${kind}`,
      only: 'GraphQL',
      hidden: 'null',
      ask: (_api, token, target) => {
        const input = kind === 'app' ? target.app.name : target[kind];
        const document = 'query ($input: ID!) { node(id: $input) { id } }';
        return askGraphql(document, token, input, ({ node }) => (node ? sameName(node.id, input) : 'null'));
      },
    }),
  ),
  ...(['Apps', 'Wallets'] as const).map(
    (kind): Operation => ({
      operation: `list${kind}OfProjects`,
      only: 'GraphQL',
      hidden: 'null',
      shown: ['some', 'some'],
      ask: (_api, token, { project }) => {
        const list = `... on Project { ${kind.toLowerCase()} { nodes { id } } }`;
        return askGraphql(
          `query ($input: ID!) { node(id: $input) { ${list} } }`,
          token,
          project,
          ({ node }) => (node && node[kind.toLowerCase()].nodes.length > 0 ? 'some' : `${node}`),
        );
      },
    }),
  ),
];

const OPERATIONS: readonly Operation[] = [
  ...OTHERS,
  ...MUTATION_NAMES.filter((name) => OTHERS.every((each) => nameOf(each) !== name)).map(mutationOf),
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
  [OPERATOR_ONLY]: { REST: '403 PERMISSION_DENIED', GraphQL: '200 FORBIDDEN' },
  [READ_ONLY]: {
    REST: '403 PERMISSION_DENIED Bearer realm="paw", error="insufficient_scope", scope="read write"',
    GraphQL: '403 FORBIDDEN Bearer realm="paw", error="insufficient_scope", scope="read write"',
  },
  [NOT_FOUND]: { REST: '404 NOT_FOUND', GraphQL: '200 NOT_FOUND' },
  [NO_SIGN_IN]: { REST: '401 UNAUTHENTICATED Bearer realm="paw"', GraphQL: '200 INVALID_CREDENTIALS' },
  [NO_PROJECT]: { REST: '400 INVALID_ARGUMENT', GraphQL: '200 BAD_USER_INPUT' },
};

// A bearer token is checked in one place, before any operation. So only one operation is tested with all tokens.
const REFUSED_EVERYWHERE: readonly Bearer[] = ['no token', 'a revoked project token'];

const refusedBy = ({ operation }: Operation) =>
  operation === 'listProjects' ? (Object.keys(REFUSED) as (keyof typeof REFUSED)[]) : REFUSED_EVERYWHERE;

const isRead = ({ operation }: Operation) => /^(count|get|list|search)[A-Z]/.test(operation);

/** The refusal of a token, whatever the target is. */
const everywhere = ({ hidden }: Operation, reason: string): Expected =>
  hidden === undefined ? { own: reason } : row(reason, reason, reason, reason);

/** Returns what a token gets that sees one project, may only read, or was made by another: the refusal, or what is expected. */
function ruled(
  operation: Operation,
  expected: Expected,
  token: { level?: 'account' | 'project'; readOnly?: true; isMade?: true },
) {
  const { level = 'any' } = operation;
  if (token.readOnly && !isRead(operation)) return everywhere(operation, READ_ONLY);
  if (token.level === 'project' && level !== 'any') return everywhere(operation, ACCOUNT_ONLY);
  if (token.level === 'account' && /whole|operator/.test(level))
    return everywhere(operation, WHOLE_ACCOUNT_ONLY);
  if (token.isMade && level === 'issued by operator') return everywhere(operation, OPERATOR_ONLY);
  return expected;
}

const CASES = OPERATIONS.flatMap((operation) => {
  const { hidden, shown: [all, one] = ['ok', 'ok'] } = operation;
  const account = hidden === undefined ? { own: all } : row(hidden, hidden, all, all);
  const project = hidden === undefined ? { own: one } : row(hidden, hidden, hidden, one);
  return (
    [
      ...refusedBy(operation).map((bearer) => {
        const reason = bearer === 'no token' ? 'TOKEN_MISSING' : 'TOKEN_INVALID';
        return [bearer, everywhere(operation, reason)] as const;
      }),
      ['an account token', account],
      ['a project token', ruled(operation, project, { level: 'project' })],
      ['an account token of one project', ruled(operation, project, { level: 'account' })],
      ['a read-only account token', ruled(operation, account, { readOnly: true })],
      ['a token that a token has created', ruled(operation, account, { isMade: true })],
      ['a read-only project token', ruled(operation, project, { level: 'project', readOnly: true })],
    ] as const
  ).map(([bearer, expected]) => ({ ...operation, bearer, expected }));
});

let gateway: Gateway;
let metricsPort: number;
let home: Tenant;
let targets: Readonly<Record<Place, Target>>;
let serial = 0;

const rest = restApi(() => gateway.url);

beforeAll(async () => {
  metricsPort = await freePort();
  gateway = await startGateway({ PAW_METRICS_PORT: String(metricsPort) });
  home = await seedTenant(gateway, { projects: 2, wallets: 2, addresses: 20 });
  const abroad = await seedTenant(gateway, { wallets: 1 });
  const [, siblingProject = ''] = home.projects;
  const [, siblingWallet = ''] = home.wallets;
  await resultOf(rest.updateWallet(home.token, siblingWallet, { project: siblingProject }));
  const { newId } = gateway.operator;
  targets = {
    own: await targetIn(home, 0),
    sibling: await targetIn(home, 1),
    foreign: await targetIn(abroad, 0),
    missing: {
      project: `projects/${newId()}`,
      app: { name: `apps/${newId()}`, privateKey: neverIssued('key') },
      spareApp: `apps/${newId()}`,
      oldApps: [`apps/${newId()}`],
      oldProjects: [`projects/${newId()}`],
      oldTokens: [`tokens/${newId()}`],
      wallet: `wallets/${newId()}`,
    },
  };
  return gateway.stop;
});

/** Returns the resources of an account in one of its projects, with the wallet of the same index. */
async function targetIn(owner: Tenant, index: number): Promise<Target> {
  const [project = '', wallet = ''] = [owner.projects[index], owner.wallets[index]];
  const newAppIn = () => createAppIn(gateway, rest, owner, project);
  const three = <T>(make: () => Promise<T>) => Promise.all([make(), make(), make()]);
  const newProject = () => createProject(gateway.operator, { account: owner.account, title: 'Old' });
  const newToken = () => createAccountToken(gateway.operator, { account: owner.account, project });
  return {
    ...{ project, wallet, app: keyOf(await newAppIn()), spareApp: (await newAppIn()).name },
    oldApps: (await three(newAppIn)).map(({ name }) => name),
    oldProjects: (await three(newProject)).map(({ project }) => project.name),
    oldTokens: (await three(newToken)).map(({ id }) => `tokens/${id}`),
  };
}

test('the table has every operation', () => {
  expect(new Set(OPERATIONS.map(nameOf))).toEqual(new Set(Object.keys(RULES)));
});

describe.each(bothApis(() => gateway.url))('by $name', (api) => {
  const cases = CASES.filter(({ only }) => only === undefined || only === api.name);

  test.each(cases)(
    '$operation with $bearer has the response of the table, an event if it is an act, its line and its metrics',
    async (operation) => {
      const { bearer, expected, ask } = operation;
      const responses: Partial<Record<Place, string>> = {};
      const bytes: Partial<Record<Place, object>> = {};
      const answered: Answered[] = [];
      const token = await TOKENS[bearer]();
      const counts = await readCounts(metricsPort);
      for (const place of PLACES.filter((each) => expected[each])) {
        // Equal acts of a minute are one event.
        gateway.clock.advance(MINUTE_MS);
        const target = targets[place];
        const before = [await contents(), await events()] as const;
        const { text, response } = await ask(api, token, target);
        responses[place] = `${text}: ${wire(response)}`;
        bytes[place] = withoutRequestId(response);
        if (text !== 'ok') expect(await contents(), 'a refusal changes nothing').toEqual(before[0]);
        const request = {
          ...answeredBy(api, operation, { text, response, token }),
          app: operation.app?.(target),
        };
        answered.push(request);
        const isAct = text === 'ok' || text === NO_SIGN_IN;
        const act = isAct ? operation.act?.(target, response.text, token ?? '') : undefined;
        expect((await events()).slice(before[1].length)).toEqual(act ? [eventOf(act, request)] : []);
        expect(await lineOf(gateway, response)).toEqual(lineFor(request));
      }
      await expect.poll(() => readCounts(metricsPort)).toEqual(countsAfter(counts, answered));
      expect(responses).toEqual(
        Object.fromEntries(
          Object.entries(expected).map(([place, reason]) => [place, `${reason}: ${wireOf(reason, api)}`]),
        ),
      );
      for (const place of PLACES.filter((each) => expected.missing && expected[each] === expected.missing)) {
        expect(bytes[place], `${bearer}: ${place} gets the response of missing`).toEqual(bytes.missing);
      }
    },
  );

  test.each<[string, (token: string) => string, string | undefined]>([
    ['the scheme in lower case', (token) => `bearer ${token}`, undefined],
    ['another scheme', (token) => `Basic ${Buffer.from(`paw:${token}`).toString('base64')}`, 'TOKEN_MISSING'],
    ['a token and more', (token) => `Bearer ${token} ${token}`, 'TOKEN_INVALID'],
    ['several spaces', (token) => `Bearer   ${token}`, undefined],
    ['a second token', (token) => `Bearer ${token}, Bearer ${token}`, 'TOKEN_INVALID'],
    ['quotes', (token) => `Bearer "${token}"`, 'TOKEN_INVALID'],
    ['padding', (token) => `Bearer ${token}=`, 'TOKEN_INVALID'],
    ['a comma', (token) => `Bearer ${token},`, 'TOKEN_INVALID'],
    ['a tab behind the space', (token) => `Bearer \t${token}`, 'TOKEN_INVALID'],
    ['a tab', (token) => `Bearer\t${token}`, 'TOKEN_MISSING'],
    ['no scheme', (token) => token, 'TOKEN_MISSING'],
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

/** Runs a mutation, whose payload has to name a resource. */
function mutate(token: string | undefined, mutation: MutationName, name: string, fields: object = {}) {
  const input = MUTATIONS[mutation][2]({ name, title: newTitle(), ...fields });
  return askGraphql(documentOf(mutation), token, input, ({ [mutation]: payload }) =>
    JSON.stringify(payload).includes(`"${name}`) ? 'ok' : `returned ${JSON.stringify(payload)}`,
  );
}

/** Ends the first of some resources or tokens, which then is none of them. */
async function endFirst(token: string | undefined, mutation: MutationName, names: string[]) {
  const summary = await mutate(token, mutation, names[0] ?? '');
  if (summary.text === 'ok') names.shift();
  return summary;
}

/** Archives a wallet, or brings it back, if `before` is 1. Afterwards, the wallet is as before. */
async function changeState(token: string | undefined, wallet: string, before: 0 | 1) {
  const set = (archived: 0 | 1) =>
    setRow(gateway.database, wallet, { archived, archive_time_ms: archived ? 0 : null });
  if (before) await set(1);
  const summary = await mutate(token, before ? 'unarchiveWallet' : 'archiveWallet', wallet);
  await set(0);
  return summary;
}

/** Searches by two beginnings of titles. */
function findByTitle(
  token: string | undefined,
  list: 'apps' | 'wallets',
  titles: readonly [string, string],
  name: string,
) {
  const [one, two] = titles.map((title) => `${list}(title: "${title}", first: 100) { nodes { id } }`);
  return askGraphql(`{ one: ${one} two: ${two} }`, token, {}, ({ one, two }) =>
    [...one.nodes, ...two.nodes].some(({ id }) => id === name) ? 'ok' : 'missing',
  );
}

function sameName(name: string, requested: string): string {
  return name === requested ? 'ok' : `returned ${name}`;
}

function placesOf({ projects }: { projects: readonly { name: string }[] }): string {
  // Those that a test has created are in none.
  const place = (name: string) => PLACES.filter((each) => targets[each].project === name);
  return projects.flatMap(({ name }) => place(name)).join(', ');
}

function wire(response: HttpResponse): string {
  const { error, errors } = JSON.parse(response.text);
  const name = error?.status ?? errors?.[0].extensions.code;
  const challenge = response.headers.get('www-authenticate');
  const metadata = `resource_metadata="${gateway.url}/.well-known/oauth-protected-resource/`;
  if (challenge !== null) expect(challenge.split(', ').at(-1)).toContain(metadata);
  return [response.status, name, challengeOf(response)].filter(Boolean).join(' ');
}

function wireOf(reason: string, { name }: Api): string {
  return RESPONSES[reason]?.[name] ?? '200';
}

/** What the log and the metrics of a request follow from. */
function answeredBy(
  api: Api,
  { path = '' }: Operation,
  { text, response, token }: Summary & { token?: string | undefined },
) {
  const [method = '', route = ''] = (api.name === 'REST' ? path : 'POST /graphql').split(' ');
  const isValid = token !== undefined && !text.startsWith('TOKEN_');
  const ids = parseCredential(token ?? '');
  // The ids of a refused token are claims: nobody has proved them.
  const claimed = ids && { claimedAccount: ids.accountId, claimedCredential: ids.id };
  const caller = isValid ? { account: ulidOf(home.account), credential: credentialParts(token).id } : claimed;
  const reason = /^[A-Z]/.test(text) ? text.split(' ')[0] : undefined;
  return { method, route, response, reason, caller: caller ?? {} };
}

/** The audit event of an act. */
function eventOf({ fields = '', token, ...act }: Act, { response, caller }: Answered) {
  const timeMs = gateway.clock();
  const requestId = response.headers.get('x-request-id');
  const request = { requestId, credential: caller.credential, address: '127.0.0.1' };
  return { ...act, ...request, fields, token: token ?? null, count: 1, timeMs, lastTimeMs: timeMs };
}

const contents = () => contentsOf(gateway.database, gateway.clock());

const events = () => eventsOf(gateway.database, home.account);

function newApp() {
  return { title: newTitle(), active: true };
}

/** A new title for every request, so that a write is always visible. */
function newTitle(): string {
  serial += 1;
  return `No. ${serial}`;
}

async function accountToken(restriction: { onlyProject?: string; readOnly?: true } = {}): Promise<string> {
  const { account } = home;
  return (await createAccountToken(gateway.operator, { account, ...restriction }, 86_400)).accessToken;
}

async function madeToken(): Promise<string> {
  const input = { title: newTitle() };
  const { data } = await mutateAs(gateway.url, await accountToken(), 'createToken', input, 'accessToken');
  return data.createToken.accessToken;
}

function projectTokenIn({ app }: Target): Promise<string> {
  return projectTokenOf(rest, home.token, app);
}

async function revoked(token: string): Promise<string> {
  const { accountId, id } = credentialParts(token);
  await deleteTokenRow(gateway.database, accountId, id, gateway.clock());
  return token;
}

function neverIssued(kind: CredentialKind): string {
  return createCredential(kind, gateway.operator.newId(), gateway.operator.newId());
}
