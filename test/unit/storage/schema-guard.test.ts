import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unavailable } from '../../../src/model/api-error.ts';
import { type Database, insertStatement } from '../../../src/storage/database.ts';
import { latestVersion } from '../../../src/storage/migrations.ts';
import { guardSchema } from '../../../src/storage/schema-guard.ts';
import { DatabaseVersionError } from '../../../src/storage/schema-version.ts';

const LATEST = latestVersion();
const INTERVAL_MS = 10_000;

let readiness: Promise<number>;
let events: (number | string)[];
let guarded: Database;

const database: Database = {
  read: async () => [],
  write: async () => [],
  queryAndInsert: async () => [],
  transaction: async (work) => work(database),
  during: () => database,
  checkReady: () => readiness,
  close: async () => {},
};

function fail(error: Error): void {
  readiness = Promise.reject(unavailable(error));
  readiness.catch(() => {});
}

beforeEach(() => {
  vi.useFakeTimers();
  readiness = Promise.resolve(LATEST);
  events = [];
  guarded = guardSchema(database, LATEST, {
    onNewer: (version) => events.push(version),
    onIncompatible: ({ message }) => events.push(message),
  });
});

afterEach(async () => {
  await guarded.close();
  vi.useRealTimers();
});

test('a newer schema is reported once, without a call of the readiness check', async () => {
  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  expect(events).toEqual([]);
  readiness = Promise.resolve(LATEST + 2);
  await vi.advanceTimersByTimeAsync(3 * INTERVAL_MS);
  expect(events).toEqual([LATEST + 2]);
  readiness = Promise.resolve(LATEST + 3);
  await guarded.checkReady();
  expect(events).toEqual([LATEST + 2, LATEST + 3]);
});

test('all statements are refused while the schema is incompatible, and not in an outage', async () => {
  fail(new Error('away'));
  await vi.advanceTimersByTimeAsync(INTERVAL_MS);
  expect(await guarded.read('SELECT 1')).toEqual([]);

  fail(new DatabaseVersionError('newer'));
  await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS);
  expect(events).toEqual(['newer']);
  const refusal = { status: 'UNAVAILABLE', cause: new DatabaseVersionError('newer') };
  await expect(guarded.read('SELECT 1')).rejects.toMatchObject(refusal);
  await expect(guarded.transaction(async () => {})).rejects.toMatchObject(refusal);
  const insertion = { statement: insertStatement('wallet', ['id'], ''), values: ['1'] };
  await expect(guarded.queryAndInsert('SELECT 1', [], insertion)).rejects.toMatchObject(refusal);

  fail(new Error('away'));
  await expect(guarded.checkReady()).rejects.toMatchObject({ status: 'UNAVAILABLE' });
  await expect(guarded.read('SELECT 1')).rejects.toMatchObject(refusal);

  readiness = Promise.resolve(LATEST);
  await guarded.checkReady();
  expect(await guarded.read('SELECT 1')).toEqual([]);
});

test('a closed database is not checked any more', async () => {
  await guarded.close();
  const check = vi.spyOn(database, 'checkReady');
  await vi.advanceTimersByTimeAsync(2 * INTERVAL_MS);
  expect(check).not.toHaveBeenCalled();
  check.mockRestore();
});
