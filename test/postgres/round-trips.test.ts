import { beforeAll, describe, expect, test } from 'vitest';
import { createCredential } from '../../src/credentials/credential.ts';
import type { Ulid } from '../../src/model/resource-name.ts';
import { projectToken } from '../support/actors.ts';
import { bothApis, type HttpResponse, postGraphql, send } from '../support/apis.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { startProxy, type TcpProxy } from '../support/proxy.ts';
import { openStatementLog, type StatementLog } from '../support/statement-log.ts';

// Creating a cluster takes long on a busy machine.
const SERVER_START_MS = 60_000;

const PAGE = `query ($after: String) { projects(first: 10, after: $after) {
  edges { cursor node { name title } }
  pageInfo { hasNextPage startCursor endCursor }
} }`;

const NODES = `query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on Wallet { project { title } } } }`;

const STATEMENT = /LOG: {2}(?:execute|statement)\b/;

let gateway: Gateway;
let tenant: Tenant;
let log: StatementLog;

beforeAll(async () => {
  const server = await startPostgres('log_statement=all');
  log = await openStatementLog(server);
  gateway = await startGateway({ DATABASE_URL: server.urlOf('postgres') });
  tenant = await seedTenant(gateway, { projects: 12, wallets: 50 });
  // The wallets belong to different projects.
  await gateway.database.write('UPDATE wallet SET project_id = (SELECT MAX(id) FROM project) WHERE id > $1', [
    tenant.wallets[24]?.slice('wallets/'.length) ?? '',
  ]);
  await log.swept(1);
  return async () => {
    await log.close();
    await gateway.stop();
    await server.stop();
  };
}, SERVER_START_MS);

/** Returns the statements, including BEGIN and COMMIT, that the server receives for a repeated request. */
async function statementsOf(request: () => Promise<void>): Promise<readonly string[]> {
  // A query is compiled when it is executed the second time.
  for (let times = 0; times < 2; times += 1) await request();
  const lines = (await log.during(request)).split('\n');
  return lines.filter((line) => STATEMENT.test(line));
}

/** Checks that a response is a success, and returns its body. */
function read({ status, text }: HttpResponse) {
  expect(status).toBe(200);
  const answer = JSON.parse(text);
  expect(answer).not.toHaveProperty('errors');
  return answer;
}

// A round trip to a database in another data centre takes longer than all else.
describe('behind a slow network', () => {
  let network: TcpProxy;
  let distant: Gateway;
  let ours: Tenant;

  beforeAll(async () => {
    const url = new URL(gateway.databaseUrl);
    network = await startProxy(Number(url.port), 5);
    url.port = String(network.port);
    distant = await startGateway({ DATABASE_URL: url.href });
    ours = await seedTenant(gateway, { projects: 2, wallets: 1 });
    await log.swept(2);
    return async () => {
      await distant.stop();
      await network.stop();
    };
  });

  /** Returns the number of round trips of a request that was sent before: it is compiled the second time. */
  async function roundTripsOf(request: (n: number) => Promise<HttpResponse>): Promise<number> {
    for (const n of [1, 2]) expect((await request(n)).status).toBe(200);
    const before = network.roundTrips();
    expect((await request(3)).status).toBe(200);
    return network.roundTrips() - before;
  }

  const rest = (token: string) => roundTripsOf(() => send(`${distant.url}/project/projects`, 'GET', token));

  const graphql = (token: string, document: string, variables = {}) =>
    roundTripsOf((n) => postGraphql(distant.url, token, document.replace('TIMES', String(n)), variables));

  test('a page takes two round trips: its token, then its rows', async () => {
    expect([await rest(ours.token), await graphql(ours.token, PAGE)]).toEqual([2, 2]);
    const token = await projectToken(gateway, ours);
    expect([await rest(token), await graphql(token, PAGE)]).toEqual([2, 2]);
  });

  test('the reads of one turn share a round trip', async () => {
    expect(await graphql(ours.token, '{ nodes(ids: []) { id } }')).toBe(1);
    const lists = '{ a: projects(first: 1) { nodes { id } } b: projects(first: 2) { nodes { id } } }';
    expect(await graphql(ours.token, lists)).toBe(2);
  });

  test.each([
    ['its title', () => ({ title: 'Renamed' })],
    ['its project', () => ({ project: ours.projects[1] })],
  ])('an update of %s of a wallet takes two round trips', async (_, changes) => {
    const path = `/wallet/${ours.wallets[0]}`;
    expect(await roundTripsOf(() => send(distant.url + path, 'PATCH', ours.token, changes()))).toBe(2);
  });
});

describe('a page of projects takes two statements', () => {
  const byGraphql = (document: string, length: number, after?: string) =>
    statementsOf(async () => {
      const { data } = read(await postGraphql(gateway.url, tenant.token, document, { after }));
      expect(data.projects.edges).toHaveLength(length);
    });

  const byRest = (length: number, after = '') =>
    statementsOf(async () => {
      const path = `/project/projects?pageToken=${encodeURIComponent(after)}`;
      expect(read(await send(gateway.url + path, 'GET', tenant.token)).projects).toHaveLength(length);
    });

  async function tokenAfter(count: number): Promise<string> {
    const query = `{ projects(first: ${count}) { pageInfo { endCursor } } }`;
    return read(await postGraphql(gateway.url, tenant.token, query)).data.projects.pageInfo.endCursor;
  }

  test.each([
    ['at the start of the list', 0, 10],
    ['in the middle of the list', 10, 2],
  ])('%s, by either API', async (_place, behind, length) => {
    const after = behind === 0 ? undefined : await tokenAfter(behind);
    for (const statements of [await byGraphql(PAGE, length, after), await byRest(length, after)]) {
      expect(statements, statements.join('\n')).toHaveLength(2);
    }
  });

  test('and one more if totalCount and hasPreviousPage are selected', async () => {
    const around = PAGE.replace('edges', 'totalCount pageInfo { hasPreviousPage } edges');
    expect(await byGraphql(around, 2, await tokenAfter(10))).toHaveLength(3);
  });
});

test('a token is read once, and nothing else if it is refused', async () => {
  const refused = createCredential(
    'acct',
    tenant.account.slice('accounts/'.length) as Ulid,
    gateway.admin.newId(),
  );
  let times = 0;
  const ask = (document: string, token: string, status: number) =>
    statementsOf(async () => {
      times += 1;
      const { status: actual } = await postGraphql(
        gateway.url,
        token,
        document.replace('TIMES', String(times)),
      );
      expect(actual).toBe(status);
    });
  const query = '{ projects { edges { cursor } } }';
  expect(await ask(query, tenant.token, 200)).toHaveLength(2);
  expect(await ask(query, refused, 401)).toHaveLength(1);
  // The gateway has not received this document before.
  expect(await ask(`${query} # TIMES`, tenant.token, 200)).toHaveLength(2);
  expect(await ask(`${query} # TIMES`, refused, 401)).toHaveLength(1);
});

describe.each(bothApis(() => gateway.url))('an update of a wallet by $name', (api) => {
  test.each([
    ['its title', () => ({ title: 'Renamed' }), 2],
    // It reads the wallet before it hashes the password.
    ['its password and its project', () => ({ project: tenant.projects[1], password: 'x'.repeat(32) }), 3],
    ['nothing', () => ({}), 2],
  ])('of %s: $2 statements, with that which reads the token', async (_, sent, count) => {
    const statements = await statementsOf(async () => {
      const { error } = await api.updateWallet(tenant.token, tenant.wallets[0] ?? '', sent());
      expect(error).toBeUndefined();
    });
    expect(statements, statements.join('\n')).toHaveLength(count);
  });
});

test('a replay takes one statement after that which reads the token, and no transaction', async () => {
  const title = { title: 'Kept', active: true };
  const create = () =>
    send(`${gateway.url}/auth/apps`, 'POST', tenant.token, title, { 'idempotency-key': 'replay' });
  const first = await create();
  const statements = await statementsOf(async () => {
    expect((await create()).text).toBe(first.text);
  });
  expect(statements, statements.join('\n')).toHaveLength(2);
});

test('100 projects with 10 wallets each, and with their counts and flags, take six statements', async () => {
  const many = await seedTenant(gateway, { projects: 100 });
  await gateway.database.write(
    `INSERT INTO wallet (account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms)
     SELECT account_id, left(id, 20) || lpad(right(id, 4), 4, '0') || lpad(n::text, 2, '0'), id, 'Wallet', '', 'NETWORK_POLYGON', '0x', 0, 0
     FROM project, generate_series(1, 11) n WHERE account_id = $1`,
    [many.account.slice('accounts/'.length)],
  );
  const { data } = read(
    await postGraphql(gateway.url, many.token, '{ projects(first: 50) { edges { cursor } } }'),
  );
  // Behind the wallets of some projects, and before those of others.
  const { cursor } = data.projects.edges[49];
  const document = `query ($after: String) { projects(first: 100) { totalCount nodes {
    name wallets(first: 10, after: $after) { totalCount nodes { name } pageInfo { hasPreviousPage hasNextPage } }
  } } }`;
  const statements = await statementsOf(async () => {
    const { data } = read(await postGraphql(gateway.url, many.token, document, { after: cursor }));
    expect(data.projects.nodes).toHaveLength(100);
    for (const { wallets } of data.projects.nodes) {
      expect(wallets.totalCount).toBe(11);
      const { hasPreviousPage, hasNextPage } = wallets.pageInfo;
      expect([wallets.nodes.length, hasPreviousPage, hasNextPage]).toEqual(
        hasPreviousPage ? [0, true, false] : [10, false, true],
      );
    }
  });
  // The token, the projects, their number, and the wallets, their numbers and what is before them.
  expect(statements, statements.join('\n')).toHaveLength(6);
});

test('50 wallets with the titles of their projects take three statements', async () => {
  const statements = await statementsOf(async () => {
    const { data } = read(await postGraphql(gateway.url, tenant.token, NODES, { ids: tenant.wallets }));
    expect(data.nodes.map(({ id }: { id: string }) => id)).toEqual(tenant.wallets);
    const titles = data.nodes.map(({ project }: { project: { title: string } }) => project.title);
    expect(new Set(titles).size).toBeGreaterThan(1);
  });
  // The token, the wallets and the projects.
  expect(statements, statements.join('\n')).toHaveLength(3);
});
