import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import {
  createApp,
  graphqlBody,
  keyOf,
  PASSWORD,
  projectTokenOf,
  reasonOf,
  resultOf,
  withOtherSecret,
} from '../support/actors.ts';
import { type Api, graphqlApi, postGraphql, restApi } from '../support/apis.ts';
import { migrateDatabase, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { openStatementLog } from '../support/statement-log.ts';

// An entry of the server's log: a statement with its parameters. Further lines of an entry begin with a tab.
const ENTRY =
  /LOG: {2}execute [^:]+: (?<sql>.*(?:\n\t.*)*)\n(?:.*DETAIL: {2}[Pp]arameters: (?<params>.*(?:\n\t.*)*))?/g;

const PARTITION = /"Relation Name":"[a-z_]+_(\d+)"/g;

const PARAMETER = /\$\d+ = (NULL|'(?:[^']|'')*')/g;

const TRANSACTION_CONTROL = /^(BEGIN|COMMIT|ROLLBACK)/;

const SELECT_ALL = `query ($after: String) {
  viewer { level account project { id } }
  projects(first: 1, after: $after) {
    totalCount
    pageInfo { hasNextPage hasPreviousPage endCursor }
    nodes {
      title
      apps(first: 1) { totalCount pageInfo { hasPreviousPage } nodes { title project { title } } }
      wallets(last: 1) { totalCount nodes { title project { title } } }
    }
  }
  last: projects(last: 2) { nodes { id } }
}`;

const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }';

const UPDATE_APP = 'mutation ($input: UpdateAppInput!) { updateApp(input: $input) { app { id } } }';

const ROTATE = 'mutation ($input: RotateAppKeyInput!) { rotateAppKey(input: $input) { app { privateKey } } }';

const SIGN_OUT = 'mutation { signOut { clientMutationId } }';

// Each table with the column that names the account, and its foreign keys, which partitions need not have.
const TABLES = {
  account: { column: 'id', keys: [] },
  project: { column: 'account_id', keys: ['project_account_id_fkey'] },
  app: { column: 'account_id', keys: ['app_account_id_project_id_fkey'] },
  wallet: { column: 'account_id', keys: ['wallet_account_id_project_id_fkey'] },
  token: { column: 'account_id', keys: [] },
  idempotency_key: { column: 'account_id', keys: [] },
  audit_event: { column: 'account_id', keys: [] },
} as const;

/** Partitions all tables of a database by account. Each partition has the indexes that its table had. */
async function partition({ write }: Database): Promise<void> {
  for (const [table, { keys }] of Object.entries(TABLES)) {
    for (const key of keys) await write(`ALTER TABLE ${table} DROP CONSTRAINT ${key}`);
  }
  for (const [table, { column }] of Object.entries(TABLES)) {
    await write(`ALTER TABLE ${table} RENAME TO whole_${table}`);
    await write(`CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (${column})`);
    for (let n = 0; n < 8; n += 1) {
      const values = `WITH (MODULUS 8, REMAINDER ${n})`;
      await write(`CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES ${values}`);
    }
    await write(`DROP TABLE whole_${table}`);
  }
}

/** Calls every operation of an API, and of GraphQL what only that has. */
async function useAll(api: Api, url: string, { token, projects, wallets }: Tenant): Promise<void> {
  const [wallet = ''] = wallets;
  const [, project = ''] = projects;
  const app = keyOf(await createApp(api, token));
  const accessToken = await projectTokenOf(api, token, app);
  expect(await reasonOf(api.signIn(token, { ...app, privateKey: withOtherSecret(app.privateKey) }))).toBe(
    'INVALID_CREDENTIALS',
  );
  for (const changes of [{}, { title: 'Cash' }, { project, password: PASSWORD }]) {
    await resultOf(api.updateWallet(token, wallet, changes));
  }
  for (const each of [token, accessToken]) await resultOf(api.listProjects(each));
  const { nextPageToken } = await resultOf(api.listProjects(token, { first: 1 }));
  await resultOf(api.listProjects(token, { first: 1, after: nextPageToken }));
  if (api.name === 'REST') return;

  for (const each of [token, accessToken]) {
    for (const after of [null, nextPageToken]) {
      expect(await graphqlBody(url, each, SELECT_ALL, { after })).not.toHaveProperty('errors');
    }
    const ids = [wallet, project, app.name];
    expect(await graphqlBody(url, each, NODES, { ids })).not.toHaveProperty('errors');
  }
  for (const headers of [{}, { 'idempotency-key': 'title' }, { 'idempotency-key': 'title' }]) {
    const variables = { input: { name: app.name, title: 'Till', active: true } };
    expect((await postGraphql(url, token, UPDATE_APP, variables, headers)).status).toBe(200);
  }
  for (const gracePeriod of [60, 0]) {
    const variables = { input: { name: app.name, gracePeriod } };
    expect(await graphqlBody(url, token, ROTATE, variables)).not.toHaveProperty('errors');
  }
  expect(await graphqlBody(url, token, SIGN_OUT)).not.toHaveProperty('errors');
}

test('every statement of the public API touches one partition if all tables are partitioned by account', async () => {
  const server = await startPostgres('log_statement=all');
  onTestFinished(server.stop);
  const database = server.urlOf('postgres');
  await migrateDatabase(database);
  const gateway = await startGateway({ DATABASE_URL: database });
  onTestFinished(gateway.stop);
  await partition(gateway.database);
  const tenant = await seedTenant(gateway, { projects: 3, wallets: 2 });
  await Promise.all(Array.from({ length: 20 }, () => seedTenant(gateway, { wallets: 1 })));
  const client = new Client({ connectionString: database });
  await client.connect();
  onTestFinished(() => client.end());
  const log = await openStatementLog(server);
  onTestFinished(log.close);
  await log.swept(1);
  const text = await log.during(async () => {
    // GraphQL is the last, because it signs out.
    for (const api of [restApi(() => gateway.url), graphqlApi(() => gateway.url)]) {
      await useAll(api, gateway.url, tenant);
    }
  });
  const entries = [...text.matchAll(ENTRY)].map(({ groups }) => ({
    sql: (groups?.['sql'] ?? '').replaceAll('\n\t', '\n'),
    params: [...(groups?.['params'] ?? '').matchAll(PARAMETER)].map(([, value]) => value),
  }));
  const statements = entries.filter(({ sql }) => !TRANSACTION_CONTROL.test(sql));
  expect(new Set(statements.map(({ sql }) => sql)).size).toBeGreaterThan(25);
  for (const { sql, params } of statements) {
    const plan = await planOf(client, sql, params);
    const partitions = new Set([...plan.matchAll(PARTITION)].map(([, number]) => number));
    // The plan of an insertion names only the table: the row goes into one partition. Contradictory conditions read none.
    const canBeNone = /^(WITH changed AS \()?INSERT/.test(sql) || plan.includes('"One-Time Filter":"false"');
    if (!canBeNone || partitions.size > 0) expect([...partitions], sql).toHaveLength(1);
  }
});

/** Returns the plan of a statement as JSON. */
async function planOf(client: Client, sql: string, params: readonly (string | undefined)[]): Promise<string> {
  await client.query('SET plan_cache_mode = force_custom_plan');
  await client.query(`PREPARE explained AS ${sql}`);
  const { rows } = await client.query(
    `EXPLAIN (FORMAT JSON) EXECUTE explained${params.length > 0 ? `(${params.join(', ')})` : ''}`,
  );
  await client.query('DEALLOCATE explained');
  return JSON.stringify(rows);
}
