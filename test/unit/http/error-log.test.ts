import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errorLog, type LogError } from '../../../src/http/observation/error-log.ts';
import { internal, unavailable } from '../../../src/model/api-error.ts';

const CAUSE = 'connect ECONNREFUSED';

const ERROR = unavailable(new Error(CAUSE));

const END = 'no request has failed for 10 s';

let lines: (readonly [fields: object, message: string | undefined])[];
let logError: LogError;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const write = (fields: object, message?: string) => void lines.push([fields, message]);
  logError = errorLog({ error: write as never, warn: write as never, info: write as never });
});

afterEach(() => {
  vi.useRealTimers();
});

test('an outage is one line when it begins, and one when no request has failed for 10 s', () => {
  const begin = (reqId: string) => [{ reqId, fault: 'outage', cause: CAUSE }, 'the database is unavailable'];
  for (let second = 0; second < 60; second += 5) {
    logError(ERROR, `r${second}`);
    vi.advanceTimersByTime(5000);
  }
  expect(lines).toEqual([begin('r0')]);
  vi.advanceTimersByTime(5000);
  expect(lines.slice(1)).toEqual([[{ fault: 'outage', seconds: 55, failures: 11 }, END]]);
  logError(ERROR, 'next');
  expect(lines.slice(2)).toEqual([begin('next')]);
});

test('an outage, a lock and an overload are a line each', () => {
  for (const id of ['a', 'b']) {
    logError(ERROR, id);
    logError(unavailable(new Error('lock timeout'), 'lock'), id);
    logError(unavailable(new Error('no connection'), 'overload'), id);
  }
  expect(lines).toEqual([
    [{ reqId: 'a', fault: 'outage', cause: CAUSE }, 'the database is unavailable'],
    [{ reqId: 'a', fault: 'lock', cause: 'lock timeout' }, 'a lock was not available in time'],
    [{ reqId: 'a', fault: 'overload', cause: 'no connection' }, 'requests wait too long for the database'],
  ]);
  vi.advanceTimersByTime(10_000);
  expect(lines.slice(3)).toEqual(
    ['outage', 'lock', 'overload'].map((fault) => [{ fault, seconds: 0, failures: 1 }, END]),
  );
});

test('a request that was refused or dropped without a fault of the database is no outage', () => {
  logError(unavailable(), 'dropped');
  expect(lines).toEqual([]);
});

test('a cause without a message is named by its code', () => {
  logError(unavailable(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'r');
  expect(lines).toMatchObject([[{ cause: 'ECONNREFUSED' }, 'the database is unavailable']]);
});

test('each internal error is a line with its cause', () => {
  const error = internal(new Error('broken'));
  logError(error, 'one');
  logError(error, 'two');
  expect(lines).toEqual([
    [{ reqId: 'one', err: error }, undefined],
    [{ reqId: 'two', err: error }, undefined],
  ]);
});
