import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test, vi } from 'vitest';
import { sweepExpired } from '../../src/storage/sweep.ts';
import { createApp, credentialParts, projectTokenOf } from '../support/actors.ts';
import { useAllOperations } from '../support/all-operations.ts';
import { restApi } from '../support/apis.ts';
import { pathOf } from '../support/engine.ts';
import { type Gateway, seedTenant, startGateway, type Tenant } from '../support/gateway.ts';
import { pawJson } from '../support/paw.ts';

const EXPIRED =
  "INSERT INTO token (account_id, id, value, expire_time_ms) VALUES ('owner', 'key', 'value', 0)";

const OLD = `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count)
  VALUES ('account', '01ARZ3NDEKTSV4RRFFQ69G5FAV', 'app.create', 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', '', 1)`;

const IS_OF_ROWS = /^\s*(SELECT|INSERT|UPDATE|DELETE|WITH)\b/;

// Tables of SQLite and of the migrations, and one with a single row.
const IS_OTHER = /sqlite_schema|pragma_|schema_migration|page_token_key/;

// The rows of a subquery are no table.
const IS_HARMLESS = /^SCAN (part_\d+|parts|counted|events|changed|CONSTANT ROW|\d+ CONSTANT ROWS)/;

/** Records the statements that are prepared on SQLite from now on. */
function recordStatements(): ReadonlySet<string> {
  const statements = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  const spy = vi.spyOn(DatabaseSync.prototype, 'prepare').mockImplementation(function (
    this: DatabaseSync,
    sql: string,
  ) {
    if (IS_OF_ROWS.test(sql) && !IS_OTHER.test(sql)) statements.add(sql);
    return prepare.call(this, sql);
  });
  onTestFinished(() => spy.mockRestore());
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
  for (const list of ['account', 'audit']) await run(list, 'list');
  await run('audit', 'list', '--account', account, '--action', 'app.create');
  await run('wallet', 'list', '--project', project);
  await run('app', 'deactivate', app.name);
  await run('token', 'revoke', '--id', credentialParts(token).serial);
  await run('token', 'revoke', '--app', app.name);
  await run('token', 'revoke', '--account', account);
  await run('project', 'update', project, '--title', 'Quarry');
  await run('project', 'delete', projects[1] ?? '', '--yes');
  await run('wallet', 'delete', wallets[1] ?? '', '--yes');
  await run('account', 'delete', account, '--yes');
}

test('every statement of the APIs, of the commands and of the sweep finds its rows by an index', async () => {
  const statements = recordStatements();
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  const tenant = await seedTenant(gateway, { projects: 3, wallets: 2 });
  await useAllOperations(gateway, tenant);
  await useCommands(gateway, await seedTenant(gateway, { projects: 2, wallets: 2 }));
  for (const sql of [EXPIRED, OLD]) await gateway.database.write(sql);
  const deleted: string[] = [];
  const onDeleted = (table: string) => deleted.push(table);
  await sweepExpired(gateway.database, { auditDays: 90, clock: Date.now, onDeleted });
  expect(deleted).toEqual(['token', 'audit_event']);

  const database = new DatabaseSync(pathOf(gateway.databaseUrl));
  onTestFinished(() => database.close());
  expect(statements.size).toBeGreaterThan(50);
  const plans = [...statements].map((sql) => {
    const steps = database
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map(({ detail }) => String(detail));
    return {
      sql,
      steps,
      scans: steps.filter((step) => /SCAN|TEMP B-TREE/.test(step) && !IS_HARMLESS.test(step)),
    };
  });
  expect(plans.filter(({ scans }) => scans.length > 0)).toEqual([]);
  const steps = plans.flatMap((plan) => plan.steps);
  // A page begins at its position.
  for (const search of [
    /^SEARCH project USING .*\(account_id=\? AND id>\?\)/,
    /^SEARCH project USING .*\(account_id=\? AND id<\?\)/,
    /^SEARCH wallet USING INDEX wallet_by_project \(account_id=\? AND project_id=\?/,
    /^SEARCH app USING INDEX app_by_project \(account_id=\? AND project_id=\?/,
    /^SEARCH project USING INDEX project_by_name/,
    /^SEARCH token USING .*INDEX token_by_expiry/,
    /^SEARCH audit_event USING .*INDEX audit_event_by_name/,
  ]) {
    expect(steps).toContainEqual(expect.stringMatching(search));
  }
});
