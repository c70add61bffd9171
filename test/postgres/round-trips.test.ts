import { beforeAll, expect, test } from 'vitest';
import { createCredential } from '../../src/credentials/credential.ts';
import { cursorsOf, projectToken, ulidOf } from '../support/actors.ts';
import { type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { openStatementLog, type StatementLog } from '../support/statement-log.ts';

// Creating a cluster takes long on a busy machine.
const SERVER_START_MS = 60_000;

const STATEMENT = /LOG: {2}(?:execute|statement)\b/;

const ADD_WALLETS = `INSERT INTO wallet
    (account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms)
  SELECT account_id, id || lpad(n::text, 2, '0'), id, 'Wallet', '', 'NETWORK_POLYGON', '0x', 0, 0
  FROM project, generate_series(1, 11) n WHERE account_id = $1`;

const PAGE = `query ($after: String) { projects(first: 10, after: $after) {
  edges { cursor node { name title } }
  pageInfo { hasNextPage startCursor endCursor }
} }`;

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { title } } } }';

const NESTED = `query ($after: String) { projects(first: 100) { totalCount nodes { title
  wallets(first: 10, after: $after) { totalCount nodes { name } pageInfo { hasPreviousPage hasNextPage } }
} } }`;

const UPDATE = 'mutation ($input: UpdateWalletInput!) { updateWallet(input: $input) { wallet { title } } }';

let gateway: Gateway;
let network: TcpProxy;
let tenant: Tenant;
/** Has 100 projects with 11 wallets each. */
let large: Tenant;
let log: StatementLog;
let accessToken: string;
let cursors: readonly string[];
let largeCursors: readonly string[];

beforeAll(async () => {
  const server = await startPostgres('log_statement=all');
  log = await openStatementLog(server);
  const url = new URL(server.urlOf('postgres'));
  // A round trip to a database in another data centre takes longer than all else.
  network = await startProxy(server.port, 5);
  url.port = String(network.port);
  gateway = await startGateway({ DATABASE_URL: url.href });
  tenant = await seedTenant(gateway, { projects: 12, wallets: 50 });
  large = await seedTenant(gateway, { projects: 100 });
  await gateway.database.write(ADD_WALLETS, [ulidOf(large.account)]);
  // The wallets belong to different projects.
  await gateway.database.write('UPDATE wallet SET project_id = $1 WHERE id > $2 AND account_id = $3', [
    ulidOf(tenant.projects[11] ?? ''),
    ulidOf(tenant.wallets[24] ?? ''),
    ulidOf(tenant.account),
  ]);
  accessToken = await projectToken(gateway, tenant);
  cursors = await cursorsOf(gateway, tenant);
  largeCursors = await cursorsOf(gateway, large);
  await log.swept(1);
  return async () => {
    await log.close();
    await gateway.stop();
    await network.stop();
    await server.stop();
  };
}, SERVER_START_MS);

const refusedToken = () => createCredential('acct', ulidOf(tenant.account), gateway.admin.newId());

const graphql = (query: string, variables: object = {}, token = tenant.token) =>
  postGraphql(gateway.url, token, query, variables);

const restPage = (after = '', token = tenant.token) =>
  send(`${gateway.url}/project/projects?pageToken=${encodeURIComponent(after)}`, 'GET', token);

const updateByRest = (fields: object) =>
  send(`${gateway.url}/wallet/${tenant.wallets[0]}`, 'PATCH', tenant.token, fields);

const updateByGraphql = (fields: object) =>
  graphql(UPDATE, { input: { name: tenant.wallets[0], ...fields } });

const TWO_LISTS = '{ a: projects(first: 1) { nodes { id } } b: projects(first: 2) { nodes { id } } }';

const TITLES = (count: number) => new RegExp(`^([^]*?"title":){${count}}((?!"title":)[^])*$`);

// Statements include BEGIN and COMMIT. Reads of one turn share a round trip.
test.each<[string, statements: number, roundTrips: number, RegExp, (n: number) => Promise<HttpResponse>]>([
  // The token, then the rows.
  ['a page by REST', 2, 2, TITLES(10), () => restPage()],
  ['the next page by REST', 2, 2, TITLES(2), () => restPage(cursors[9])],
  ['a page by GraphQL', 2, 2, TITLES(10), () => graphql(PAGE)],
  ['the next page by GraphQL', 2, 2, TITLES(2), () => graphql(PAGE, { after: cursors[9] })],
  ['a page by REST with a project token', 2, 2, TITLES(1), () => restPage('', accessToken)],
  ['a page by GraphQL with a project token', 2, 2, TITLES(1), () => graphql(PAGE, {}, accessToken)],
  ['a document that is new', 2, 2, TITLES(10), (n) => graphql(`${PAGE} # ${n}`)],
  [
    'a page with its count and flags',
    3,
    3,
    TITLES(2),
    () =>
      graphql(PAGE.replace('edges', 'totalCount pageInfo { hasPreviousPage } edges'), { after: cursors[9] }),
  ],
  ['two lists', 3, 2, /"a":.*"b":/, () => graphql(TWO_LISTS)],
  ['nothing', 1, 1, /"nodes":\[\]/, () => graphql('{ nodes(ids: []) { id } }')],
  ['a refused token', 1, 1, /TOKEN_INVALID/, () => graphql(PAGE, {}, refusedToken())],
  [
    'a refused token with a new document',
    1,
    1,
    /TOKEN_INVALID/,
    (n) => graphql(`${PAGE} # ${n}`, {}, refusedToken()),
  ],
  ['an update of a title by REST', 2, 2, TITLES(1), () => updateByRest({ title: 'Renamed' })],
  ['an update of a title by GraphQL', 2, 2, TITLES(1), () => updateByGraphql({ title: 'Renamed' })],
  ['an update of a project', 2, 2, TITLES(1), () => updateByRest({ project: tenant.projects[1] })],
  // It reads the wallet before it hashes the password.
  [
    'an update of a password and a project',
    3,
    3,
    TITLES(1),
    () => updateByGraphql({ project: tenant.projects[1], password: 'x'.repeat(32) }),
  ],
  ['an update of nothing', 2, 2, TITLES(1), () => updateByRest({})],
  [
    'a replay',
    2,
    2,
    TITLES(1),
    () =>
      send(
        `${gateway.url}/auth/apps`,
        'POST',
        tenant.token,
        { title: 'Kept', active: true },
        { 'idempotency-key': 'replay' },
      ),
  ],
  // The token, the wallets and the projects.
  ['50 wallets with their projects', 3, 3, TITLES(50), () => graphql(NODES, { ids: tenant.wallets })],
  // The token, the projects, their number, and the wallets, their numbers and what is before them.
  [
    '100 projects with 10 wallets each, their counts and flags',
    6,
    4,
    /"totalCount":11.*"hasPreviousPage":true.*"hasPreviousPage":false/,
    // Behind the wallets of some projects, and before those of others.
    () => graphql(NESTED, { after: largeCursors[49] }, large.token),
  ],
])('%s: %i statements in %i round trips', async (_, statements, roundTrips, content, request) => {
  // A query is compiled when it is executed the second time.
  for (const n of [1, 2]) expect((await request(n)).text).toMatch(content);
  const before = network.roundTrips();
  let text = '';
  const logged = await log.during(async () => {
    ({ text } = await request(3));
  });
  const lines = logged.split('\n').filter((line) => STATEMENT.test(line));
  expect(lines, lines.join('\n')).toHaveLength(statements);
  expect(network.roundTrips() - before).toBe(roundTrips);
  expect(text).toMatch(content);
});
