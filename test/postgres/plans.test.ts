import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { idOf, parseResourceName, type Ulid } from '../../src/model/resource-name.ts';
import type { Database, Queryable, Row, Value } from '../../src/storage/database.ts';
import { sweepExpired } from '../../src/storage/keyv-adapter.ts';
import { findProjectPage } from '../../src/storage/projects.ts';
import { type Gateway, seedTenant, startGateway } from '../gateway.ts';

const PROJECTS = 3000;

const FILL_PROJECTS = `INSERT INTO project (account_id, id, title, description, image_cover_cid, create_time_ms)
  SELECT account_id, left(id, 14) || lpad(n::text, 12, '0'), title, description, image_cover_cid, n
  FROM project, generate_series(1, ${PROJECTS}) n`;

const FILL_TOKENS = `INSERT INTO keyv (namespace, key, value, expire_time_ms)
  SELECT n % 100, n, repeat('x', 300), CASE WHEN n <= 50 THEN n ELSE 100000000000000 END
  FROM generate_series(1, 20000) n`;

const FIND = 'SELECT id FROM project WHERE account_id = $1 ORDER BY id LIMIT 1 OFFSET $2';

/** A step of a plan, as EXPLAIN gives it in JSON, with what it came to when it was carried out. */
type Step = {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  /** For each time it was carried out, as are the rows that are removed. */
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly Step[];
};

// The first five times the server plans a statement for its parameters, and then perhaps once for all.
const TIMES = [0, 10];

describe.each([
  ['of the only account', 0],
  ['of an account beside newer ones', 2],
])('a page of 3000 projects %s', (_whose, others) => {
  let gateway: Gateway;
  let account: Ulid;

  beforeAll(async () => {
    gateway = await startGateway();
    const { account: name } = await seedTenant(gateway);
    const parsed = parseResourceName(['accounts'], name);
    if (parsed === undefined) throw new Error('The tenant has no name.');
    account = idOf(parsed);
    for (let n = 0; n < others; n += 1) {
      gateway.clock.advance(1000);
      await seedTenant(gateway);
    }
    await gateway.database.query(FILL_PROJECTS);
    await gateway.database.query('ANALYZE');
    return gateway.stop;
  });

  const places = [
    ['forward', 'at the start', undefined],
    ['forward', 'in the middle', PROJECTS / 2],
    ['forward', 'just before the end', PROJECTS - 2],
    ['forward', 'behind the end', PROJECTS],
    ['backward', 'at the end', undefined],
    ['backward', 'in the middle', PROJECTS / 2],
    ['backward', 'just behind the start', 2],
    ['backward', 'before the start', 0],
  ] as const;

  test.each(TIMES.flatMap((times) => places.map((place) => [...place, times] as const)))(
    '%s %s is found by its key, and no more is read than it gives ($3 times before)',
    async (...given) => {
      const [direction, , index, times] = given;
      const [place] =
        index === undefined ? [] : await gateway.database.query<{ id: Ulid }>(FIND, [account, index]);
      const { explained, steps } = explain(gateway.database, times);
      await findProjectPage(explained, account, { direction, size: 5, position: place?.id });
      const onProjects = steps.filter((step) => step['Relation Name'] === 'project');
      // One more than the page, and one that lies behind it.
      expect(sum(onProjects.map(rowsRead))).toBeLessThanOrEqual(5 + 1 + 1);
      for (const step of onProjects) expect(step['Node Type']).toMatch(/^Index (Only )?Scan$/);
      // What is put in order is the page, and not the list.
      for (const sort of steps.filter((step) => step['Node Type'].includes('Sort'))) {
        expect(rowsRead(sort)).toBeLessThanOrEqual(5 + 1);
      }
    },
  );
});

test.each(TIMES)('a sweep, after it has run %i times, finds the expired by an index', async (times) => {
  const gateway = await startGateway();
  onTestFinished(gateway.stop);
  for (const sql of [FILL_TOKENS, 'ANALYZE']) await gateway.database.query(sql);
  const { explained, steps } = explain(gateway.database, times);
  await sweepExpired(explained, Date.now());
  const onTokens = steps.filter(({ 'Node Type': type }) => /^(Seq|Index|Bitmap).* Scan$/.test(type));
  expect(onTokens.map((step) => step['Index Name'])).toContain('keyv_by_expiry');
  for (const step of onTokens) expect(step['Node Type']).not.toBe('Seq Scan');
});

/** The database, with a note of each step by which it carries a statement out when it has done so `times` times. */
function explain(database: Database, times: number): { explained: Queryable; steps: Step[] } {
  const steps: Step[] = [];
  const explained: Queryable = {
    query: <R extends Row>(sql: string, params: readonly Value[] = []) =>
      database.transaction(async (transaction) => {
        const execute = `EXECUTE explained (${params.map(literal).join(', ')})`;
        await transaction.query(`PREPARE explained AS ${sql}`);
        for (let n = 0; n < times; n += 1) await transaction.query(execute);
        const explanations: readonly Readonly<Record<string, unknown>>[] = await transaction.query(
          `EXPLAIN (ANALYZE, FORMAT JSON) ${execute}`,
        );
        for (const { 'QUERY PLAN': plans } of explanations) {
          for (const { Plan: plan } of plans as [{ Plan: Step }]) steps.push(...stepsOf(plan));
        }
        await transaction.query('DEALLOCATE explained');
        return transaction.query<R>(sql, params);
      }),
  };
  return { explained, steps };
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
