import { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import type { Database, Queryable, Statement } from '../../../src/storage/interface/database.ts';
import { sweepExpired } from '../../../src/storage/jobs/sweep.ts';
import { countEndingTokens } from '../../../src/storage/tables/tokens.ts';
import { useAllOperations } from '../../support/all-operations.ts';
import { restApi } from '../../support/both-apis.ts';
import { GatewayClient, pathOf } from '../../support/engine.ts';
import { type Gateway, seedTenant, type Tenant, testGateway } from '../../support/gateway.ts';
import {
  createAccountToken,
  createApp,
  credentialParts,
  projectTokenOf,
  ULID,
} from '../../support/requests.ts';
import { addEvent } from '../../support/rows.ts';
import { pawJson } from '../../support/run-command.ts';

const IS_OF_ROWS = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

// The tables of an engine and of the migrations, and one with a single row.
const IS_OTHER = /sqlite_schema|pragma_|pg_\w+\(|pg_extension|information_schema|schema_migration/;

/** The statements that were executed, each with its parameters, and on SQLite whether that was in a transaction. */
type Statements = Map<string, { readonly params: readonly unknown[]; readonly isInTransaction: boolean }>;

/** What the driver of PostgreSQL sends. That of the driver itself has no statements. */
type SentQuery = { readonly statements?: readonly Statement[] };

/** Records the statements that the drivers execute from now on. */
function recordStatements(): Statements {
  const statements: Statements = new Map();
  const record = (sql: string, params: readonly unknown[] = [], isInTransaction = false) => {
    if (IS_OF_ROWS.test(sql) && !IS_OTHER.test(sql)) statements.set(sql, { params, isInTransaction });
  };
  const { prepare } = DatabaseSync.prototype;
  const onSqlite = vi.spyOn(DatabaseSync.prototype, 'prepare');
  onSqlite.mockImplementation(function (this: DatabaseSync, sql) {
    const statement = prepare.call(this, sql);
    const { all } = statement;
    const recorded = (...params: Parameters<typeof all>) => {
      record(sql, params, this.isTransaction);
      return all.apply(statement, params);
    };
    return Object.assign(statement, { all: recorded });
  });
  const { query } = GatewayClient.prototype;
  const onPostgres = vi.spyOn(GatewayClient.prototype, 'query');
  onPostgres.mockImplementation(function (this: Client, ...args: unknown[]) {
    const { statements: group = [] } = args[0] as SentQuery;
    for (const { sql, params } of group) record(sql, params);
    return Reflect.apply(query, this, args);
  } as typeof query);
  onTestFinished(() => {
    onSqlite.mockRestore();
    onPostgres.mockRestore();
  });
  return statements;
}

/** Runs the commands of the operator. The last one deletes the account. */
async function useCommands(gateway: Gateway, { account, token, projects, wallets }: Tenant): Promise<void> {
  const run = (...words: string[]) => pawJson(words, { DATABASE_URL: gateway.databaseUrl });
  const [project = ''] = projects;
  await run('token', 'create', '--account', account);
  const api = restApi(() => gateway.url);
  const app = await createApp(api, token);
  await projectTokenOf(api, token, app);
  for (const list of ['project', 'app', 'token', 'audit']) await run(list, 'list', '--account', account);
  for (const list of ['account', 'audit', 'token']) await run(list, 'list');
  await run('audit', 'list', '--account', account, '--action', 'app.create');
  await run('wallet', 'list', '--project', project);
  await run('app', 'deactivate', app.name);
  await run('token', 'revoke', '--id', credentialParts(token).id);
  await run('token', 'revoke', '--app', app.name);
  await run('token', 'revoke', '--account', account);
  await run('project', 'update', project, '--title', 'Quarry');
  await run('project', 'delete', projects[1] ?? '', '--yes');
  await run('wallet', 'delete', wallets[1] ?? '', '--yes');
  await run('account', 'delete', account, '--yes');
}

/** Calls all operations of the APIs, and returns the account. */
async function useApis(gateway: Gateway, statements: Statements): Promise<Tenant> {
  const isSwept = () => [...statements.keys()].some((sql) => /FROM audit_event WHERE 'events\/'/.test(sql));
  // The first sweep of a server, which is in the background, belongs to no request.
  await vi.waitUntil(isSwept, { timeout: 30_000 });
  const tenant = await seedTenant(gateway, { projects: 3, wallets: 2, addresses: 9 });
  statements.clear();
  await useAllOperations(gateway, tenant);
  return tenant;
}

/** Returns the statements of the APIs, and those of the commands and of a sweep. */
async function useEverything(gateway: Gateway, statements: Statements) {
  const tenant = await useApis(gateway, statements);
  const ofApis: Statements = new Map(statements);
  await useCommands(gateway, await seedTenant(gateway, { projects: 2, wallets: 2 }));
  await createAccountToken({ ...gateway.operator, clock: () => 0 }, tenant, 1);
  await addEvent(gateway.database, 'account', { id: ULID });
  const deleted: string[] = [];
  const onDeleted = (table: string) => deleted.push(table);
  await sweepExpired(gateway.database, Date.now(), { auditDays: 90, onDeleted });
  expect(deleted).toEqual(['token', 'audit_event']);
  await countEndingTokens(gateway.database, Date.now());
  return { ofApis, all: statements };
}

if (inject('engine') === 'sqlite') {
  // The rows of a subquery are no table. At most 1,000 matches are sorted by their names, which are no table, either.
  const IS_HARMLESS = /^SCAN (part_\d+|parts|counted|matches|events|changed|CONSTANT ROW|\d+ CONSTANT ROWS)/;

  test('every statement of the APIs, of the commands and of the sweep finds its rows by an index', async () => {
    const statements = recordStatements();
    const gateway = await testGateway();
    const { all } = await useEverything(gateway, statements);
    const database = new DatabaseSync(pathOf(gateway.databaseUrl));
    onTestFinished(() => database.close());
    expect(all.size).toBeGreaterThan(50);
    const plans = [...all.keys()].map((sql) => {
      const rows = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
      const steps = rows.map(({ detail }) => String(detail));
      const sorted = steps.includes('CO-ROUTINE matches') ? /SCAN/ : /SCAN|TEMP B-TREE/;
      const scans = steps.filter((step) => sorted.test(step) && !IS_HARMLESS.test(step));
      return { sql, steps, scans };
    });
    expect(plans.filter(({ scans }) => scans.length > 0)).toEqual([]);
    const steps = plans.flatMap((plan) => plan.steps);
    // A page begins at its position.
    for (const search of [
      /^SEARCH project USING .*\(account_id=\? AND id>\?\)/,
      /^SEARCH project USING .*\(account_id=\? AND id<\?\)/,
      /^SEARCH wallet USING INDEX wallet_by_project \(account_id=\? AND project_id=\? AND archived=\? AND id/,
      /^SEARCH app USING INDEX app_by_project \(account_id=\? AND project_id=\?/,
      /^SEARCH project USING INDEX project_by_name/,
      /^SEARCH token USING .*INDEX token_by_expiry/,
      /^SEARCH token USING INDEX account_token_by_expiry \(expire_time_ms>\? AND expire_time_ms<\?\)/,
      /^SEARCH token USING INDEX token_by_name/,
      /^SEARCH audit_event USING .*INDEX audit_event_by_name/,
    ]) {
      expect(steps).toContainEqual(expect.stringMatching(search));
    }
  });

  // The account itself, a row by its key or its reference, the rows of an app or of a project, or the tokens that a token has made.
  const NAMES_ROW =
    /\sWHERE (id = \?1|(\w+\.)?account_id = \?1 AND (\w+\.)?(id|app_id|project_id|maker_token_id|key_hash|network|reference) (= |IN \()\?2)\b/;
  // Insertions wait for one with the same key.
  const INSERTS_ROW = /^INSERT INTO \w+ \(account_id, (id|key_hash), .*\) VALUES \(\?1, ?\?2\b/;

  // `ConnectionTurns` of PostgreSQL reads them there.
  test('every statement of the APIs has the account as its first parameter, and one that can wait for a lock the row as its second', async () => {
    const statements = recordStatements();
    const gateway = await testGateway();
    const { account } = await useApis(gateway, statements);
    const executed = [...statements];
    expect(executed.filter(([, { params }]) => `accounts/${params[0]}` !== account)).toEqual([]);
    const canWait = executed.filter(([, { isInTransaction }]) => isInTransaction).map(([sql]) => sql);
    expect(canWait.length).toBeGreaterThan(20);
    expect(canWait.filter((sql) => !NAMES_ROW.test(sql) && !INSERTS_ROW.test(sql))).toEqual([]);
  });
} else {
  // Each table with the column that names the account, and its foreign key, which partitions need not have.
  const TABLES = {
    account: ['id'],
    project: ['account_id', 'project_account_id_fkey'],
    app: ['account_id', 'app_account_id_project_id_fkey'],
    wallet: ['account_id', 'wallet_account_id_project_id_fkey'],
    address_pool: ['account_id', 'address_pool_account_id_fkey'],
    address: ['account_id', 'address_account_id_network_fkey'],
    token: ['account_id', 'token_account_id_project_id_fkey'],
    idempotency_key: ['account_id'],
    audit_event: ['account_id'],
  } as const;

  const PARTITION = /"Relation Name":"[a-z_]+_(\d+)"/g;

  /** Partitions all tables of a database by account. Each partition has the indexes that its table had. */
  async function partition({ write }: Queryable): Promise<void> {
    for (const [table, [, key]] of Object.entries(TABLES)) {
      if (key !== undefined) await write(`ALTER TABLE ${table} DROP CONSTRAINT ${key}`);
    }
    for (const [table, [column]] of Object.entries(TABLES)) {
      await write(`ALTER TABLE ${table} RENAME TO whole_${table}`);
      await write(`CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (${column})`);
      for (let n = 0; n < 8; n += 1) {
        const values = `WITH (MODULUS 8, REMAINDER ${n})`;
        await write(`CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES ${values}`);
      }
      await write(`DROP TABLE whole_${table}`);
    }
  }

  /** Returns the plan of a statement as JSON, as for a large table. */
  const planOf = ({ transaction }: Database, sql: string, params: readonly unknown[]) =>
    transaction(async ({ write }) => {
      await write('SET LOCAL plan_cache_mode = force_custom_plan');
      await write('SET LOCAL enable_seqscan = off');
      await write(`PREPARE explained AS ${sql}`);
      const literals = params.map((each) =>
        each === null ? 'NULL' : `'${String(each).replaceAll("'", "''")}'`,
      );
      const values = literals.length > 0 ? `(${literals.join(', ')})` : '';
      const plan = JSON.stringify(await write(`EXPLAIN (FORMAT JSON) EXECUTE explained${values}`));
      await write('DEALLOCATE explained');
      return plan;
    });

  test('every statement finds its rows by an index, and those of the APIs in one partition if all tables are partitioned by account', async () => {
    const statements = recordStatements();
    const gateway = await testGateway();
    await gateway.database.transaction(partition);
    const { ofApis, all } = await useEverything(gateway, statements);
    expect(ofApis.size).toBeGreaterThan(25);
    for (const [sql, { params }] of [...all]) {
      const plan = await planOf(gateway.database, sql, params);
      expect(plan, sql).not.toContain('Seq Scan');
      if (!ofApis.has(sql)) continue;
      const partitions = new Set([...plan.matchAll(PARTITION)].map(([, number]) => number));
      // The plan of an insertion names only the table: the row goes into one partition. Contradictory conditions read none.
      const canBeNone =
        /^(WITH changed AS \()?INSERT/.test(sql) || plan.includes('"One-Time Filter":"false"');
      if (!canBeNone || partitions.size > 0) expect([...partitions], sql).toHaveLength(1);
    }
  });
}
