import { beforeAll, expect, inject, test } from 'vitest';
import { createAccountToken } from '../../../src/data/create-account-token.ts';
import { credentialParts, ulidOf } from '../../support/actors.ts';
import { damageTable, pathOf } from '../../support/engine.ts';
import {
  makeDatabase,
  migrateDatabase,
  seedTenant,
  startGateway,
  type Tenant,
  useGateway,
} from '../../support/gateway.ts';
import { paw, pawJson } from '../../support/paw.ts';

const gateway = useGateway();
let tenant: Tenant;

beforeAll(async () => {
  tenant = await seedTenant(gateway, { projects: 3, wallets: 2 });
});

const settings = () => ({ DATABASE_URL: gateway.databaseUrl });

const COUNTS = { accounts: 1, projects: 3, apps: 0, wallets: 2, tokens: 1, events: 7 };

test('a database without problems is reported as such', async () => {
  expect(await pawJson(['check'], settings())).toEqual({ ...COUNTS, problems: [] });
  const stdout = 'No problem found in 1 account, 3 projects, 0 apps, 2 wallets, 1 token and 7 events.\n';
  expect(await paw(['check'], settings())).toEqual({ status: 0, stdout, stderr: '' });
});

/** A statement that breaks the database, one that repairs it, and the problem. */
const breaks: readonly [what: string, set: string, reset: string, problem: () => RegExp][] = [
  [
    'a wrong project count',
    'UPDATE account SET project_count = project_count + 1',
    'UPDATE account SET project_count = project_count - 1',
    () => new RegExp(`The project count of ${tenant.account} is wrong`),
  ],
  [
    'a default project that does not exist',
    "UPDATE account SET default_project_id = '-' || default_project_id",
    'UPDATE account SET default_project_id = SUBSTR(default_project_id, 2)',
    () => new RegExp(`The default project of ${tenant.account} does not exist`),
  ],
  [
    'a wrong CID of a cover image',
    "UPDATE project SET image_cover_cid = '-' || image_cover_cid WHERE description = 'No. 2'",
    "UPDATE project SET image_cover_cid = SUBSTR(image_cover_cid, 2) WHERE description = 'No. 2'",
    () => new RegExp(`The CID of the cover image of ${tenant.projects[1]} is wrong`),
  ],
  [
    'a token without its account',
    "UPDATE token SET account_id = '-' || account_id",
    'UPDATE token SET account_id = SUBSTR(account_id, 2)',
    () =>
      new RegExp(`The account or app of the token ${credentialParts(tenant.token).serial} does not exist`),
  ],
  [
    'an incomplete deletion of an account',
    "UPDATE account SET state = 'DELETING', project_count = 0",
    "UPDATE account SET state = 'ACTIVE', project_count = 3",
    () => new RegExp(`The deletion of ${tenant.account} is not complete`),
  ],
];

test.each(breaks)('%s is one problem, and the exit status is 1', async (_what, set, reset, problem) => {
  await gateway.database.write(set);
  const [text, json] = [await paw(['check'], settings()), await paw(['check', '--json'], settings())];
  await gateway.database.write(reset);
  const stdout = expect.stringMatching(new RegExp(`^${problem().source}\\.\\n$`));
  expect(text).toEqual({ status: 1, stdout, stderr: 'paw: The database has 1 problem.\n' });
  expect(JSON.parse(json.stdout)).toEqual({ ...COUNTS, problems: [expect.stringMatching(problem())] });
  expect(JSON.parse(json.stderr)).toMatchObject({
    error: { code: 500, message: 'The database has 1 problem.' },
  });
});

if (inject('engine') === 'sqlite') {
  test('a damaged SQLite file and a row without its parent are problems', async () => {
    const { url, remove } = await makeDatabase();
    await migrateDatabase(url);
    const broken = await startGateway({ DATABASE_URL: url });
    const { account } = await seedTenant(broken, { wallets: 1 });
    await createAccountToken(broken.admin, { account }, 60);
    await broken.stop();
    const { DatabaseSync } = await import('node:sqlite');
    const file = new DatabaseSync(pathOf(url), { enableForeignKeyConstraints: false });
    file.prepare('DELETE FROM project WHERE account_id = ?').run(ulidOf(account));
    file.close();
    const orphan = await paw(['check'], { DATABASE_URL: url });
    expect(orphan).toMatchObject({ status: 1, stdout: 'Row 1 of wallet refers to a missing project.\n' });
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
