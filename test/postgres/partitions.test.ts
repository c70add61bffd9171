import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../src/storage/database.ts';
import { useAllOperations } from '../support/all-operations.ts';
import { migrateDatabase, seedTenant, startGateway } from '../support/gateway.ts';
import { startPostgres } from '../support/postgres-server.ts';
import { openStatementLog } from '../support/statement-log.ts';

// An entry of the server's log: a statement with its parameters. Further lines of an entry begin with a tab.
const ENTRY =
  /LOG: {2}execute [^:]+: (?<sql>.*(?:\n\t.*)*)\n(?:.*DETAIL: {2}[Pp]arameters: (?<params>.*(?:\n\t.*)*))?/g;

const PARTITION = /"Relation Name":"[a-z_]+_(\d+)"/g;

const PARAMETER = /\$\d+ = (NULL|'(?:[^']|'')*')/g;

const TRANSACTION_CONTROL = /^(BEGIN|COMMIT|ROLLBACK)/;

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

test('every statement of the public API touches one partition by an index if all tables are partitioned by account', async () => {
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
  const text = await log.during(() => useAllOperations(gateway, tenant));
  const entries = [...text.matchAll(ENTRY)].map(({ groups }) => ({
    sql: (groups?.['sql'] ?? '').replaceAll('\n\t', '\n'),
    params: [...(groups?.['params'] ?? '').matchAll(PARAMETER)].map(([, value]) => value),
  }));
  const statements = entries.filter(({ sql }) => !TRANSACTION_CONTROL.test(sql));
  expect(new Set(statements.map(({ sql }) => sql)).size).toBeGreaterThan(25);
  for (const { sql, params } of statements) {
    const plan = await planOf(client, sql, params);
    // It is planned as for a large table.
    expect(plan, sql).not.toContain('Seq Scan');
    const partitions = new Set([...plan.matchAll(PARTITION)].map(([, number]) => number));
    // The plan of an insertion names only the table: the row goes into one partition. Contradictory conditions read none.
    const canBeNone = /^(WITH changed AS \()?INSERT/.test(sql) || plan.includes('"One-Time Filter":"false"');
    if (!canBeNone || partitions.size > 0) expect([...partitions], sql).toHaveLength(1);
  }
});

/** Returns the plan of a statement as JSON. */
async function planOf(client: Client, sql: string, params: readonly (string | undefined)[]): Promise<string> {
  await client.query('SET plan_cache_mode = force_custom_plan; SET enable_seqscan = off');
  await client.query(`PREPARE explained AS ${sql}`);
  const { rows } = await client.query(
    `EXPLAIN (FORMAT JSON) EXECUTE explained${params.length > 0 ? `(${params.join(', ')})` : ''}`,
  );
  await client.query('DEALLOCATE explained');
  return JSON.stringify(rows);
}
