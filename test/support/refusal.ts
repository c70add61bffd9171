import { expect } from 'vitest';
import { type Api, challengeOf, type Outcome } from './both-apis.ts';

/** The HTTP status and the code of each kind of error, by each API. */
const ERRORS = {
  INVALID_ARGUMENT: { REST: [400, 400], GraphQL: [200, 'BAD_USER_INPUT'] },
  // The error of a sign-in: without a valid token, no operation is executed.
  UNAUTHENTICATED: { REST: [401, 401], GraphQL: [200, 'INVALID_CREDENTIALS'] },
  PERMISSION_DENIED: { REST: [403, 403], GraphQL: [200, 'FORBIDDEN'] },
  NOT_FOUND: { REST: [404, 404], GraphQL: [200, 'NOT_FOUND'] },
  FAILED_PRECONDITION: { REST: [400, 400], GraphQL: [200, 'FAILED_PRECONDITION'] },
  RESOURCE_EXHAUSTED: { REST: [429, 429], GraphQL: [200, 'RATE_LIMITED'] },
  UNAVAILABLE: { REST: [503, 503], GraphQL: [200, 'UNAVAILABLE'] },
} as const;

/** Expects an error with a status and a reason, in the format of the API. */
export function expectError(
  api: Api,
  { value, error, response }: Outcome<unknown>,
  status: keyof typeof ERRORS,
  reason: string = status,
): void {
  expect(value).toBeUndefined();
  expect(error).toMatchObject({ status, reason });
  const body = JSON.parse(response.text);
  const code = api.name === 'REST' ? body.error.code : body.errors[0].extensions.code;
  expect([response.status, code]).toEqual(ERRORS[status][api.name]);
  // A client that reads invalid_token would discard its good bearer token.
  const challenge = status === 'UNAUTHENTICATED' ? 'Bearer realm="paw"' : null;
  if (api.name === 'REST') expect(challengeOf(response)).toBe(challenge);
  const isTemporary = status === 'UNAVAILABLE' || status === 'RESOURCE_EXHAUSTED';
  if (api.name === 'REST' && isTemporary) expect(response.headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
}

/** Expects that the input was refused, and that the error names these fields. */
export function expectInvalid(api: Api, outcome: Outcome<unknown>, fields: readonly string[]): void {
  expectError(api, outcome, 'INVALID_ARGUMENT', 'INVALID_FIELD');
  expect(outcome.error?.fields).toEqual(fields);
}
