import { expect, test } from 'vitest';
import { unavailable } from '../../../../src/storage/errors.ts';
import {
  CONFLICT,
  endsConnection,
  hasCode,
  statementError,
} from '../../../../src/storage/postgres/errors.ts';

/** An error that the server has sent. Its severity and its message are in the language of the server. */
const serverError = (code: string, severity = 'ОШИБКА') =>
  Object.assign(new Error('сообщение'), { code, severity });

const LOST = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' });

/** Returns the reason of a `DatabaseError`, or the code of another error. */
function nameOf(error: unknown) {
  const { reason, code } = error as { readonly reason?: string; readonly code?: string };
  return reason ?? code;
}

test.each([
  // The error of a statement that commits nothing, of one that commits itself, and of a COMMIT.
  ['a lost connection', LOST, ['UNAVAILABLE', 'RESULT_UNKNOWN', 'RESULT_UNKNOWN'], true],
  ['a shutdown', serverError('57P01'), ['UNAVAILABLE', 'UNAVAILABLE', 'RESULT_UNKNOWN'], true],
  ['an idle transaction', serverError('25P03'), ['UNAVAILABLE', 'UNAVAILABLE', 'RESULT_UNKNOWN'], true],
  ['a fatal error', serverError('XX000', 'FATAL'), ['UNAVAILABLE', 'UNAVAILABLE', 'RESULT_UNKNOWN'], true],
  ['a read-only session', serverError('25006'), ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'], true],
  ['an unknown result', serverError('40003'), ['RESULT_UNKNOWN', 'RESULT_UNKNOWN', 'RESULT_UNKNOWN'], false],
  [
    'a lost server of a pooler',
    serverError('08P01'),
    ['UNAVAILABLE', 'RESULT_UNKNOWN', 'RESULT_UNKNOWN'],
    false,
  ],
  ['a conflict', serverError('40001'), ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'], false],
  ['a lock', serverError('55P03'), ['UNAVAILABLE', 'UNAVAILABLE', 'UNAVAILABLE'], false],
  ['a violated constraint', serverError('23505'), ['23505', '23505', '23505'], false],
])('%s', (_, error, reasons, ends) => {
  const commits = ['nothing', 'itself', 'transaction'] as const;
  expect(commits.map((each) => nameOf(statementError(error, each)))).toEqual(reasons);
  expect(endsConnection(error)).toBe(ends);
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
  expect(statementError(serverError(code), 'nothing')).toMatchObject({ reason: 'UNAVAILABLE', fault });
});

test('a statement after a failed one of its transaction is UNAVAILABLE, and not logged', () => {
  const error = statementError(serverError('25P02'), 'nothing');
  expect(error).toMatchObject({ reason: 'UNAVAILABLE', cause: undefined });
});
