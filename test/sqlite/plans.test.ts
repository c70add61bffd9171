import { expect, test } from 'vitest';
import type { PageRequest } from '../../src/model/page.ts';
import {
  idOf,
  parseResourceName,
  type ResourceName,
  resourceName,
  type Ulid,
} from '../../src/model/resource-name.ts';
import { ACCOUNTS } from '../../src/storage/accounts.ts';
import { APPS, findAccountOfApp, replaceAppKey, updateApp } from '../../src/storage/apps.ts';
import { ALL_EVENTS, countAuditEvents, EVENTS, EVENTS_OF_ACTION } from '../../src/storage/audit-events.ts';
import type { Database, Execute } from '../../src/storage/database.ts';
import { findAccountOfProject, hasDependents, PROJECTS, updateProject } from '../../src/storage/projects.ts';
import { insertSignIn } from '../../src/storage/sign-ins.ts';
import { sweepExpired } from '../../src/storage/sweep.ts';
import { deleteAccountRows } from '../../src/storage/table-rows.ts';
import { tokenStore } from '../../src/storage/token-store.ts';
import {
  endTokensWithKey,
  findToken,
  findTokenById,
  revokeToken,
  revokeTokenById,
  revokeTokensOfAccount,
  revokeTokensOfApp,
  TOKENS,
} from '../../src/storage/tokens.ts';
import { deleteWallet, WALLETS } from '../../src/storage/wallets.ts';
import { seedTenant, useGateway } from '../support/gateway.ts';

const gateway = useGateway();

test.each<PageRequest['direction']>(['forward', 'backward'])(
  'a page %s is found by its key, without a scan or a sort of the list',
  async (direction) => {
    const { account, projects } = await seedTenant(gateway, { projects: 30 });
    const { explained, plan } = explain(gateway.database);
    const request = { direction, size: 5, position: idIn(projects[15]) };
    const selection = { values: [idIn(account)] };
    const [page] = await PROJECTS.readPages(explained, selection, request);
    expect(page?.items).toHaveLength(5);
    await PROJECTS.metadata(explained, selection, request).readCounts();
    const searches = plan.filter((step) => / USING .*project|project USING/.test(step));
    expect(searches).toHaveLength(2);
    for (const step of searches)
      expect(step).toMatch(/^SEARCH project USING .*\(account_id=\? AND id[<>]\?\)/);
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step) && !/^SCAN CONSTANT ROW/.test(step))).toEqual(
      [],
    );
  },
);

test.each([
  ['apps', APPS, 'app_by_project'],
  ['wallets', WALLETS, 'wallet_by_project'],
])('the pages of the %s of each project are found by an index', async (_, list, index) => {
  const { account, projects } = await seedTenant(gateway, { projects: 3 });
  const { explained, plan } = explain(gateway.database);
  const selection = { values: [idIn(account)], parts: projects.map(idIn) };
  for (const direction of ['forward', 'backward'] as const) {
    const request = { direction, size: 5, position: selection.parts[1] };
    await list.readPages(explained, selection, request);
    const { readCounts, readPrevious } = list.metadata(explained, selection, request);
    await readCounts();
    await readPrevious();
  }
  const searches = plan.filter((step) => step.includes(index));
  // One for each of the ten branches of a page, one for its counts and one for its flags, in both directions.
  expect(searches).toHaveLength(2 * (10 + 1 + 1));
  for (const step of searches) expect(step).toMatch(/\(account_id=\? AND project_id=\? AND id[<>]\?\)$/);
  const scans = plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step));
  expect(scans.filter((step) => !/^SCAN (part_\d+|counted|10-ROW VALUES CLAUSE)/.test(step))).toEqual([]);
});

test('the account of a project is found by the index on its name', async () => {
  const { account, projects } = await seedTenant(gateway);
  const { explained, plan } = explain(gateway.database);
  const [name = ''] = projects;
  expect(await findAccountOfProject(explained, name as ResourceName<'projects'>)).toBe(idIn(account));
  expect(plan).toEqual([expect.stringMatching(/^SEARCH project USING INDEX project_by_name/)]);
});

test('the token of a request and the rows of the commands are found by an index', async () => {
  const { account, projects } = await seedTenant(gateway, { wallets: 1 });
  const { explained, plan } = explain(gateway.database);
  const [accountId, projectId] = [idIn(account), idIn(projects[0])];
  const id = gateway.admin.newId();
  await tokenStore(explained, Date.now).find(accountId, id);
  const page = { direction: 'forward', size: 10, position: undefined } as const;
  await ACCOUNTS.readPages(explained, { values: [] }, page);
  await PROJECTS.readPages(explained, { values: [accountId], parts: [projectId] }, page);
  for (const list of [PROJECTS, APPS, WALLETS, EVENTS]) {
    await list.readPages(explained, { values: [accountId] }, page);
  }
  await TOKENS.readPages(explained, { values: [accountId, 0] }, page);
  await EVENTS_OF_ACTION.readPages(explained, { values: [accountId, 'app.create'] }, page);
  await ALL_EVENTS.readPages(explained, { values: [] }, page);
  await findToken(explained, accountId, id);
  await findTokenById(explained, id);
  await revokeToken(explained, accountId, id);
  await hasDependents(explained, accountId, projectId, 0);
  await findAccountOfApp(explained, resourceName('apps', id));
  await updateApp(explained, accountId, id, { active: true });
  await insertSignIn(explained, Date.now, {
    ...{ appId: id, currentKeyId: '', keyId: '', tokenId: id, ttlMs: 1, maxTokens: 1 },
    record: { hash: '', principal: { level: 'project', accountId, projectId, isReadOnly: false } },
    event: { ...EVENT, account_id: accountId, id, resource: resourceName('apps', id) },
  });
  await replaceAppKey(explained, accountId, id, { private_key_id: '', private_key_hash: '' }, 0);
  await endTokensWithKey(explained, accountId, id, '', 0);
  await updateProject(explained, resourceName('projects', id), { title: 'Quarry', description: undefined });
  await deleteWallet(explained, resourceName('wallets', id));
  await revokeTokenById(explained, id, 0);
  await revokeTokensOfApp(explained, accountId, id, 0);
  await revokeTokensOfAccount(explained, id, 0);
  await countAuditEvents(explained, accountId, id, id, 10);
  await deleteAccountRows(explained, id);
  expect(plan.length).toBeGreaterThan(20);
  // The rows of a subquery are no table.
  const isHarmless = (step: string) => /^SCAN (CONSTANT ROW|events$)/.test(step);
  expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step) && !isHarmless(step))).toEqual([]);
});

test('a sweep finds expired entries and old events by an index', async () => {
  await gateway.database.write(INSERT_EXPIRED);
  await gateway.database.write(INSERT_OLD);
  const { explained, plan } = explain(gateway.database);
  const deleted: string[] = [];
  const onDeleted = (table: string) => deleted.push(table);
  await sweepExpired(explained, { auditDays: 90, clock: Date.now, onDeleted });
  expect(deleted).toEqual(['token', 'audit_event']);
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH token USING .*INDEX token_by_expiry/));
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH audit_event USING .*INDEX audit_event_by_name/));
  expect(plan).not.toContainEqual(expect.stringMatching(/^SCAN/));
});

const INSERT_EXPIRED =
  "INSERT INTO token (account_id, id, value, expire_time_ms) VALUES ('owner', 'key', 'value', 0)";

const EVENT = {
  action: 'sign_in.succeed',
  fields: '',
  event_count: 1,
  credential_id: null,
  token_id: null,
  address: null,
  request_id: null,
} as const;

type Statements = Pick<Database, 'read' | 'write' | 'writeAll' | 'transaction'>;

const INSERT_OLD = `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count)
  VALUES ('account', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'app.create', 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', '', 1)`;

/** Returns the database, and the query plans of the statements that it runs. */
function explain(database: Database): { explained: Statements; plan: string[] } {
  const plan: string[] = [];
  const explainedBy =
    (execute: Execute): Execute =>
    async (sql, params) => {
      const steps = await database.write<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      plan.push(...steps.map(({ detail }) => detail));
      return execute(sql, params);
    };
  const explained: Statements = {
    read: explainedBy(database.read),
    write: explainedBy(database.write),
    async writeAll(statements) {
      for (const { sql, params } of statements) await explained.write(sql, params);
      return [];
    },
    transaction: (work) => work(explained),
  };
  return { explained, plan };
}

function idIn(name: string | undefined): Ulid {
  const parsed = parseResourceName(['accounts', 'projects'], name ?? '');
  if (parsed === undefined) throw new Error('The tenant has no such name.');
  return idOf(parsed);
}
