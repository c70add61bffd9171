import { describe, expect, test } from 'vitest';
import { hashCredential } from '../../../src/credentials/credential.ts';
import type { OperatorContext } from '../../../src/data/call/call.ts';
import { deleteAccount } from '../../../src/operator/delete-account.ts';
import type { Execute, Queryable } from '../../../src/storage/interface/database.ts';
import { deleteAccountRows } from '../../../src/storage/jobs/bulk-rows.ts';
import { type Api, bothApis, restApi } from '../../support/both-apis.ts';
import { columnsOf, tablesOf, textOf } from '../../support/engine.ts';
import { NETWORK, seedTenant, type Tenant, useGateway } from '../../support/gateway.ts';
import {
  type AppKey,
  createApp,
  keyOf,
  PASSWORD,
  projectToken,
  projectTokenOf,
  reasonOf,
  tokenStatus,
  ULID,
  ulidOf,
} from '../../support/requests.ts';
import { addWallets } from '../../support/rows.ts';
import { commandsOn, logLines, pawJson } from '../../support/run-command.ts';

const gateway = useGateway();
/** Another instance on the same database. */
const other = useGateway({}, gateway);

const api = restApi(() => gateway.url);

const { run, runJson, exportOf, expectRefusal } = commandsOn(() => gateway.databaseUrl);

type Owner = Tenant & { readonly app: AppKey; readonly accessToken: string };

/** Creates an account with everything that it can have. */
async function seedOwner(): Promise<Owner> {
  const tenant = await seedTenant(gateway, { projects: 2, wallets: 2, addresses: 2 });
  const app = keyOf(await createApp(api, tenant.token));
  await api.updateWallet(tenant.token, tenant.wallet, { password: PASSWORD });
  // A failed sign-in is recorded.
  await api.signIn(tenant.token, { ...app, privateKey: 'wrong' });
  return { ...tenant, app, accessToken: await projectTokenOf(api, tenant.token, app) };
}

/** Returns the distinct results of the tokens and of a sign-in, by default by both APIs of both instances. */
async function statusesOf(
  { token, accessToken, app }: Owner,
  apis: readonly Api[] = [...bothApis(() => gateway.url), ...bothApis(() => other.url)],
): Promise<readonly string[]> {
  const statuses = new Set<string>();
  for (const each of apis) {
    statuses.add(await tokenStatus(each, token));
    statuses.add(await tokenStatus(each, accessToken));
    statuses.add(await reasonOf(each.signIn(token, app)));
  }
  return [...statuses];
}

/** Returns the lines of the database that contain the id of an account. */
async function rowsOf({ account }: Tenant): Promise<readonly string[]> {
  const rows = (await textOf(gateway.database)).split('\n');
  return rows.filter((row) => row.includes(ulidOf(account)));
}

test('a suspended account has all its tokens refused on every instance until it is resumed, and can have one revoked', async () => {
  const [owner, stranger] = [await seedOwner(), await seedOwner()];
  const view = { name: owner.account, defaultProject: owner.projects[0] };
  expect(await statusesOf(owner)).toEqual(['ok']);
  expect(await runJson('account', 'suspend', owner.account)).toMatchObject({ ...view, state: 'SUSPENDED' });
  expect(await statusesOf(owner)).toEqual(['TOKEN_INVALID']);
  expect(await statusesOf(stranger)).toEqual(['ok']);
  const { accessToken } = await runJson('token', 'create', '--account', owner.account);
  expect(await tokenStatus(api, accessToken)).toBe('TOKEN_INVALID');
  const revoked = await projectToken(gateway, stranger);
  await runJson('account', 'suspend', stranger.account);
  const settings = { DATABASE_URL: gateway.databaseUrl };
  expect(await pawJson(['token', 'revoke'], settings, revoked)).toEqual({ revoked: 1 });
  for (const { account } of [owner, stranger]) await runJson('account', 'resume', account);
  expect(await statusesOf(owner)).toEqual(['ok']);
  expect(await tokenStatus(api, accessToken)).toBe('ok');
  expect(await tokenStatus(api, revoked)).toBe('TOKEN_INVALID');
});

test('an export has a record for the account, and for each project, app, wallet, token, address and event, and no secret', async () => {
  const owner = await seedOwner();
  const { status, stdout, stderr } = await run('account', 'export', owner.account);
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const records = logLines(stdout);
  const valuesOf = (type: string, field = 'name') =>
    records.filter((each) => each.type === type).map((each) => each[field]);
  expect(valuesOf('account')).toEqual([owner.account]);
  expect(valuesOf('project')).toEqual(owner.projects);
  expect(valuesOf('app')).toEqual([owner.app.name]);
  expect(valuesOf('wallet')).toEqual(owner.wallets);
  expect(valuesOf('token', 'level').sort()).toEqual(['account', 'project']);
  const actions = valuesOf('event', 'action');
  expect(actions).toContain('sign_in.succeed');
  expect(valuesOf('address', 'network')).toEqual([NETWORK, NETWORK]);
  expect(actions).toHaveLength(11);
  expect(records).toHaveLength(21);
  for (const secret of [owner.token, owner.accessToken, owner.app.privateKey]) {
    expect(stdout).not.toContain(secret);
    expect(stdout).not.toContain(hashCredential(secret));
  }
  // An event has the names of fields.
  expect(stdout.replaceAll('"fields":["password"]', '')).not.toMatch(/password|privateKey|hash|argon2/i);
});

describe('a deletion of an account', () => {
  test('leaves nothing of it and everything of others, and both it and an export do more rows than one batch', async () => {
    const [owner, stranger] = [await seedOwner(), await seedOwner()];
    await addWallets(gateway.database, owner, 1001);
    const wallets = (await exportOf(owner.account)).filter(({ type }) => type === 'wallet');
    expect(new Set(wallets.map(({ name }) => name)).size).toBe(1003);
    const before = await rowsOf(stranger);
    expect(await runJson('account', 'delete', owner.account, '--yes')).toEqual({
      projects: 2,
      apps: 1,
      wallets: 1003,
      addresses: 2,
      tokens: 2,
      events: 12,
    });
    expect(await rowsOf(owner)).toEqual([]);
    expect(await rowsOf(stranger)).toEqual(before);
    expect(await statusesOf(owner)).toEqual(['TOKEN_INVALID']);
    expect(await statusesOf(stranger)).toEqual(['ok']);
    await expectRefusal(1, 'name', 'account', 'delete', owner.account, '--yes');
  });

  test('can keep the audit events', async () => {
    const owner = await seedOwner();
    await runJson('account', 'delete', owner.account, '--yes', '--keep-audit');
    expect((await rowsOf(owner)).filter((row) => !row.startsWith('audit_event\t'))).toEqual([]);
    const { events } = await runJson('audit', 'list', '--account', owner.account, '--page-size', '100');
    expect(events).toHaveLength(12);
    expect(events.at(0)).toMatchObject({ action: 'account.delete', resource: owner.account });
    // The other accounts were supplied with the same addresses.
    await runJson('address', 'delete', '--all', '--yes');
    expect(await runJson('check')).toMatchObject({ problems: [] });
  });

  test('deletes from each table that has an account', async () => {
    const withAccount: string[] = [];
    for (const table of await tablesOf(gateway.database)) {
      if ((await columnsOf(gateway.database, table)).includes('account_id')) withAccount.push(table);
    }
    const deleted = await deleteAccountRows(gateway.database, ulidOf(`accounts/${ULID}`));
    expect(Object.keys(deleted).sort()).toEqual(['account', ...withAccount].sort());
  });

  test('that is interrupted after any statement serves nothing, and a second one deletes the rest', async () => {
    // The first two statements are one transaction.
    for (let count = 2; ; count += 1) {
      const owner = await seedOwner();
      const deletion = deleteAccount(failingAfter(count), { name: owner.account }, false);
      const isInterrupted = await deletion.then(
        () => false,
        () => true,
      );
      expect(await statusesOf(owner, [api])).toEqual(['TOKEN_INVALID']);
      if (!isInterrupted) return expect(count).toBeGreaterThan(5);
      expect(await run('account', 'resume', owner.account)).toMatchObject({ status: 1 });
      expect(await run('token', 'create', '--account', owner.account)).toMatchObject({ status: 1 });
      await runJson('account', 'delete', owner.account, '--yes');
      expect(await rowsOf(owner)).toEqual([]);
    }
  });
});

/** Returns a context whose database fails after `count` statements. */
function failingAfter(count: number): OperatorContext {
  let left = count;
  const counted =
    (execute: Execute): Execute =>
    (sql, params) => {
      if (left === 0) return Promise.reject(new Error('The process was killed.'));
      left -= 1;
      return execute(sql, params);
    };
  const failing = ({ read, write }: Queryable): Queryable => ({ read: counted(read), write: counted(write) });
  const { operator, database } = gateway;
  return {
    ...operator,
    database: {
      ...database,
      ...failing(database),
      transaction: (work) => database.transaction((transaction) => work(failing(transaction))),
    },
  };
}
