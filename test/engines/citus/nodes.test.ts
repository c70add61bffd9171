import { buildSchema } from 'graphql';
import { expect, inject, test, vi } from 'vitest';
import { deleteApp } from '../../../src/data/apps/delete-app.ts';
import { createProject } from '../../../src/data/projects/create-project.ts';
import { updateProject } from '../../../src/data/projects/update-project.ts';
import { archiveWallet, unarchiveWallet } from '../../../src/data/wallets/archive-wallet.ts';
import { type HttpResponse, mutationDocument, postGraphql, restApi, send } from '../../support/both-apis.ts';
import { makeCitusDatabase } from '../../support/citus.ts';
import { LOG_COMMANDS, recordCommands } from '../../support/citus-commands.ts';
import { onDatabase } from '../../support/engine.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../../support/gateway.ts';
import { inputOf, type MutationName } from '../../support/mutations.ts';
import {
  type AppKey,
  authorize,
  createApp,
  keyOf,
  MISSING_WALLET,
  PASSWORD,
  projectTokenOf,
  tokenNameOf,
  withOtherSecret,
} from '../../support/requests.ts';
import { rowOf } from '../../support/rows.ts';
import { startBeforeAll } from '../../support/start-before-all.ts';

const WAIT = { timeout: 30_000 };

type Answer = Pick<HttpResponse, 'status'>;

/** Prepares a request, and returns the function that sends it. */
type Operation = () => Promise<() => Promise<Answer>>;

/** An operation, with the commands that Citus sends for it. The status is 200 by default. */
type Case = readonly [commands: string, operation: Operation, status?: number];

let gateway: Gateway;
let tenant: Tenant;
let app: AppKey;
let commands: ReturnType<typeof recordCommands>;

startBeforeAll(async (opening) => {
  opening.defer(() => void vi.restoreAllMocks());
  commands = recordCommands();
  const made = await makeCitusDatabase(inject('citusUrl') ?? '');
  opening.defer(made.remove);
  await onDatabase(made.url, (database) =>
    database.write(`ALTER DATABASE ${new URL(made.url).pathname.slice(1)} SET ${LOG_COMMANDS}`),
  );
  // With this maximum, every sign-in deletes the oldest tokens.
  gateway = await startGateway({ DATABASE_URL: made.url, PAW_APP_TOKENS: '10' });
  opening.defer(gateway.stop);
  tenant = await seedTenant(gateway, { projects: 3, wallets: 3, addresses: 3 });
  app = keyOf(await createApp(api, tenant.token));
  // A list of one app would not be counted.
  await createApp(api, tenant.token);
  // These times are written in the background, once an hour.
  await used(tenant.token);
  await newToken();
  await written(app.name, 'last_sign_in_time_ms');
  // The first sweep of a server, which is in the background, belongs to no request.
  await vi.waitUntil(() => commands().some(({ text }) => /FROM .*audit_event.* WHERE/.test(text)), WAIT);
});

const api = restApi(() => gateway.url);

/** Replaces `$` and a name in a path or in JSON by the name of the resource. */
function filled<T>(template: T): T {
  const { wallets, projects } = tenant;
  const names = { ...app, wallet: wallets[0], project: projects[0], other: projects[1], app: app.name };
  return JSON.parse(
    JSON.stringify(template).replace(
      /\$(name|privateKey|wallet|project|other|app)\b/g,
      (_, name: keyof typeof names) => String(names[name]),
    ),
  );
}

const rest =
  (method: string, path: string, body?: object): Operation =>
  async () =>
  () =>
    send(gateway.url + filled(path), method, tenant.token, body && filled(body));

const graphql =
  (text: string, variables: object = {}): Operation =>
  async () =>
  () =>
    postGraphql(gateway.url, tenant.token, text, filled(variables));

/** A mutation of the tenant with its resources, or with the fields that replace them. */
const mutation =
  (name: MutationName, fields: object = {}): Operation =>
  async () =>
    graphql(mutationDocument(name), { input: { ...inputOf(name, { ...tenant, app }), ...fields } })();

/** A mutation of a new app, with its name as the field `name` of the input. */
const ofNewApp =
  (name: MutationName, input: object = {}): Operation =>
  async () =>
    mutation(name, { ...input, name: (await createApp(api, tenant.token)).name })();

/** A mutation of the third wallet, which is archived before if the mutation brings it back, and otherwise is not. */
const inOtherState =
  (name: 'archiveWallet' | 'unarchiveWallet'): Operation =>
  async () => {
    const input = { name: tenant.wallets[2] };
    await (name === 'archiveWallet' ? unarchiveWallet : archiveWallet)(gateway.operator, input);
    return mutation(name, input)();
  };

/** A request of the app by OAuth about a new token of it. */
const oauth =
  (path: string): Operation =>
  async () => {
    const client = { client_id: app.name, client_secret: app.privateKey };
    const body = new URLSearchParams({ ...client, token: await newToken() });
    return () => fetch(gateway.url + path, { method: 'POST', body });
  };

/** Waits until a time of a resource is known. */
async function written(name: string, column: string): Promise<void> {
  await vi.waitUntil(async () => (await rowOf(gateway.database, name))[column] !== null, WAIT);
}

/** Uses a token for the first time. */
async function used(token: string): Promise<string> {
  await send(`${gateway.url}/project/projects`, 'GET', token);
  await written(tokenNameOf(token), 'last_use_time_ms');
  return token;
}

const newToken = async () => projectTokenOf(api, tenant.token, app);

const KEY = { name: '$name', privateKey: '$privateKey' };

const PATH = '/auth/accounts:signinIdentity';

/** The operations of the public API, with the reads and the writes of each. */
const OPERATIONS: Readonly<Record<string, Case> & Record<`Mutation.${MutationName}`, Case>> = {
  'POST /auth/apps': [
    'SELECT BEGIN UPDATE INSERT INSERT COMMIT',
    rest('POST', '/auth/apps', { title: 'App', active: true }),
  ],
  'POST /auth/accounts:signinIdentity': [
    'SELECT SELECT BEGIN SELECT DELETE INSERT INSERT COMMIT',
    rest('POST', PATH, { privateKey: KEY }),
  ],
  'PATCH /wallet/{wallet_name}': [
    'SELECT BEGIN UPDATE INSERT COMMIT',
    rest('PATCH', '/wallet/$wallet', { title: 'Cash' }),
  ],
  'GET /project/projects': ['SELECT SELECT', rest('GET', '/project/projects')],
  'Query.node': ['SELECT SELECT', graphql('query ($id: ID!) { node(id: $id) { id } }', { id: '$wallet' })],
  'Query.nodes': [
    'SELECT SELECT SELECT SELECT',
    graphql('query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { title } } } }', {
      ids: ['$wallet', '$project', '$other', '$app'],
    }),
  ],
  'Query.projects': [
    'SELECT SELECT SELECT SELECT SELECT SELECT SELECT',
    graphql(`{ projects(first: 2) { totalCount nodes { title
      apps(first: 1) { totalCount nodes { title } } wallets(last: 1) { totalCount nodes { title } } } } }`),
  ],
  'Query.wallets': [
    'SELECT SELECT',
    graphql(`{ wallets(address: "0x${'1'.padStart(40, '0')}") { totalCount nodes { title } } }`),
  ],
  'Query.apps': ['SELECT SELECT', graphql('{ apps(title: "a") { totalCount nodes { title } } }')],
  'Query.viewer': ['SELECT SELECT', graphql('{ viewer { level account } }')],
  'Query.tokens': ['SELECT SELECT', graphql('{ tokens(first: 2) { nodes { id } } }')],
  'Query.events': ['SELECT SELECT', graphql('{ events(first: 2, action: "app.create") { nodes { id } } }')],
  'Mutation.createApp': ['SELECT BEGIN UPDATE INSERT INSERT COMMIT', mutation('createApp')],
  'Mutation.signIn': ['SELECT SELECT BEGIN SELECT DELETE INSERT INSERT COMMIT', mutation('signIn')],
  'Mutation.updateApp': ['SELECT BEGIN SELECT UPDATE INSERT COMMIT', mutation('updateApp')],
  'Mutation.deleteApp': ['SELECT BEGIN SELECT DELETE UPDATE DELETE INSERT COMMIT', ofNewApp('deleteApp')],
  'Mutation.createProject': ['SELECT BEGIN SELECT UPDATE INSERT INSERT COMMIT', mutation('createProject')],
  'Mutation.updateProject': ['SELECT BEGIN SELECT UPDATE INSERT COMMIT', mutation('updateProject')],
  'Mutation.deleteProject': [
    'SELECT BEGIN SELECT SELECT SELECT DELETE DELETE UPDATE INSERT COMMIT',
    async () => {
      const input = { account: tenant.account, title: 'Spare' };
      const { name } = (await createProject(gateway.operator, input)).project;
      return mutation('deleteProject', { name })();
    },
  ],
  'Mutation.createWallet': ['SELECT BEGIN DELETE UPDATE INSERT INSERT COMMIT', mutation('createWallet')],
  'Mutation.updateWallet': [
    'SELECT SELECT BEGIN UPDATE INSERT COMMIT',
    mutation('updateWallet', { password: PASSWORD, project: '$other' }),
  ],
  'Mutation.archiveWallet': ['SELECT BEGIN UPDATE INSERT COMMIT', inOtherState('archiveWallet')],
  'Mutation.unarchiveWallet': ['SELECT BEGIN UPDATE INSERT COMMIT', inOtherState('unarchiveWallet')],
  'Mutation.rotateAppKey': [
    'SELECT BEGIN SELECT UPDATE DELETE UPDATE INSERT COMMIT',
    ofNewApp('rotateAppKey', { gracePeriod: 60 }),
  ],
  'Mutation.createToken': [
    'SELECT BEGIN SELECT SELECT SELECT SELECT INSERT INSERT COMMIT',
    mutation('createToken'),
  ],
  'Mutation.revokeToken': [
    'SELECT BEGIN SELECT DELETE INSERT COMMIT',
    async () => mutation('revokeToken', { id: tokenNameOf(await newToken()) })(),
  ],
  'Mutation.signOut': [
    'SELECT BEGIN DELETE INSERT COMMIT',
    async () => {
      const token = await used(await newToken());
      return () => postGraphql(gateway.url, token, 'mutation { signOut { clientMutationId } }');
    },
  ],
  '/oauth/token': [
    'SELECT SELECT BEGIN SELECT DELETE INSERT INSERT COMMIT',
    async () => () => authorize(gateway, app),
  ],
  '/oauth/revoke': ['SELECT SELECT BEGIN DELETE INSERT COMMIT', oauth('/oauth/revoke')],
  '/oauth/introspect': ['SELECT SELECT SELECT', oauth('/oauth/introspect')],
};

const OTHERS: Readonly<Record<string, Case>> = {
  'a readiness check': ['', rest('GET', '/readyz')],
  'a refused token': [
    'SELECT',
    async () => () => send(`${gateway.url}/project/projects`, 'GET', withOtherSecret(tenant.token)),
    401,
  ],
  'a failed sign-in': [
    'SELECT SELECT SELECT BEGIN INSERT COMMIT',
    async () => {
      const privateKey = { ...app, privateKey: withOtherSecret(app.privateKey) };
      return () => send(gateway.url + PATH, 'POST', tenant.token, { privateKey });
    },
    401,
  ],
  'an update of a wallet that does not exist': [
    'SELECT BEGIN UPDATE ROLLBACK SELECT SELECT',
    rest('PATCH', `/wallet/${MISSING_WALLET}`, { title: 'Cash' }),
    404,
  ],
  'a search by title': [
    'SELECT SELECT SELECT SELECT SELECT SELECT',
    graphql(
      `query ($of: ID!) { projects(title: "p", last: 1) { totalCount nodes { title } } node(id: $of) {
        ... on Project { wallets(title: "w", first: 1) { totalCount nodes { title } } } } }`,
      { of: '$project' },
    ),
  ],
  'a creation of a wallet that exists': [
    'SELECT BEGIN DELETE ROLLBACK SELECT SELECT',
    mutation('createWallet', { reference: 'till' }),
  ],
  'a creation of a project that exists': [
    'SELECT BEGIN SELECT SELECT SELECT COMMIT',
    mutation('createProject', { reference: 'till' }),
  ],
  'a search by reference': [
    'SELECT SELECT SELECT',
    graphql(
      '{ projects(reference: "till") { totalCount nodes { title } } wallets(reference: "till") { totalCount nodes { title } } }',
    ),
  ],
  'the history of a wallet': [
    'SELECT SELECT SELECT',
    graphql('query ($of: ResourceName) { events(resource: $of) { nodes { id resourceTitle } } }', {
      of: '$wallet',
    }),
  ],
  'a mutation with an Idempotency-Key': [
    'SELECT SELECT BEGIN UPDATE INSERT INSERT COMMIT',
    async () => {
      const headers = { 'idempotency-key': gateway.operator.newId() };
      const url = `${gateway.url}/wallet/${tenant.wallets[0]}`;
      return () => send(url, 'PATCH', tenant.token, { title: 'Keyed' }, headers);
    },
  ],
};

/** Sends a request that is not the first of its kind, and returns the commands for it. */
async function commandsOf(operation: Operation) {
  await (await operation())();
  const request = await operation();
  const before = commands().length;
  const { status } = await request();
  const sent = commands().slice(before);
  const words = sent.map(({ text }) => /^\w+/.exec(text)?.[0]).join(' ');
  return {
    status,
    words,
    nodes: new Set(sent.map(({ node }) => node)).size,
    texts: sent.map(({ text }) => text),
  };
}

test('the operations of this test are those of the contracts', async () => {
  const json = async (path: string) => JSON.parse((await send(gateway.url + path, 'GET')).text);
  const schema = buildSchema((await send(`${gateway.url}/schema.graphql`, 'GET')).text);
  const fields = [schema.getQueryType(), schema.getMutationType()].flatMap((type) =>
    Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`),
  );
  const { paths } = await json('/openapi.json');
  const ofRest = Object.entries<object>(paths).flatMap(([path, methods]) =>
    Object.keys(methods)
      .filter((method) => /^(get|post|put|patch|delete)$/.test(method))
      .map((method) => `${method.toUpperCase()} ${path}`),
  );
  const metadata = await json('/.well-known/oauth-authorization-server');
  const ofOauth = Object.entries<string>(metadata)
    .filter(([name]) => name.endsWith('_endpoint'))
    .map(([, url]) => new URL(url).pathname);
  expect(Object.keys(OPERATIONS).toSorted()).toEqual([...fields, ...ofRest, ...ofOauth].toSorted());
});

test.each(
  Object.entries({ ...OPERATIONS, ...OTHERS }).map(
    ([name, [words, operation, status = 200]]) => [name, words, operation, status] as const,
  ),
)(
  'an operation needs one node, and a commit of one phase: %s (%s)',
  async (_name, words, operation, status) => {
    const { texts, ...measured } = await commandsOf(operation);
    expect(measured, texts.join('\n')).toEqual({ status, words, nodes: words === '' ? 0 : 1 });
  },
);

test.each([
  ['project update', () => updateProject(gateway.operator, { name: tenant.projects[0], title: 'Till' })],
  [
    'app delete',
    async () => deleteApp(gateway.operator, { name: (await createApp(api, tenant.token)).name }),
  ],
])('the command %s asks all nodes where its resource is, and commits in one phase', async (_name, run) => {
  const before = commands().length;
  await run();
  const texts = commands()
    .slice(before)
    .map(({ text }) => text);
  expect(texts.filter((text) => /^(UPDATE|DELETE)/.test(text))).not.toEqual([]);
  expect(texts.filter((text) => text.startsWith('PREPARE TRANSACTION'))).toEqual([]);
});
