import { expect, test } from 'vitest';
import { toApiError } from '../../../src/data/to-api-error.ts';
import { resourceNotFound } from '../../../src/model/api-error.ts';
import { resultUnknown, unavailable } from '../../../src/storage/errors.ts';

test('an unexpected error is masked and keeps its cause for the log', () => {
  const cause = new Error('no such table: wallet');
  const error = toApiError(cause);
  expect(error).toMatchObject({ status: 'INTERNAL', reason: 'INTERNAL', cause });
  expect(error.message).not.toContain('wallet');
});

test('an ApiError is shown as it is', () => {
  const error = resourceNotFound();
  expect(toApiError(error)).toBe(error);
});

test('an error of the database is UNAVAILABLE or RESULT_UNKNOWN, and keeps its cause and its fault for the log', () => {
  const cause = new Error('wallet is locked');
  expect(toApiError(unavailable(cause, 'lock'))).toMatchObject({
    status: 'UNAVAILABLE',
    reason: 'UNAVAILABLE',
    message: expect.not.stringContaining('wallet'),
    fault: 'lock',
    cause,
  });
  expect(toApiError(resultUnknown(cause))).toMatchObject({
    status: 'UNAVAILABLE',
    reason: 'RESULT_UNKNOWN',
    fault: 'outage',
    cause,
  });
});
