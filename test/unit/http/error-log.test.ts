import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ErrorLog } from '../../../src/http/observation/error-log.ts';
import { internal, unavailable } from '../../../src/model/api-error.ts';

const CAUSE = 'connect ECONNREFUSED';

const ERROR = unavailable(new Error(CAUSE));

let lines: (readonly [fields: object, message: string | undefined])[];
let isReady: boolean;
let log: ErrorLog;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  isReady = false;
  const write = (fields: object, message?: string) => void lines.push([fields, message]);
  const checkReady = async () => {
    if (!isReady) throw ERROR;
  };
  log = new ErrorLog({ error: write as never, warn: write as never, info: write as never }, checkReady);
});

afterEach(() => {
  log.close();
  vi.useRealTimers();
});

test('an outage is one line when it begins and one when it ends', async () => {
  for (let ms = 0; ms < 2000; ms += 1) {
    log.logError(ERROR, `r${ms}`);
    await vi.advanceTimersByTimeAsync(1);
  }
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lines).toEqual([[{ reqId: 'r0', cause: CAUSE }, 'the database is unavailable']]);
  isReady = true;
  await vi.advanceTimersByTimeAsync(1000);
  expect(lines.slice(1)).toEqual([[{ seconds: 2, failures: 1999 }, 'the database is available again']]);
  log.logError(ERROR, 'next');
  expect(lines.at(-1)).toEqual([{ reqId: 'next', cause: CAUSE }, 'the database is unavailable']);
});

test('an outage that only writes notice is one line for as long as they fail', async () => {
  isReady = true;
  for (let second = 0; second < 60; second += 5) {
    log.logError(ERROR, 'r');
    await vi.advanceTimersByTimeAsync(5000);
  }
  expect(lines).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(lines.at(-1)).toEqual([{ seconds: 55, failures: 11 }, 'the database is available again']);
});

test('an outage, a lock and an overload are a line each', async () => {
  isReady = true;
  for (const id of ['a', 'b']) {
    log.logError(ERROR, id);
    log.logError(unavailable(new Error('lock timeout'), 'lock'), id);
    log.logError(unavailable(new Error('no connection'), 'overload'), id);
  }
  expect(lines).toEqual([
    [{ reqId: 'a', cause: CAUSE }, 'the database is unavailable'],
    [{ reqId: 'a', cause: 'lock timeout' }, 'a lock was not available in time'],
    [{ reqId: 'a', cause: 'no connection' }, 'requests wait too long for the database'],
  ]);
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lines.slice(3)).toEqual([
    [{ seconds: 0, failures: 1 }, 'the database is available again'],
    [{ seconds: 0, failures: 1 }, 'locks are available in time again'],
    [{ seconds: 0, failures: 1 }, 'requests get the database in time again'],
  ]);
});

test('a request that was refused or dropped without a fault of the database is no outage', () => {
  log.logError(unavailable(), 'dropped');
  expect(lines).toEqual([]);
});

test('a cause without a message is named by its code', () => {
  log.logError(unavailable(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'r');
  expect(lines).toEqual([[{ reqId: 'r', cause: 'ECONNREFUSED' }, 'the database is unavailable']]);
});

test('each internal error is a line with its cause', () => {
  const error = internal(new Error('broken'));
  log.logError(error, 'one');
  log.logError(error, 'two');
  expect(lines).toEqual([
    [{ reqId: 'one', err: error }, undefined],
    [{ reqId: 'two', err: error }, undefined],
  ]);
});

test('a closed log does not end its outage', async () => {
  log.logError(ERROR, 'r');
  isReady = true;
  log.close();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(lines).toHaveLength(1);
});
