import type { Database } from '../../src/storage/database.ts';

const COUNT = 8;

// Each table with the column that names the account.
const TABLES = {
  account: 'id',
  project: 'account_id',
  app: 'account_id',
  wallet: 'account_id',
  token: 'account_id',
  idempotency_key: 'account_id',
  audit_event: 'account_id',
} as const;

const FOREIGN_KEYS = [
  ['project', 'account_id', 'account (id)'],
  ['app', 'account_id, project_id', 'project (account_id, id)'],
  ['wallet', 'account_id, project_id', 'project (account_id, id)'],
] as const;

/** The foreign keys by table, as PostgreSQL names them. */
const FOREIGN_KEY_NAMES = {
  project: 'project_account_id_fkey',
  app: 'app_account_id_project_id_fkey',
  wallet: 'wallet_account_id_project_id_fkey',
} as const;

/** The statements that partition all tables of a PostgreSQL database by a hash of the account, as a distributed engine would. */
const STATEMENTS: readonly string[] = [
  ...Object.entries(FOREIGN_KEY_NAMES).map(([table, name]) => `ALTER TABLE ${table} DROP CONSTRAINT ${name}`),
  ...Object.entries(TABLES).flatMap(([table, column]) => [
    `ALTER TABLE ${table} RENAME TO whole_${table}`,
    `CREATE TABLE ${table} (LIKE whole_${table} INCLUDING ALL) PARTITION BY HASH (${column})`,
    ...Array.from(
      { length: COUNT },
      (_, n) =>
        `CREATE TABLE ${table}_${n} PARTITION OF ${table} FOR VALUES WITH (MODULUS ${COUNT}, REMAINDER ${n})`,
    ),
    `INSERT INTO ${table} SELECT * FROM whole_${table}`,
    `DROP TABLE whole_${table}`,
  ]),
  ...FOREIGN_KEYS.map(
    ([table, columns, target]) => `ALTER TABLE ${table} ADD FOREIGN KEY (${columns}) REFERENCES ${target}`,
  ),
];

/** Partitions all tables of a migrated PostgreSQL database. Each partition has the indexes that its table had. */
export async function partition(database: Database): Promise<void> {
  for (const sql of STATEMENTS) await database.write(sql);
}
