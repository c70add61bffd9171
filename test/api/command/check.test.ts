import { expect, inject, onTestFinished, test } from 'vitest';
import { operatorContext } from '../../../src/data/call/call.ts';
import type { Database } from '../../../src/storage/interface/database.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { damageTable, pathOf } from '../../support/engine.ts';
import {
  addressOf,
  FIRST_LEFT,
  migrateDatabase,
  seedTenant,
  type Tenant,
  testDatabase,
} from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { credentialParts } from '../../support/requests.ts';
import { setRow, setRows } from '../../support/rows.ts';
import { paw, pawJson } from '../../support/run-command.ts';

test('a database without problems is reported as such', async () => {
  const { settings } = await seeded();
  const counts = { accounts: 1, projects: 3, apps: 0, wallets: 2, addresses: 1, tokens: 1, events: 8 };
  expect(await pawJson(['check'], settings)).toEqual({ ...counts, problems: [], problemCount: 0 });
  const stdout =
    'No problem found in 1 account, 3 projects, 0 apps, 2 wallets, 1 address, 1 token and 8 events.\n';
  expect(await paw(['check'], settings)).toEqual({ status: 0, stdout, stderr: '' });
});

const MISSING = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

const HASH = 'AAAAAAAAAAAAAAAAAAAAAA';

const OTHER_CID = `bafkrei${'a'.repeat(52)}`;

const ON_POSTGRES: [problem: string, cause: string][] = [
  [
    'The index wallet_by_project is "on (account_id, project_id, archived, id), invalid", not "on (account_id, project_id, archived, id)"',
    "UPDATE pg_index SET indisvalid = FALSE WHERE indexrelid = 'wallet_by_project'::regclass",
  ],
  [
    'The foreign key of wallet on (account_id, project_id) is missing',
    'ALTER TABLE wallet DROP CONSTRAINT wallet_account_id_project_id_fkey',
  ],
  [
    'The foreign key of project on (account_id) is "to account (id), not validated", not "to account (id)"',
    `ALTER TABLE project DROP CONSTRAINT project_account_id_fkey;
     ALTER TABLE project ADD FOREIGN KEY (account_id) REFERENCES account (id) NOT VALID`,
  ],
  ['The primary key of wallet is missing', 'ALTER TABLE wallet DROP CONSTRAINT wallet_pkey'],
  ['The table token is "unlogged", not "permanent"', 'ALTER TABLE token SET UNLOGGED'],
  [
    'The column account.project_count is "integer not null", not "bigint not null"',
    'ALTER TABLE account ALTER project_count TYPE INTEGER',
  ],
  ['The column wallet.title is "text", not "text not null"', 'ALTER TABLE wallet ALTER title DROP NOT NULL'],
];

test.each<[problem: string, cause: string | ((database: Database, tenant: Tenant) => Promise<void>)]>([
  [
    'The project count of $account is wrong',
    (database) => setRows(database, 'account', { project_count: 4 }),
  ],
  ['The app count of $account is wrong', (database) => setRows(database, 'account', { app_count: 1 })],
  [
    'The address count of $account is wrong',
    (database) => setRows(database, 'address_pool', { address_count: 2 }),
  ],
  [
    'The address of $wallet is also among the unused addresses',
    (database, { wallet }) => setRow(database, wallet, { address: addressOf(FIRST_LEFT) }),
  ],
  [
    'The default project of $account does not exist',
    (database) => setRows(database, 'account', { default_project_id: MISSING }),
  ],
  [
    'The row "$projectId" of project has an invalid image_cover_cid',
    (database, { projects }) => setRow(database, projects[1] ?? '', { image_cover_cid: OTHER_CID }),
  ],
  [
    `The account of the idempotency key ${HASH} does not exist`,
    `INSERT INTO idempotency_key VALUES ('${MISSING}', '${HASH}', '${HASH}', 'AAAA', 100000000000000)`,
  ],
  [
    'The app of the token $token does not exist',
    (database) => setRows(database, 'token', { app_id: MISSING }),
  ],
  [
    'The row "$walletId" of wallet has an invalid network, address',
    (database, { wallet }) => setRow(database, wallet, { network: 'none', address: `0x${'A'.repeat(40)}` }),
  ],
  ['The index wallet_by_project is missing', 'DROP INDEX wallet_by_project'],
  [
    'The index address_by_address is "on (account_id, address)", not "unique on (account_id, address)"',
    `DROP INDEX address_by_address;
     CREATE INDEX address_by_address ON address (account_id, address)`,
  ],
  [
    `The index wallet_by_name is "on (id)", not "on (an expression)"`,
    'DROP INDEX wallet_by_name; CREATE INDEX wallet_by_name ON wallet (id)',
  ],
  ...(inject('engine') === 'postgres' ? ON_POSTGRES : []),
  ['The column wallet.description is missing', 'ALTER TABLE wallet DROP COLUMN description'],
  [
    'The restoration of $account is not complete',
    (database) => setRows(database, 'account', { state: 'RESTORING', project_count: 0 }),
  ],
  [
    'The deletion of $account is not complete',
    (database) => setRows(database, 'account', { state: 'DELETING', project_count: 0 }),
  ],
])('"%s" is one problem, and the exit status is 1', async (template, cause) => {
  const { database, settings, ...tenant } = await seeded();
  const { account, projects, wallet, token } = tenant;
  const walletId = wallet.replace('wallets/', '');
  const projectId = projects[1]?.replace('projects/', '');
  const names = { account, projectId, wallet, walletId, token: credentialParts(token).id };
  const problem = template.replace(/\$(\w+)/, (_, name: keyof typeof names) => String(names[name]));
  if (typeof cause === 'function') await cause(database, tenant);
  else for (const statement of cause.split(';')) await database.write(statement);
  const [text, json] = [await paw(['check'], settings), await paw(['check', '--json'], settings)];
  expect(text).toEqual({ status: 1, stdout: `${problem}.\n`, stderr: 'paw: The database has 1 problem.\n' });
  expect(JSON.parse(json.stdout)).toEqual({ problems: [`${problem}.`], problemCount: 1 });
  expect(JSON.parse(json.stderr)).toMatchObject({
    error: { code: 500, message: 'The database has 1 problem.' },
  });
});

test('many problems of one kind are counted, and 100 of them described', async () => {
  const { database, settings } = await seeded(103);
  await setRows(database, 'project', { image_cover_cid: OTHER_CID });
  const { stdout, stderr } = await paw(['check'], settings);
  expect(stdout.match(/^The row .+ of project has an invalid image_cover_cid\.$/gm)).toHaveLength(100);
  expect(stdout).toMatch(/\nThere are 3 more problems of this kind\.\n$/);
  expect(stderr).toBe('paw: The database has 103 problems.\n');
});

if (inject('engine') === 'postgres') {
  test('a schema with the name of the role, in which new tables would be, hides none of the others', async () => {
    const { database, settings } = await seeded();
    const [role] = await database.read<{ name: string }>('SELECT current_user AS name');
    await database.write(`CREATE SCHEMA ${role?.name}`);
    expect(await pawJson(['check'], settings)).toMatchObject({ problems: [] });
  });
}

if (inject('engine') === 'sqlite') {
  test('a damaged SQLite file and a row without its parent are problems', async () => {
    const { settings } = await seeded();
    const { DATABASE_URL: url } = settings;
    const { DatabaseSync } = await import('node:sqlite');
    const file = new DatabaseSync(pathOf(url), { enableForeignKeyConstraints: false });
    file.exec('DELETE FROM project');
    // Otherwise the pages are read from the log, and not from the file.
    file.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    file.close();
    const orphan = await paw(['check'], settings);
    const lines = ['Row 1 of token', 'Row 1 of wallet', 'Row 2 of wallet'].map(
      (row) => `${row} refers to a missing project.\n`,
    );
    expect(orphan).toMatchObject({ status: 1, stdout: lines.join('') });
    damageTable(pathOf(url), 'wallet');
    const damaged = await paw(['check'], settings);
    expect(damaged).toMatchObject({ status: 1, stdout: expect.stringMatching(/malformed|Tree/) });
  });
}

test('a database that does not exist or is not current is refused with one line', async () => {
  const { url } = await testDatabase();
  const stderr = expect.stringMatching(/^paw: .+ Run "npm run -s paw -- migrate"\.\n$/);
  expect(await paw(['check'], { DATABASE_URL: url })).toEqual({ status: 1, stdout: '', stderr });
});

/** Creates a database of its own with an account. */
async function seeded(projects = 3) {
  const { url } = await testDatabase();
  await migrateDatabase(url);
  const database = await openDatabase(url, LONG_TIMEOUT);
  onTestFinished(() => database.close());
  const tenant = await seedTenant(
    { operator: operatorContext(database) },
    { projects, wallets: 2, addresses: 1 },
  );
  return { ...tenant, database, settings: { DATABASE_URL: url } };
}
