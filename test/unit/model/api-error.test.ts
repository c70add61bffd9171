import { expect, test } from 'vitest';
import { ApiError, invalidFields, MAX_VIOLATIONS, shouldLog } from '../../../src/model/errors.ts';

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
  ['an unexpected error', new ApiError('INTERNAL', { cause: new Error('broken') }), true],
  ['an outage of the database', new ApiError('UNAVAILABLE', { cause: new Error('away') }), true],
  ['a server that is stopping', new ApiError('UNAVAILABLE'), false],
  ['an error of the client', new ApiError('RESOURCE_NOT_FOUND'), false],
])('%s belongs in the log of errors: %s', (_, error, expected) => {
  expect(shouldLog(error)).toBe(expected);
});
