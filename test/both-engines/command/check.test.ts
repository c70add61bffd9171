import { expect, inject, test } from 'vitest';
import { credentialParts, ulidOf } from '../../support/actors.ts';
import { damageTable, pathOf } from '../../support/engine.ts';
import {
  makeDatabase,
  migrateDatabase,
  seedTenant,
  startGateway,
  useGateway,
  useTenant,
} from '../../support/gateway.ts';
import { paw, pawJson } from '../../support/paw.ts';

const gateway = useGateway();
const tenant = useTenant(gateway, { projects: 3, wallets: 2 });

const settings = () => ({ DATABASE_URL: gateway.databaseUrl });

const COUNTS = { accounts: 1, projects: 3, apps: 0, wallets: 2, tokens: 1, events: 7 };

test('a database without problems is reported as such', async () => {
  expect(await pawJson(['check'], settings())).toEqual({ ...COUNTS, problems: [], problemCount: 0 });
  const stdout = 'No problem found in 1 account, 3 projects, 0 apps, 2 wallets, 1 token and 7 events.\n';
  expect(await paw(['check'], settings())).toEqual({ status: 0, stdout, stderr: '' });
});

/** A problem, a statement that causes it, and one that repairs it. */
const breaks: readonly (readonly [problem: string, set: string, reset: string])[] = [
  [
    'The project count of $account is wrong',
    'UPDATE account SET project_count = project_count + 1',
    'UPDATE account SET project_count = project_count - 1',
  ],
  [
    'The default project of $account does not exist',
    "UPDATE account SET default_project_id = '-' || default_project_id",
    'UPDATE account SET default_project_id = SUBSTR(default_project_id, 2)',
  ],
  [
    'The CID of the cover image of $project is wrong',
    "UPDATE project SET image_cover_cid = '-' || image_cover_cid WHERE description = 'No. 2'",
    "UPDATE project SET image_cover_cid = SUBSTR(image_cover_cid, 2) WHERE description = 'No. 2'",
  ],
  [
    'The account of the idempotency key key does not exist',
    "INSERT INTO idempotency_key VALUES ('none', 'key', 'content', 'response', 100000000000000)",
    'DELETE FROM idempotency_key',
  ],
  [
    'The app of the token $token does not exist',
    "UPDATE token SET app_id = 'none'",
    'UPDATE token SET app_id = NULL',
  ],
  [
    'The network of $wallet is unknown',
    `UPDATE wallet SET network = '-' || network WHERE title = 'Wallet 1'`,
    `UPDATE wallet SET network = SUBSTR(network, 2) WHERE title = 'Wallet 1'`,
  ],
  [
    'The index wallet_by_project is missing',
    'DROP INDEX wallet_by_project',
    'CREATE INDEX wallet_by_project ON wallet (account_id, project_id, id)',
  ],
  [
    'The column wallet.description is missing',
    'ALTER TABLE wallet DROP COLUMN description',
    "ALTER TABLE wallet ADD COLUMN description TEXT NOT NULL DEFAULT ''",
  ],
  [
    'The deletion of $account is not complete',
    "UPDATE account SET state = 'DELETING', project_count = 0",
    "UPDATE account SET state = 'ACTIVE', project_count = 3",
  ],
];

test.each(breaks)('"%s" is one problem, and the exit status is 1', async (template, set, reset) => {
  const { account, projects, wallets, token } = tenant;
  const names = { account, project: projects[1], wallet: wallets[0], token: credentialParts(token).serial };
  const problem = template.replace(/\$(\w+)/, (_, name: keyof typeof names) => String(names[name]));
  await gateway.database.write(set);
  const [text, json] = [await paw(['check'], settings()), await paw(['check', '--json'], settings())];
  await gateway.database.write(reset);
  expect(text).toEqual({ status: 1, stdout: `${problem}.\n`, stderr: 'paw: The database has 1 problem.\n' });
  expect(JSON.parse(json.stdout)).toEqual({ problems: [`${problem}.`], problemCount: 1 });
  expect(JSON.parse(json.stderr)).toMatchObject({
    error: { code: 500, message: 'The database has 1 problem.' },
  });
});

test('many problems of one kind are counted, and 100 of them described', async () => {
  const { url, remove } = await makeDatabase();
  await migrateDatabase(url);
  const broken = await startGateway({ DATABASE_URL: url });
  await seedTenant(broken, { projects: 103 });
  await broken.database.write("UPDATE project SET image_cover_cid = 'wrong'");
  const { stdout, stderr } = await paw(['check'], { DATABASE_URL: url });
  expect(stdout.match(/^The CID of the cover image of .+ is wrong\.$/gm)).toHaveLength(100);
  expect(stdout).toMatch(/\nThere are 3 more problems of this kind\.\n$/);
  expect(stderr).toBe('paw: The database has 103 problems.\n');
  await broken.stop();
  await remove();
});

if (inject('engine') === 'sqlite') {
  test('a damaged SQLite file and a row without its parent are problems', async () => {
    const { url, remove } = await makeDatabase();
    await migrateDatabase(url);
    const broken = await startGateway({ DATABASE_URL: url });
    const { account } = await seedTenant(broken, { wallets: 1 });
    await broken.stop();
    const { DatabaseSync } = await import('node:sqlite');
    const file = new DatabaseSync(pathOf(url), { enableForeignKeyConstraints: false });
    file.prepare('DELETE FROM project WHERE account_id = ?').run(ulidOf(account));
    file.close();
    const orphan = await paw(['check'], { DATABASE_URL: url });
    const lines = ['token', 'wallet'].map((table) => `Row 1 of ${table} refers to a missing project.\n`);
    expect(orphan).toMatchObject({ status: 1, stdout: lines.join('') });
    damageTable(pathOf(url), 'wallet');
    const damaged = await paw(['check'], { DATABASE_URL: url });
    expect(damaged).toMatchObject({ status: 1, stdout: expect.stringMatching(/wallet|malformed|Tree/) });
    await remove();
  });
}

test('a database that does not exist or is not current is refused with one line', async () => {
  const { url, remove } = await makeDatabase();
  const stderr = expect.stringMatching(/^paw: .+ Run "paw migrate"\.\n$/);
  expect(await paw(['check'], { DATABASE_URL: url })).toEqual({ status: 1, stdout: '', stderr });
  await remove();
});
