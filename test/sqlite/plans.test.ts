import { beforeAll, expect, test } from 'vitest';
import type { PageRequest } from '../../src/model/page.ts';
import { idOf, parseResourceName, type ResourceName, type Ulid } from '../../src/model/resource-name.ts';
import type { Database, Row, Value } from '../../src/storage/database.ts';
import {
  findAccountOfProject,
  findProjectPage,
  findProjectPageMetadata,
} from '../../src/storage/projects.ts';
import { sweepExpired } from '../../src/storage/sweep.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
  return gateway.stop;
});

test.each<PageRequest['direction']>(['forward', 'backward'])(
  'a page %s is found by its key, without a scan or a sort of the list',
  async (direction) => {
    const { account, projects } = await seedTenant(gateway, { projects: 30 });
    const { explained, plan } = explain(gateway.database);
    const request = { direction, size: 5, position: idIn(projects[15]) };
    const { items } = await findProjectPage(explained, idIn(account), request);
    expect(items).toHaveLength(5);
    await findProjectPageMetadata(explained, idIn(account), request);
    const searches = plan.filter((step) => / USING .*project|project USING/.test(step));
    expect(searches).toHaveLength(2);
    for (const step of searches)
      expect(step).toMatch(/^SEARCH project USING .*\(account_id=\? AND id[<>]\?\)/);
    expect(plan.filter((step) => /SCAN|TEMP B-TREE/.test(step) && !/^SCAN CONSTANT ROW/.test(step))).toEqual(
      [],
    );
  },
);

test('the account of a project is found by the index on its name', async () => {
  const { account, projects } = await seedTenant(gateway);
  const { explained, plan } = explain(gateway.database);
  const [name = ''] = projects;
  expect(await findAccountOfProject(explained, name as ResourceName<'projects'>)).toBe(idIn(account));
  expect(plan).toEqual([expect.stringMatching(/^SEARCH project USING INDEX project_by_name/)]);
});

test('a sweep finds expired entries by an index', async () => {
  await gateway.database.query(INSERT_EXPIRED);
  const { explained, plan } = explain(gateway.database);
  expect(await sweepExpired(explained, 'test', Date.now)).toBe(1);
  expect(plan).toContainEqual(expect.stringMatching(/^SEARCH token USING .*INDEX token_by_expiry/));
  expect(plan).not.toContainEqual(expect.stringMatching(/^SCAN/));
});

const INSERT_EXPIRED =
  "INSERT INTO token (namespace, key, value, expire_time_ms) VALUES ('owner', 'key', 'value', 0)";

type Statements = Pick<Database, 'query' | 'transaction'>;

/** Returns the database, and the query plans of the statements that it runs. */
function explain(database: Database): { explained: Statements; plan: string[] } {
  const plan: string[] = [];
  const explained: Statements = {
    transaction: (work) => work(explained),
    async query<R extends Row>(sql: string, params?: readonly Value[]) {
      const steps = await database.query<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, params);
      plan.push(...steps.map(({ detail }) => detail));
      return database.query<R>(sql, params);
    },
  };
  return { explained, plan };
}

function idIn(name: string | undefined): Ulid {
  const parsed = parseResourceName(['accounts', 'projects'], name ?? '');
  if (parsed === undefined) throw new Error('The tenant has no such name.');
  return idOf(parsed);
}
