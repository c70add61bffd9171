import { expect, test } from 'vitest';
import { endsConnection, statementError } from '../../../../src/storage/postgres/sqlstates.ts';

// What a server of these tests does not send. The rest is in `test/engines/postgres`, such as `faults.test.ts`.

/** An error that the server has sent. Its severity and its message are in the language of the server. */
const serverError = (code: string, severity = 'ОШИБКА') =>
  Object.assign(new Error('сообщение'), { code, severity });

const [UNAVAILABLE, UNKNOWN] = ['UNAVAILABLE', 'RESULT_UNKNOWN'];

test.each([
  // The error of a statement that commits nothing, of one that commits itself, of one before a COMMIT in the same packet, and
  // of a COMMIT.
  ['a shutdown', serverError('57P01'), [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNKNOWN], true],
  ['an idle transaction', serverError('25P03'), [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNKNOWN], true],
  ['a fatal error', serverError('XX000', 'FATAL'), [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNKNOWN], true],
  ['an unknown result', serverError('40003'), [UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN], false],
  ['a lost server of a pooler', serverError('08P01'), [UNAVAILABLE, UNKNOWN, UNKNOWN, UNKNOWN], false],
  [
    'a lost server of an old pooler',
    serverError('08P01', 'ERROR'),
    [UNAVAILABLE, UNKNOWN, UNKNOWN, UNKNOWN],
    false,
  ],
  [
    'a lost worker of Citus',
    serverError('08006', 'ERROR'),
    [UNAVAILABLE, UNKNOWN, UNAVAILABLE, UNKNOWN],
    false,
  ],
  ['a cancellation', serverError('57014'), [UNAVAILABLE, UNAVAILABLE, UNAVAILABLE, UNKNOWN], false],
])('%s', (_, error, reasons, ends) => {
  const commits = ['nothing', 'itself', 'later', 'transaction'] as const;
  expect(commits.map((each) => statementError(error, each))).toMatchObject(
    reasons.map((reason) => ({ reason })),
  );
  expect(endsConnection(error)).toBe(ends);
});

test('a COMMIT in which Citus has lost a worker has an unknown result, and another internal error is a outage', () => {
  const error = serverError('XX000', 'ERROR');
  expect(statementError(error, 'transaction')).toMatchObject({ reason: UNKNOWN });
  for (const commits of ['nothing', 'itself', 'later'] as const) {
    expect(statementError(error, commits)).toBe(error);
  }
});
