import { beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest';
import { firstUlid, type Ulid } from '../../../src/model/resource-name.ts';
import type { Queryable } from '../../../src/storage/interface/database.ts';
import type { Engine } from '../../../src/storage/interface/engine.ts';
import { migrate } from '../../../src/storage/jobs/run-migrations.ts';
import { Sweeper, sweepExpired } from '../../../src/storage/jobs/sweep.ts';
import { openDatabase } from '../../../src/storage/open-database.ts';
import { insertAccount } from '../../../src/storage/tables/accounts.ts';
import { insertProject } from '../../../src/storage/tables/projects.ts';
import { insertTokenChange } from '../../../src/storage/tables/tokens.ts';
import { write } from '../../../src/storage/work/change.ts';
import {
  makeDatabase,
  seedTenant,
  startGateway,
  type TestClock,
  testClock,
  testDatabase,
  testGateway,
} from '../../support/gateway.ts';
import { LONG_TIMEOUT } from '../../support/long-deadlines.ts';
import { createAccountToken, ulidOf } from '../../support/requests.ts';
import { addEvent, addRow, rowsOf } from '../../support/rows.ts';

const DAY_MS = 86_400_000;

const AUDIT_DAYS = 3;

const ACCOUNT = 'account' as Ulid;
const PROJECT = 'project' as Ulid;

let database: Engine;
let clock: TestClock;

beforeAll(async () => {
  const { url, remove } = await makeDatabase();
  database = await openDatabase(url, LONG_TIMEOUT);
  await migrate(database, Date.now());
  await insertAccount(database, {
    ...{ id: ACCOUNT, title: '', default_project_id: PROJECT, project_count: 0, app_count: 0 },
    ...{ state: 'ACTIVE', create_time_ms: 0 },
  });
  const project = {
    id: PROJECT,
    title: '',
    description: '',
    image_cover_cid: '',
    reference: null,
    create_time_ms: 0,
  };
  await insertProject(database, { account_id: ACCOUNT, title_key: '', ...project });
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

const insertToken = (id: string, expireTimeMs: number, target: Queryable = database) => {
  const token = insertTokenChange({
    ...{ account_id: ACCOUNT, id: id as Ulid, project_id: PROJECT, app_id: null, app_key_id: null },
    maker_token_id: null,
    ...{ hash: 'hash', title: '', is_one_project: 0, is_read_only: 0, expire_time_ms: expireTimeMs },
  });
  return write(target, token);
};

const insertExpired = (count: number) =>
  database.transaction(async (transaction) => {
    for (let n = 0; n < count; n += 1) await insertToken(String(n), clock() - DAY_MS, transaction);
  });

const tokenIds = async () => (await rowsOf(database, 'token')).map(({ id }) => id);

/** Sweeps once. Returns the number of deleted rows. */
async function sweep(auditDays = AUDIT_DAYS): Promise<number> {
  let deleted = 0;
  const onDeleted = (_: string, count: number) => {
    deleted += count;
  };
  await sweepExpired(database, clock(), { auditDays, onDeleted });
  return deleted;
}

describe('a sweep', () => {
  test('deletes what has expired, to the millisecond, and nothing else', async () => {
    const add = async (key: string, expireTimeMs: number) => {
      await insertToken(key, expireTimeMs);
      const texts = { account_id: ACCOUNT, key_hash: key, content_hash: '', response: '' };
      await addRow(database, 'idempotency_key', { ...texts, expire_time_ms: expireTimeMs });
    };
    await add('expired', clock());
    await add('valid', clock() + 1);
    expect(await sweep()).toBe(2);
    expect(await tokenIds()).toEqual(['valid']);
    expect(await rowsOf(database, 'idempotency_key')).toMatchObject([{ key_hash: 'valid' }]);
  });

  test.each([0, 1, 100, 250])('deletes all of %i rows', async (count) => {
    await insertExpired(count);
    expect(await sweep()).toBe(count);
    expect(await tokenIds()).toEqual([]);
  });

  test('deletes the audit events that are older than their time, to the millisecond, or none', async () => {
    const ids = [clock() - AUDIT_DAYS * DAY_MS - 1, clock() - AUDIT_DAYS * DAY_MS + 1].map(firstUlid);
    for (const id of ids) await addEvent(database, 'account', { id });
    expect(await sweep(0)).toBe(0);
    expect(await sweep()).toBe(1);
    expect(await rowsOf(database, 'audit_event')).toMatchObject([{ id: ids[1] }]);
  });

  test('writes nothing without expired rows', async () => {
    const write = () => expect.unreachable('A statement was written.');
    await sweepExpired({ ...database, write }, clock(), { auditDays: AUDIT_DAYS, onDeleted: write });
  });

  test('ends after its current batch when the server stops', async () => {
    await insertExpired(250);
    let deleted = 0;
    const stopped = Promise.withResolvers<void>();
    const sweeper = new Sweeper(database, clock, {
      auditDays: AUDIT_DAYS,
      onDeleted(table, count) {
        expect(table).toBe('token');
        deleted += count;
        stopped.resolve(sweeper.close());
      },
    });
    sweeper.start(60_000, (error) => expect.unreachable(String(error)));
    await stopped.promise;
    expect(deleted).toBe(100);
    expect(await tokenIds()).toHaveLength(150);
  });

  test('by several instances at the same time deletes each row once', async () => {
    await insertExpired(250);
    const counts = await Promise.all(Array.from({ length: 4 }, () => sweep()));
    expect(counts.reduce((sum, count) => sum + count)).toBe(250);
    expect(await tokenIds()).toEqual([]);
  });

  test('by a clock that is more than a day ahead of the newest row deletes nothing for a day', async () => {
    const deleted: string[] = [];
    const onDeleted = (table: string) => deleted.push(table);
    // On PostgreSQL, the clock of the process is not used.
    const withClock = { ...database, expiryTime: async () => clock() };
    const sweeper = new Sweeper(withClock, () => 0, { auditDays: AUDIT_DAYS, onDeleted });
    await insertToken(firstUlid(clock()), clock() + DAY_MS);
    clock.advance(400 * DAY_MS);
    await expect(sweeper.sweep()).rejects.toThrow('ahead of the newest row');
    // A row of the wrong time is no proof of it.
    await insertToken(firstUlid(clock()), clock() + DAY_MS);
    await sweeper.sweep();
    expect(deleted).toEqual([]);

    const start = performance.now();
    const time = vi.spyOn(performance, 'now').mockImplementation(() => start + DAY_MS);
    await sweeper.sweep().finally(() => time.mockRestore());
    expect(deleted).toEqual(['token']);
    // It is right now.
    clock.advance(DAY_MS);
    await sweeper.sweep();
    expect(deleted).toEqual(['token', 'token']);
    clock.advance(DAY_MS + 1);
    await expect(sweeper.sweep()).rejects.toThrow('ahead of the newest row');
  });
});

test('rows expire by the clock of the server on PostgreSQL, and of the process on SQLite', async () => {
  const isOfProcess = (await database.expiryTime(() => 1)) === 1;
  expect(isOfProcess).toBe(inject('engine') === 'sqlite');
});

test('a gateway deletes at its start what has expired, and nothing else if its clock is 400 days ahead', async () => {
  const { url } = await testDatabase();
  const right = await testGateway({ DATABASE_URL: url });
  const tenant = await seedTenant(right);
  const ids = async (table: 'audit_event' | 'token') =>
    (await rowsOf(right.database, table)).map(({ id }) => id);
  const valid = await ids('token');
  const past = { ...right.operator, clock: () => Date.now() - 2 * DAY_MS };
  await createAccountToken(past, tenant, 60);
  const sweeping = await startGateway({ DATABASE_URL: url }, right.clock);
  await expect.poll(() => ids('token')).toEqual(valid);
  await sweeping.stop();

  // On PostgreSQL, it is deleted, as the last row of the sweep: rows expire by the clock of the server.
  const old = firstUlid(1);
  const others = await ids('audit_event');
  await addEvent(right.database, ulidOf(tenant.account), { id: old });
  const wrongClock = testClock();
  wrongClock.advance(400 * DAY_MS);
  const wrong = await testGateway({ DATABASE_URL: url }, wrongClock);
  if (inject('engine') === 'sqlite') {
    await expect.poll(wrong.log).toContain('The clock is more than a day ahead of the newest row.');
    expect(await ids('audit_event')).toEqual([old, ...others]);
  } else await expect.poll(() => ids('audit_event')).toEqual(others);
  expect(await ids('token')).toEqual(valid);
});
