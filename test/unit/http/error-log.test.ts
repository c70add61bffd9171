import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errorLog, type LogError } from '../../../src/http/log/error-log.ts';
import { ApiError } from '../../../src/model/errors.ts';

const CAUSE = 'connect ECONNREFUSED';

const unavailable = (cause: Error) => new ApiError('UNAVAILABLE', { cause });

let lines: (readonly [fields: object, message: string | undefined])[];
let logError: LogError;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  const write = (fields: object, message?: string) => void lines.push([fields, message]);
  logError = errorLog({ error: write as never, warn: write as never });
});

afterEach(() => {
  vi.useRealTimers();
});

test('an outage is one line in 10 s', () => {
  const line = (reqId: string) => [{ reqId, outage: 'down', cause: CAUSE }, 'the database is unavailable'];
  for (let second = 0; second < 20; second += 5) {
    logError(unavailable(new Error(CAUSE)), `r${second}`);
    vi.advanceTimersByTime(5000);
  }
  expect(lines).toEqual([line('r0'), line('r10')]);
});

test('a request that was refused or dropped without a outage of the database is no outage', () => {
  logError(new ApiError('UNAVAILABLE'), 'dropped');
  expect(lines).toEqual([]);
});

test('a cause without a message is named by its code', () => {
  logError(unavailable(Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })), 'r');
  expect(lines).toMatchObject([[{ cause: 'ECONNREFUSED' }, 'the database is unavailable']]);
});
