import { expect, test } from 'vitest';
import {
  type ApiError,
  internal,
  invalidFields,
  MAX_VIOLATIONS,
  resourceNotFound,
  shouldLog,
  unavailable,
} from '../../../src/model/api-error.ts';

test(`an error names at most ${MAX_VIOLATIONS} fields`, () => {
  const violations = Array.from({ length: MAX_VIOLATIONS + 1 }, (_, n) => ({
    field: `f${n}`,
    description: 'Required.',
  }));
  const { message, fieldViolations } = invalidFields(violations);
  expect(fieldViolations).toEqual(violations.slice(0, MAX_VIOLATIONS));
  expect(message).not.toContain(`f${MAX_VIOLATIONS}:`);
});

test.each<[string, ApiError, boolean]>([
  ['an unexpected error', internal(new Error('broken')), true],
  ['an outage of the database', unavailable(new Error('away')), true],
  ['a server that is stopping', unavailable(), false],
  ['an error of the client', resourceNotFound(), false],
])('%s belongs in the log of errors: %s', (_, error, expected) => {
  expect(shouldLog(error)).toBe(expected);
});
