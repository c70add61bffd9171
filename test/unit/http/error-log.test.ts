import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { errorLog } from '../../../src/http/observation/error-log.ts';
import { internal, unavailable } from '../../../src/model/api-error.ts';

const CAUSE = 'connect ECONNREFUSED';

const ERROR = unavailable(new Error(CAUSE));

let lines: (readonly [fields: object, message: string | undefined])[];
let isReady: boolean;
let log: ReturnType<typeof errorLog>;

beforeEach(() => {
  vi.useFakeTimers();
  lines = [];
  isReady = false;
  const write = (fields: object, message?: string) => void lines.push([fields, message]);
  const checkReady = async () => {
    if (!isReady) throw ERROR;
  };
  log = errorLog({ error: write as never, info: write as never }, checkReady);
});

afterEach(() => {
  log.close();
  vi.useRealTimers();
});

test('an outage is one line when it begins, at most one in a second, and one when it ends', async () => {
  for (let ms = 0; ms < 2000; ms += 1) {
    log.logError(ERROR, `r${ms}`);
    await vi.advanceTimersByTimeAsync(1);
  }
  isReady = true;
  await vi.advanceTimersByTimeAsync(5000);
  expect(lines).toEqual([
    [{ reqId: 'r0', cause: CAUSE }, 'the database is unavailable'],
    [{ reqId: 'r1000', cause: CAUSE, failures: 1000 }, 'the database is still unavailable'],
    [{ seconds: 3, failures: 1999 }, 'the database is available again'],
  ]);
  log.logError(ERROR, 'next');
  expect(lines.at(-1)).toEqual([{ reqId: 'next', cause: CAUSE }, 'the database is unavailable']);
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
  await vi.advanceTimersByTimeAsync(5000);
  expect(lines).toHaveLength(1);
});
