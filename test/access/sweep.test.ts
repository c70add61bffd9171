import { beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { firstUlid } from '../../src/model/resource-name.ts';
import type { Database } from '../../src/storage/database.ts';
import { migrate } from '../../src/storage/migrate.ts';
import { openDatabase } from '../../src/storage/open-database.ts';
import { startSweeper, sweepExpired } from '../../src/storage/sweep.ts';
import { tokenStatus } from '../support/actors.ts';
import { restApi } from '../support/apis.ts';
import { makeDatabase, seedTenant, startGateway, type TestClock, testClock } from '../support/gateway.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const YEAR_MS = 365 * DAY_MS;

const AUDIT_DAYS = 3;

let database: Database;
let clock: TestClock;

beforeAll(async () => {
  const { url, remove } = await makeDatabase();
  database = await openDatabase(url);
  await migrate(database, Date.now());
  return async () => {
    await database.close();
    await remove();
  };
});

beforeEach(async () => {
  clock = testClock();
  await database.write('DELETE FROM token');
  await database.write('DELETE FROM idempotency_key');
  await database.write('DELETE FROM audit_event');
  await database.write("UPDATE sweep SET holder = '', time_ms = $1, clock_since_ms = 0", [
    clock() - MINUTE_MS,
  ]);
});

const INSERT = `INSERT INTO token (account_id, id, value, expire_time_ms)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS INTEGER))
  SELECT 'expired', CAST(i AS TEXT), 'value', CAST($2 AS BIGINT) FROM n`;

const insertExpired = (count: number) => database.write(INSERT, [count, clock() - DAY_MS]);

async function countTokens(): Promise<number> {
  const [row] = await database.read<{ count: number }>('SELECT COUNT(*) AS count FROM token');
  return row?.count ?? Number.NaN;
}

describe('a sweep', () => {
  test('deletes what has been expired for a day, to the millisecond, and nothing else', async () => {
    const add = (key: string, expireTimeMs: number | null) =>
      database.write('INSERT INTO token (account_id, id, value, expire_time_ms) VALUES ($1, $2, $3, $4)', [
        'owner',
        key,
        'value',
        expireTimeMs,
      ]);
    await add('for a day', clock());
    await add('for less than a day', clock() + 1);
    await add('never', null);
    for (const ms of [DAY_MS / 2, DAY_MS / 2 - 1]) {
      clock.advance(ms);
      expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(0);
    }
    clock.advance(1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(1);
    expect(await database.read('SELECT id FROM token ORDER BY id')).toEqual([
      { id: 'for less than a day' },
      { id: 'never' },
    ]);
  });

  test.each([0, 1, 100, 250])('deletes all of %i rows', async (count) => {
    if (count > 0) await insertExpired(count);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(count);
    expect(await countTokens()).toBe(0);
  });

  test('deletes the responses of idempotency keys when they have expired', async () => {
    const add = (key: string, expireTimeMs: number) =>
      database.write(
        `INSERT INTO idempotency_key (account_id, principal_id, key_hash, answer, expire_time_ms)
         VALUES ('a', 'p', $1, 'answer', $2)`,
        [key, expireTimeMs],
      );
    await insertExpired(1);
    await add('expired', clock());
    await add('kept', clock() + 1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(2);
    expect(await database.read('SELECT key_hash FROM idempotency_key')).toEqual([{ key_hash: 'kept' }]);
  });

  test('deletes the audit events that are older than their time, to the millisecond, or none', async () => {
    const ids = [clock() - AUDIT_DAYS * DAY_MS - 1, clock() - AUDIT_DAYS * DAY_MS + 1].map(firstUlid);
    for (const id of ids) {
      await database.write(
        `INSERT INTO audit_event (account_id, id, action, resource, fields, event_count)
         VALUES ('account', $1, 'app.create', 'apps/app', '', 1)`,
        [id],
      );
    }
    expect(await sweepExpired(database, 0, 'one', clock)).toBe(0);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(1);
    expect(await database.read('SELECT id FROM audit_event')).toEqual([{ id: ids[1] }]);
  });

  test('without expired rows writes nothing', async () => {
    const before = await database.read('SELECT * FROM sweep');
    await sweepExpired(database, AUDIT_DAYS, 'one', clock);
    expect(await database.read('SELECT * FROM sweep')).toEqual(before);
  });

  test('ends after its current batch when the server stops', async () => {
    await insertExpired(250);
    let deleted = 0;
    const stop = startSweeper(
      database,
      AUDIT_DAYS,
      clock,
      (table, count) => {
        expect(table).toBe('token');
        deleted += count;
      },
      (error) => expect.unreachable(String(error)),
    );
    await stop();
    expect(deleted).toBe(100);
    expect(await countTokens()).toBe(150);
  });

  test('is made by one instance, until that one has not swept for a minute', async () => {
    await insertExpired(1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(1);
    await insertExpired(1);
    clock.advance(MINUTE_MS - 1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'two', clock)).toBe(0);
    clock.advance(1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'two', clock)).toBe(1);
    await insertExpired(1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(0);
    expect(await sweepExpired(database, AUDIT_DAYS, 'two', clock)).toBe(1);
  });

  test('is made by one of several instances that sweep at the same time', async () => {
    await insertExpired(250);
    const holders = ['one', 'two', 'three', 'four'];
    const counts = await Promise.all(
      holders.map((holder) => sweepExpired(database, AUDIT_DAYS, holder, clock)),
    );
    expect(counts.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 250]);
  });

  test('trusts a clock that has moved by more than a day only when a day has passed', async () => {
    await insertExpired(1);
    for (const jump of [YEAR_MS, -YEAR_MS]) {
      clock.advance(jump);
      expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(0);
      clock.advance(DAY_MS - 1);
      expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(0);
    }
    clock.advance(1);
    expect(await sweepExpired(database, AUDIT_DAYS, 'one', clock)).toBe(1);
  });
});

test('a server with a clock that is a year ahead for one start deletes no valid token', async () => {
  const { url, remove } = await makeDatabase();
  onTestFinished(remove);
  const now = testClock();
  const first = await startGateway({ DATABASE_URL: url }, now);
  const { token } = await seedTenant(first);
  await first.stop();

  // A server sweeps when it starts, and waits for the end of this batch when it stops.
  const ahead = testClock();
  ahead.advance(YEAR_MS);
  const wrong = await startGateway({ DATABASE_URL: url }, ahead);
  expect(
    await tokenStatus(
      restApi(() => wrong.url),
      token,
    ),
  ).toBe('TOKEN_INVALID');
  await wrong.stop();

  const right = await startGateway({ DATABASE_URL: url }, now);
  onTestFinished(right.stop);
  expect(
    await tokenStatus(
      restApi(() => right.url),
      token,
    ),
  ).toBe('ok');
});
