import { expect, test } from 'vitest';
import { resultUnknown, unavailable } from '../../../../src/storage/errors.ts';
import {
  CONFLICT,
  commitError,
  endsConnection,
  hasCode,
  LOCK_TIMEOUT,
  statementError,
} from '../../../../src/storage/postgres/errors.ts';

/** An error that the server has sent. Its severity and its message are in the language of the server. */
const serverError = (code: string, message = 'сообщение', severity = 'ОШИБКА') =>
  Object.assign(new Error(message), { code, severity });

const LOST = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

const RESULTS = [
  { what: 'a lost connection', error: LOST, alone: 'UNAVAILABLE', committing: 'RESULT_UNKNOWN', ends: true },
  {
    what: 'a shutdown',
    error: serverError('57P01'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: true,
  },
  {
    what: 'the end of an idle transaction',
    error: serverError('25P03'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: true,
  },
  {
    what: 'a fatal error',
    error: serverError('28000', 'no', 'FATAL'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: true,
  },
  {
    what: 'a standby',
    error: serverError('25006'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: true,
  },
  {
    what: 'a conflict',
    error: serverError('40001'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: false,
  },
  {
    what: 'an unknown completion',
    error: serverError('40003'),
    alone: 'RESULT_UNKNOWN',
    committing: 'RESULT_UNKNOWN',
    ends: false,
  },
  {
    what: 'a server that a pooler has lost',
    error: serverError('08P01'),
    alone: 'UNAVAILABLE',
    committing: 'RESULT_UNKNOWN',
    ends: false,
  },
  {
    what: 'a cancellation',
    error: serverError('57014'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: false,
  },
  {
    what: 'a lock',
    error: serverError('55P03'),
    alone: 'UNAVAILABLE',
    committing: 'UNAVAILABLE',
    ends: false,
  },
  {
    what: 'a violated constraint',
    error: serverError('23505'),
    alone: '23505',
    committing: '23505',
    ends: false,
  },
];

/** Returns the reason of an `DatabaseError`, or the code of another error. */
const nameOf = (error: unknown) => {
  const { reason, code } = error as { readonly reason?: string; readonly code?: string };
  return reason ?? code;
};

test.each(RESULTS)('$what: $alone, and $committing for a statement that commits', (each) => {
  expect(nameOf(statementError(each.error, false))).toBe(each.alone);
  expect(nameOf(statementError(each.error, true))).toBe(each.committing);
});

test.each(RESULTS)('$what ends the use of the connection: $ends', ({ error, ends }) => {
  expect(endsConnection(error)).toBe(ends);
});

test.each([
  ['57P01', 'ОШИБКА', 'RESULT_UNKNOWN'],
  ['25P04', 'ОШИБКА', 'RESULT_UNKNOWN'],
  ['XX000', 'FATAL', 'RESULT_UNKNOWN'],
  ['40001', 'ОШИБКА', 'UNAVAILABLE'],
])('COMMIT that fails with %s and severity %s has the reason %s', (code, severity, reason) => {
  const error = statementError(serverError(code, 'сообщение', severity), true);
  expect(nameOf(commitError(error))).toBe(reason);
});

test.each([
  ['40001', true],
  ['40P01', true],
  ['40003', false],
  ['23505', false],
])('%s is a lost conflict: %s', (code, isLost) => {
  const error = serverError(code);
  expect([error, unavailable(error)].map((each) => hasCode(each, CONFLICT))).toEqual([isLost, isLost]);
});

test.each([
  ['57P03', 'outage'],
  ['53100', 'outage'],
  ['25006', 'outage'],
  ['55P03', 'lock'],
  ['40001', 'lock'],
  ['53300', 'overload'],
  ['57014', 'overload'],
])('%s is logged as the fault "%s"', (code, fault) => {
  expect(statementError(serverError(code), false)).toMatchObject({ fault });
});

test('a statement after a failed one of its transaction is UNAVAILABLE, and not logged', () => {
  const error = statementError(serverError('25P02'), false);
  expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: undefined });
});

test('the causes of errors are recognized', () => {
  for (const wrap of [(error: unknown) => error, unavailable]) {
    expect(hasCode(wrap(serverError('55P03')), LOCK_TIMEOUT)).toBe(true);
    expect(hasCode(wrap(serverError('57014')), LOCK_TIMEOUT)).toBe(false);
    expect(hasCode(wrap(LOST), LOCK_TIMEOUT)).toBe(false);
  }
  expect(commitError(resultUnknown(LOST))).toMatchObject({ reason: 'RESULT_UNKNOWN' });
});
