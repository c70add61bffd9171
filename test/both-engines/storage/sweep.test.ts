import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { firstUlid } from '../../../src/model/resource-name.ts';
import type { Database } from '../../../src/storage/database.ts';
import { migrate } from '../../../src/storage/migrate.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { startSweeper, sweepExpired } from '../../../src/storage/sweep.ts';
import { makeDatabase, type TestClock, testClock } from '../../support/gateway.ts';

const DAY_MS = 86_400_000;

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
});

const INSERT = `INSERT INTO token (account_id, id, value, expire_time_ms)
  WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < CAST($1 AS INTEGER))
  SELECT 'expired', CAST(i AS TEXT), 'value', CAST($2 AS BIGINT) FROM n`;

const insertExpired = (count: number) => database.write(INSERT, [count, clock() - DAY_MS]);

async function countTokens(): Promise<number> {
  const [row] = await database.read<{ count: number }>('SELECT COUNT(*) AS count FROM token');
  return row?.count ?? Number.NaN;
}

/** Sweeps once. Returns the number of deleted rows. */
async function sweep(auditDays = AUDIT_DAYS): Promise<number> {
  let deleted = 0;
  const onDeleted = (_: string, count: number) => {
    deleted += count;
  };
  await sweepExpired(database, { auditDays, clock, onDeleted });
  return deleted;
}

describe('a sweep', () => {
  test('deletes what has expired, to the millisecond, and nothing else', async () => {
    const add = async (key: string, expireTimeMs: number | null) => {
      const token = 'INSERT INTO token (account_id, id, value, expire_time_ms) VALUES ($1, $2, $1, $3)';
      await database.write(token, ['account', key, expireTimeMs]);
      const response = `INSERT INTO idempotency_key
        (account_id, principal_id, key_hash, content_hash, response, expire_time_ms) VALUES ($1, $1, $2, $1, $1, $3)`;
      if (expireTimeMs !== null) await database.write(response, ['account', key, expireTimeMs]);
    };
    await add('expired', clock());
    await add('valid', clock() + 1);
    await add('never', null);
    expect(await sweep()).toBe(2);
    const ids = await database.read('SELECT id FROM token ORDER BY id');
    expect(ids).toEqual([{ id: 'never' }, { id: 'valid' }]);
    expect(await database.read('SELECT key_hash FROM idempotency_key')).toEqual([{ key_hash: 'valid' }]);
  });

  test.each([0, 1, 100, 250])('deletes all of %i rows', async (count) => {
    if (count > 0) await insertExpired(count);
    expect(await sweep()).toBe(count);
    expect(await countTokens()).toBe(0);
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
    expect(await sweep(0)).toBe(0);
    expect(await sweep()).toBe(1);
    expect(await database.read('SELECT id FROM audit_event')).toEqual([{ id: ids[1] }]);
  });

  test('writes nothing without expired rows', async () => {
    const write = () => expect.unreachable('A statement was written.');
    await sweepExpired({ ...database, write }, { auditDays: AUDIT_DAYS, clock, onDeleted: write });
  });

  test('ends after its current batch when the server stops', async () => {
    await insertExpired(250);
    let deleted = 0;
    const stopped = Promise.withResolvers<void>();
    const stop = startSweeper(
      database,
      {
        auditDays: AUDIT_DAYS,
        clock,
        onDeleted(table, count) {
          expect(table).toBe('token');
          deleted += count;
          stopped.resolve(stop());
        },
      },
      (error) => expect.unreachable(String(error)),
    );
    await stopped.promise;
    expect(deleted).toBe(100);
    expect(await countTokens()).toBe(150);
  });

  test('by several instances at the same time deletes each row once', async () => {
    await insertExpired(250);
    const counts = await Promise.all(Array.from({ length: 4 }, () => sweep()));
    expect(counts.reduce((sum, count) => sum + count)).toBe(250);
    expect(await countTokens()).toBe(0);
  });
});
