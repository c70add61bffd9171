import { beforeAll, describe, expect, test } from 'vitest';
import { firstUlid, type Ulid } from '../../../src/model/resource-name.ts';
import type { Database, Execute, Queryable, Row, Value } from '../../../src/storage/interface/database.ts';
import { sweepExpired } from '../../../src/storage/jobs/sweep.ts';
import type { KeysetList } from '../../../src/storage/sql/keyset-list.ts';
import { APP_LIST, APP_LIST_BY_TITLE } from '../../../src/storage/tables/apps.ts';
import {
  countAuditEvents,
  EVENT_LIST,
  EVENT_LIST_OF_ACTION,
  EVENT_LIST_OF_ALL,
  EVENT_LIST_OF_RESOURCE,
  EVENT_LIST_OF_RESOURCE_AND_ACTION,
} from '../../../src/storage/tables/audit-events.ts';
import { PROJECT_LIST, PROJECT_LIST_BY_TITLE } from '../../../src/storage/tables/projects.ts';
import { NEW_TOKEN_COLUMNS } from '../../../src/storage/tables/tokens.ts';
import {
  WALLET_LIST,
  WALLET_LIST_AT_ADDRESS,
  WALLET_LIST_BY_TITLE,
} from '../../../src/storage/tables/wallets.ts';
import { type Gateway, seedTenant, startGateway, testGateway } from '../../support/gateway.ts';
import { ulidOf } from '../../support/requests.ts';
import { rowsOf } from '../../support/rows.ts';

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

const SIZE = 5;

// biome-ignore lint/suspicious/noExplicitAny: rows of any table
type AnyList = KeysetList<any>;

/** The resource of the events. */
const FILLED_RESOURCE = 'apps/01ARZ3NDEKTSV4RRFFQ69G5FAV';

const EVENTS = `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count, last_time_ms)
    SELECT n % 100, CASE WHEN n <= 50 THEN '01ARZ3NDEK' ELSE '7ZZZZZZZZZ' END || lpad(n::text, 16, '0'),
      'app.create', '${FILLED_RESOURCE}', '', 1, 0
    FROM generate_series(1, 20000) n`;

// 2000 wallets, 100 archived ones and 2000 apps in each project, and 3000 projects in each account.
const FILL = [
  `INSERT INTO wallet
      (account_id, id, project_id, title, description, network, address, create_time_ms, update_time_ms,
       revision, archived)
    SELECT account_id, left(id, 14) || lpad(n::text, 4, '0') || right(id, 8), id, 'Wallet', '', '', '', 0, 0, id,
      (n > 2000)::int
    FROM project, generate_series(1, 2100) n`,
  `INSERT INTO app
      (account_id, id, project_id, title, private_key_id, private_key_hash, active, create_time_ms, revision)
    SELECT account_id, left(id, 14) || lpad(n::text, 4, '0') || right(id, 8), id, 'App', '', '', 1, 0, id
    FROM project, generate_series(1, 2000) n`,
  `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
    SELECT id, left(id, 14) || lpad(n::text, 12, '0'), '', '', '', n FROM account, generate_series(1, 3000) n`,
  EVENTS,
];

const EXPIRED = [
  `INSERT INTO token (${NEW_TOKEN_COLUMNS})
    SELECT account_id, n, id, NULL, NULL, NULL, repeat('x', 64), '', 0, 0, CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
    FROM project, generate_series(1, 20000) n`,
  `INSERT INTO idempotency_key (account_id, key_hash, content_hash, response, expire_time_ms)
    SELECT n % 100, n, 'hash', repeat('x', 300), CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
    FROM generate_series(1, 20000) n`,
  EVENTS,
];

describe.each([
  ['of the only account, with statistics', 0, ['ANALYZE']],
  ['of an account beside 20 others, without statistics', 20, []],
])('a page %s', (_whose, others, statistics) => {
  let gateway: Gateway;
  let account: Ulid;
  let projects: readonly Ulid[];

  beforeAll(async () => {
    gateway = await startGateway();
    const tenant = await seedTenant(gateway, { projects: 20 });
    account = ulidOf(tenant.account);
    projects = tenant.projects.map(ulidOf);
    for (let n = 0; n < others; n += 1) {
      gateway.clock.advance(1000);
      await seedTenant(gateway);
    }
    for (const sql of FILL) await gateway.database.write(sql);
    for (const sql of statistics) await gateway.database.write(sql);
    return gateway.stop;
  });

  // The events of account 7 have the action app.create. Statistics of an action say nothing about one account.
  const lists: readonly (readonly [name: string, AnyList, index: string, values: () => Value[]])[] = [
    ['project', PROJECT_LIST, 'project_pkey', () => [account]],
    ['wallet', WALLET_LIST, 'wallet_by_project', () => [account, 0]],
    ['wallet that is archived', WALLET_LIST, 'wallet_by_project', () => [account, 1]],
    ['app', APP_LIST, 'app_by_project', () => [account]],
    ['audit_event', EVENT_LIST, 'audit_event_pkey', () => ['7']],
    ['audit_event of all accounts', EVENT_LIST_OF_ALL, 'audit_event_by_name', () => []],
    ['audit_event of an action', EVENT_LIST_OF_ACTION, 'audit_event_by_action', () => ['7', 'app.create']],
    [
      'audit_event of a rare action',
      EVENT_LIST_OF_ACTION,
      'audit_event_by_action',
      () => ['7', 'app.delete'],
    ],
    [
      'audit_event on a resource',
      EVENT_LIST_OF_RESOURCE,
      'audit_event_by_resource',
      () => ['7', FILLED_RESOURCE],
    ],
    [
      'audit_event of an action on a resource',
      EVENT_LIST_OF_RESOURCE_AND_ACTION,
      'audit_event_by_resource',
      () => ['7', FILLED_RESOURCE, 'app.create'],
    ],
    ['wallet at an address', WALLET_LIST_AT_ADDRESS, 'wallet_by_address', () => [account, '']],
  ];

  const cases = lists.flatMap((list) =>
    (['force_custom_plan', 'force_generic_plan'] as const).flatMap((mode) =>
      (['forward', 'backward'] as const).map((direction) => [list[0], direction, mode, list] as const),
    ),
  );

  test.each(cases)(
    'of the list %s, %s, is found by its index, and only its rows are read (%s)',
    async (name, direction, mode, [, list, index, values]) => {
      const [table] = name.split(' ') as ['project' | 'wallet' | 'app' | 'audit_event'];
      const parts = list === WALLET_LIST || list === APP_LIST ? projects : undefined;
      const count = parts?.length ?? 1;
      const rows = await rowsOf(gateway.database, table, String(values()[0] ?? '7'));
      const { explained, steps } = explain(gateway.database, mode);
      // At the start, in the middle and behind the end.
      for (const place of [undefined, rows.length / 2, direction === 'forward' ? -1 : 0]) {
        steps.length = 0;
        const position = place === undefined ? undefined : (rows.at(place)?.['id'] as Ulid | undefined);
        const request = { direction, size: SIZE, position };
        const pages = await list.readPages(explained, { values: values(), parts }, request);
        expect(pages).toHaveLength(count);
        if (place === undefined && !name.includes('rare')) expect(pages.at(-1)?.items).toHaveLength(SIZE);
        await list.metadata(explained, { values: values(), parts }, request).readPrevious();
        const scans = steps.filter((step) => step['Relation Name'] === table && step['Actual Loops'] > 0);
        for (const scan of scans) {
          expect(scan['Node Type']).toMatch(/^Index (Only )?Scan$/);
          expect(scan['Index Name']).toBe(index);
        }
        // One row more than each page, and one on its other side. Only the page is sorted, not the list.
        expect(sum(scans.map(rowsRead))).toBeLessThanOrEqual(count * (SIZE + 1 + 1));
        for (const sort of steps.filter((step) => step['Node Type'].includes('Sort'))) {
          expect(rowsRead(sort)).toBeLessThanOrEqual(count * (SIZE + 1));
        }
      }
    },
  );

  test.each([
    ['project', PROJECT_LIST_BY_TITLE, 'project_by_title', 'force_custom_plan'],
    ['project', PROJECT_LIST_BY_TITLE, 'project_by_title', 'force_generic_plan'],
    ['wallet', WALLET_LIST_BY_TITLE, 'wallet_by_title', 'force_custom_plan'],
    ['wallet', WALLET_LIST_BY_TITLE, 'wallet_by_title', 'force_generic_plan'],
    ['wallet', WALLET_LIST_BY_TITLE, 'wallet_by_title_in_project', 'force_custom_plan'],
    ['wallet', WALLET_LIST_BY_TITLE, 'wallet_by_title_in_project', 'force_generic_plan'],
    ['app', APP_LIST_BY_TITLE, 'app_by_title', 'force_custom_plan'],
    ['app', APP_LIST_BY_TITLE, 'app_by_title', 'force_generic_plan'],
    ['app', APP_LIST_BY_TITLE, 'app_by_title_in_project', 'force_custom_plan'],
    ['app', APP_LIST_BY_TITLE, 'app_by_title_in_project', 'force_generic_plan'],
  ] as const)(
    'of the list %s by title reads up to 1,000 matches from its index, and only its rows from the table',
    async (table, list, index, mode) => {
      const parts = index.endsWith('_in_project') ? projects : undefined;
      const count = parts?.length ?? 1;
      const { explained, steps } = explain(gateway.database, mode);
      // The key of all rows that were added is the empty one.
      const state = table === 'wallet' ? [0] : [];
      const selection = { values: [account, ...state, '', 'g'], parts };
      const pages = await (list as AnyList).readPages(explained, selection, {
        direction: 'forward',
        size: SIZE,
        position: undefined,
      });
      expect(pages.map(({ items }) => items.length)).toEqual(Array(count).fill(SIZE));
      const scans = steps.filter((step) => step['Relation Name'] === table && step['Actual Loops'] > 0);
      const rowsBy = (name: string) => sum(scans.filter((scan) => scan['Index Name'] === name).map(rowsRead));
      expect(rowsBy(index)).toBe(count * 1000);
      expect(rowsBy(`${table}_pkey`)).toBeLessThanOrEqual(count * (SIZE + 1));
      expect(new Set(scans.map((scan) => scan['Index Name']))).toEqual(new Set([index, `${table}_pkey`]));
    },
  );

  test.each(lists.filter(([name]) => /^audit_event(?!.*(rare|all))/.test(name)))(
    'the list %s is counted within a time by its index, and only its rows are read',
    async (_name, list, index, values) => {
      const rows = await rowsOf(gateway.database, 'audit_event', '7');
      const range = [-4, -1].map((n) => String(rows.at(n)?.['id'])) as [string, string];
      for (const mode of ['force_custom_plan', 'force_generic_plan'] as const) {
        const { explained, steps } = explain(gateway.database, mode);
        const request = { direction: 'forward', size: SIZE, position: undefined } as const;
        const [metadata] = await list.metadata(explained, { values: values(), range }, request).readCounts();
        expect(metadata?.totalCount).toBe(2);
        const scans = steps.filter((step) => step['Relation Name'] === 'audit_event');
        expect(scans.map((step) => [step['Index Name'], rowsRead(step)])).toEqual([[index, 2]]);
      }
    },
  );

  test('the events of an action are counted by its index, up to the maximum', async () => {
    const { explained, steps } = explain(gateway.database, 'force_generic_plan');
    const counted = { accountId: '7' as Ulid, action: 'app.create', first: firstUlid(0) } as const;
    expect(await countAuditEvents(explained, counted, 3)).toBe(3);
    const scans = steps.filter((step) => step['Relation Name'] === 'audit_event');
    expect(scans.map((step) => [step['Index Name'], rowsRead(step)])).toEqual([['audit_event_by_action', 3]]);
  });
});

test.each(['force_custom_plan', 'auto'] as const)(
  'a sweep (%s) finds expired rows and old events by an index',
  async (mode) => {
    const gateway = await testGateway();
    await seedTenant(gateway);
    for (const sql of EXPIRED) await gateway.database.write(sql);
    await gateway.database.write('ANALYZE');
    const { explained, steps } = explain(gateway.database, mode);
    await sweepExpired(explained, Date.now(), { auditDays: 90, onDeleted: () => {} });
    for (const table of ['token', 'idempotency_key', 'audit_event']) {
      expect(steps).toContainEqual(
        expect.objectContaining({ 'Node Type': 'ModifyTable', 'Relation Name': table }),
      );
    }
    const scans = steps.filter(({ 'Node Type': type }) => /^(Seq|Index|Bitmap).* Scan$/.test(type));
    expect(scans.map((step) => step['Index Name'])).toEqual(
      expect.arrayContaining(['token_by_expiry', 'idempotency_key_by_expiry', 'audit_event_by_name']),
    );
    for (const step of scans) expect(step['Node Type']).not.toBe('Seq Scan');
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
