import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { idOf, parseResourceName, type Ulid } from '../../src/model/resource-name.ts';
import { ALL_EVENTS, EVENTS, EVENTS_OF_ACTION } from '../../src/storage/audit-events.ts';
import type { Database, Execute, Queryable, Row, Value } from '../../src/storage/database.ts';
import { PROJECTS as PROJECT_LIST } from '../../src/storage/projects.ts';
import { sweepExpired } from '../../src/storage/sweep.ts';
import { WALLETS as WALLET_LIST } from '../../src/storage/wallets.ts';
import { ulidOf } from '../support/actors.ts';
import { type Gateway, seedTenant, startGateway } from '../support/gateway.ts';

const PROJECTS = 3000;

const FILL_PROJECTS = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
  SELECT account_id, left(id, 14) || lpad(n::text, 12, '0'), title, description, image_cover_cid, n
  FROM project, generate_series(1, ${PROJECTS}) n`;

// The statements that fill the tables take long on a busy machine.
const PATIENT = { PAW_POSTGRES_TIMEOUT: '1m' };

const FILL_TOKENS = `INSERT INTO token (account_id, id, value, expire_time_ms)
  SELECT n % 100, n, repeat('x', 300), CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
  FROM generate_series(1, 20000) n`;

const FILL_KEYS = `INSERT INTO idempotency_key (account_id, principal_id, key_hash, content_hash, response, expire_time_ms)
  SELECT n % 100, n % 100, n, 'hash', repeat('x', 300), CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
  FROM generate_series(1, 20000) n`;

const FILL_EVENTS = `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count)
  SELECT n % 100, CASE WHEN n <= 50 THEN '01ARZ3NDEK' ELSE '7ZZZZZZZZZ' END || lpad(n::text, 16, '0'),
    'app.create', 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV', '', 1
  FROM generate_series(1, 20000) n`;

const FIND = 'SELECT id FROM project WHERE account_id = $1 ORDER BY id LIMIT 1 OFFSET $2';

/** A step of an executed plan, in the JSON format of EXPLAIN ANALYZE. */
type Step = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  /** The rows per execution of the step. The removed rows are also per execution. */
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Step[];
};

// The server plans for the given parameters, or once for all parameters. `auto` chooses after five executions.
type PlanMode = 'force_custom_plan' | 'force_generic_plan' | 'auto';

const TIMES_BEFORE = 6;

describe.each([
  ['of the only account', 0, ['ANALYZE']],
  ['of an account beside 20 others, without statistics', 20, []],
])('a page of 3000 projects %s', (_whose, others, statistics) => {
  let gateway: Gateway;
  let account: Ulid;

  beforeAll(async () => {
    gateway = await startGateway(PATIENT);
    const { account: name } = await seedTenant(gateway);
    const parsed = parseResourceName(['accounts'], name);
    if (parsed === undefined) throw new Error('The tenant has no name.');
    account = idOf(parsed);
    for (let n = 0; n < others; n += 1) {
      gateway.clock.advance(1000);
      await seedTenant(gateway);
    }
    for (const sql of [FILL_PROJECTS, ...statistics]) await gateway.database.write(sql);
    return gateway.stop;
  });

  const places = [
    ['forward', 'at the start', undefined],
    ['forward', 'in the middle', PROJECTS / 2],
    ['forward', 'behind the end', PROJECTS],
    ['backward', 'at the end', undefined],
    ['backward', 'in the middle', PROJECTS / 2],
    ['backward', 'before the start', 0],
  ] as const;

  test.each(
    (['force_custom_plan', 'force_generic_plan'] as const).flatMap((mode) =>
      places.map((place) => [...place, mode] as const),
    ),
  )('%s %s is found by its key, and only its rows are read ($3)', async (...parameters) => {
    const [direction, , index, mode] = parameters;
    const [place] =
      index === undefined ? [] : await gateway.database.read<{ id: Ulid }>(FIND, [account, index]);
    const { explained, steps } = explain(gateway.database, mode);
    const request = { direction, size: 5, position: place?.id };
    const selection = { values: [account] };
    await PROJECT_LIST.readPages(explained, selection, request);
    await PROJECT_LIST.metadata(explained, selection, request).readCounts();
    const onProjects = steps.filter(
      (step) => step['Relation Name'] === 'project' && step['Actual Loops'] > 0,
    );
    // One row more than the page, and one on its other side.
    expect(sum(onProjects.map(rowsRead))).toBeLessThanOrEqual(5 + 1 + 1);
    for (const step of onProjects) expect(step['Node Type']).toMatch(/^Index (Only )?Scan$/);
    // Only the page is sorted, not the list.
    for (const sort of steps.filter((step) => step['Node Type'].includes('Sort'))) {
      expect(rowsRead(sort)).toBeLessThanOrEqual(5 + 1);
    }
  });
});

describe.each([
  ['with statistics', ['ANALYZE']],
  ['without statistics', []],
])('the lists of 20 projects with 1000 wallets each, %s,', (_, statistics) => {
  const WALLETS = `INSERT INTO wallet
      (account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms)
    SELECT account_id, left(id, 14) || lpad(n::text, 4, '0') || right(id, 8), id, 'Wallet', '', '', '', 0, 0
    FROM project, generate_series(1, 1000) n`;
  let gateway: Gateway;
  let account: Ulid;
  let projects: readonly Ulid[];

  beforeAll(async () => {
    gateway = await startGateway(PATIENT);
    const tenant = await seedTenant(gateway, { projects: 20 });
    await seedTenant(gateway, { projects: 5 });
    account = ulidOf(tenant.account);
    projects = tenant.projects.map(ulidOf);
    for (const sql of [WALLETS, ...statistics]) await gateway.database.write(sql);
    return gateway.stop;
  });

  test.each(
    (['force_custom_plan', 'force_generic_plan'] as const).flatMap((mode) =>
      (['forward', 'backward'] as const).map((direction) => [direction, mode] as const),
    ),
  )('%s, are found by an index, and only the rows of the pages are read (%s)', async (direction, mode) => {
    const [place] = await gateway.database.read<{ id: Ulid }>(
      'SELECT id FROM wallet WHERE account_id = $1 AND project_id = $2 ORDER BY id LIMIT 1 OFFSET 500',
      [account, projects[10] ?? ''],
    );
    const { explained, steps } = explain(gateway.database, mode);
    const request = { direction, size: 10, position: place?.id };
    const selection = { values: [account], parts: projects };
    const pages = await WALLET_LIST.readPages(explained, selection, request);
    expect(pages.map(({ items }) => items.length)).toEqual(projects.map(() => 10));
    const metadata = await WALLET_LIST.metadata(explained, selection, request).readPrevious();
    expect(metadata.map(({ hasPrevious }) => hasPrevious)).toEqual(projects.map(() => true));
    const onWallets = steps.filter((step) => step['Relation Name'] === 'wallet');
    for (const step of onWallets) expect(step['Index Name']).toBe('wallet_by_project');
    // A page and one more row for each project, and one row before it.
    expect(sum(onWallets.map(rowsRead))).toBeLessThanOrEqual(20 * (10 + 1) + 20);
  });
});

test.each(['force_custom_plan', 'auto'] as const)(
  'a sweep (%s) finds expired rows and old events by an index',
  async (mode) => {
    const gateway = await startGateway(PATIENT);
    onTestFinished(gateway.stop);
    for (const sql of [FILL_TOKENS, FILL_KEYS, FILL_EVENTS, 'ANALYZE']) {
      await gateway.database.write(sql);
    }
    const { explained, steps } = explain(gateway.database, mode);
    await sweepExpired(explained, { auditDays: 90, clock: Date.now, onDeleted: () => {} });
    for (const table of ['token', 'idempotency_key', 'audit_event']) {
      expect(steps).toContainEqual(
        expect.objectContaining({ 'Node Type': 'ModifyTable', 'Relation Name': table }),
      );
    }
    const scans = steps.filter(({ 'Node Type': type }) => /^(Seq|Index|Bitmap).* Scan$/.test(type));
    const indexes = scans.map((step) => step['Index Name']);
    expect(indexes).toEqual(
      expect.arrayContaining(['token_by_expiry', 'idempotency_key_by_expiry', 'audit_event_by_name']),
    );
    for (const step of scans) expect(step['Node Type']).not.toBe('Seq Scan');
  },
);

test.each(['force_custom_plan', 'force_generic_plan'] as const)(
  'a page of audit events (%s) is found by an index, and only its rows are read',
  async (mode) => {
    const gateway = await startGateway(PATIENT);
    onTestFinished(gateway.stop);
    await gateway.database.write(FILL_EVENTS);
    await gateway.database.write('ANALYZE');
    const { explained, steps } = explain(gateway.database, mode);
    for (const direction of ['forward', 'backward'] as const) {
      const request = { direction, size: 4, position: undefined };
      for (const [list, values] of [
        [EVENTS, ['7']],
        [ALL_EVENTS, []],
      ] as const) {
        const [page] = await list.readPages(explained, { values, range: ['7', '8'] }, request);
        expect(page?.items).toHaveLength(4);
      }
      // Statistics of the action say nothing about the rows of one account.
      for (const [action, found] of [
        ['app.create', 4],
        ['app.delete', 0],
      ] as const) {
        const selection = { values: ['7', action] };
        const [page] = await EVENTS_OF_ACTION.readPages(explained, selection, request);
        expect(page?.items).toHaveLength(found);
      }
    }
    const scans = steps.filter((step) => step['Relation Name'] === 'audit_event');
    expect(scans.map((step) => step['Index Name'])).toEqual([
      ...['audit_event_pkey', 'audit_event_by_name', 'audit_event_by_action', 'audit_event_by_action'],
      ...['audit_event_pkey', 'audit_event_by_name', 'audit_event_by_action', 'audit_event_by_action'],
    ]);
    expect(scans.map(rowsRead)).toEqual([5, 5, 5, 0, 5, 5, 5, 0]);
  },
);

/** Returns the database, and the plan steps of the statements that it runs. */
function explain(database: Database, mode: PlanMode): { explained: Queryable; steps: Step[] } {
  const steps: Step[] = [];
  const explainedBy =
    (kind: keyof Queryable): Execute =>
    <R extends Row>(sql: string, params: readonly Value[] = []) =>
      database.transaction(async (transaction) => {
        const values = params.length === 0 ? '' : `(${params.map(literal).join(', ')})`;
        const execute = `EXECUTE explained ${values}`;
        await transaction.write(`SET LOCAL plan_cache_mode = ${mode}`);
        await transaction.write(`PREPARE explained AS ${sql}`);
        for (let n = 0; n < TIMES_BEFORE; n += 1) await transaction.write(execute);
        const explanations: readonly Readonly<Record<string, unknown>>[] = await transaction.write(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`,
        );
        for (const { 'QUERY PLAN': plans } of explanations) {
          for (const { Plan: plan } of plans as [{ Plan: Step }]) steps.push(...stepsOf(plan));
        }
        await transaction.write('DEALLOCATE explained');
        return transaction[kind]<R>(sql, params);
      });
  return { explained: { read: explainedBy('read'), write: explainedBy('write') }, steps };
}

function stepsOf(step: Step): readonly Step[] {
  return [step, ...(step.Plans ?? []).flatMap(stepsOf)];
}

function rowsRead(step: Step): number {
  return (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0)) * step['Actual Loops'];
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function literal(value: Value): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}
