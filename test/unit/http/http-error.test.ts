import { expect, test } from 'vitest';
import {
  bodyTooLarge,
  headersOf,
  MAX_BODY_BYTES,
  malformedRequest,
  methodNotAllowed,
  notAcceptable,
  pathNotFound,
  statusCodeOf,
  tokenMissing,
  unsupportedMediaType,
} from '../../../src/http/http-error.ts';
import {
  type ApiError,
  accountTokenRequired,
  appInactive,
  idempotencyKeyInUse,
  idempotencyKeyReused,
  internal,
  invalidCredentials,
  invalidFields,
  keptResponseSealed,
  overloaded,
  projectNotVisible,
  rateLimited,
  resourceNotFound,
  tokenInvalid,
  tooManyConcurrentRequests,
  tooManyKeptResponses,
  tooManyPasswords,
  unavailable,
  wholeAccountRequired,
} from '../../../src/model/api-error.ts';

const CHALLENGE = { 'www-authenticate': 'Bearer realm="paw"' };
const INVALID_TOKEN = { 'www-authenticate': 'Bearer realm="paw", error="invalid_token"' };
const RETRY = { 'retry-after': '1' };

// The error, its HTTP status, canonical name, reason and headers. Sources: AIP-193, RFC 6750, RFC 9110.
test.each<[number, string, string, object, ApiError]>([
  [400, 'INVALID_ARGUMENT', 'INVALID_FIELD', {}, invalidFields([{ field: 'a', description: 'Required.' }])],
  [400, 'INVALID_ARGUMENT', 'INVALID_FIELD', {}, projectNotVisible()],
  [400, 'INVALID_ARGUMENT', 'MALFORMED_REQUEST', {}, malformedRequest('Expected JSON.')],
  [408, 'INVALID_ARGUMENT', 'MALFORMED_REQUEST', {}, malformedRequest('Too slow.', 408)],
  [431, 'INVALID_ARGUMENT', 'MALFORMED_REQUEST', {}, malformedRequest('Too long.', 431)],
  [401, 'UNAUTHENTICATED', 'TOKEN_MISSING', CHALLENGE, tokenMissing()],
  [401, 'UNAUTHENTICATED', 'TOKEN_INVALID', INVALID_TOKEN, tokenInvalid()],
  // A client that reads invalid_token would discard its good bearer token.
  [401, 'UNAUTHENTICATED', 'INVALID_CREDENTIALS', CHALLENGE, invalidCredentials()],
  [403, 'PERMISSION_DENIED', 'APP_INACTIVE', {}, appInactive()],
  [403, 'PERMISSION_DENIED', 'ACCOUNT_TOKEN_REQUIRED', {}, accountTokenRequired()],
  [403, 'PERMISSION_DENIED', 'WHOLE_ACCOUNT_REQUIRED', {}, wholeAccountRequired()],
  [404, 'NOT_FOUND', 'RESOURCE_NOT_FOUND', {}, resourceNotFound()],
  [404, 'NOT_FOUND', 'PATH_NOT_FOUND', {}, pathNotFound()],
  [405, 'UNIMPLEMENTED', 'METHOD_NOT_ALLOWED', { allow: 'GET, HEAD' }, methodNotAllowed('GET, HEAD')],
  [406, 'INVALID_ARGUMENT', 'NOT_ACCEPTABLE', {}, notAcceptable(['application/json'])],
  [409, 'ABORTED', 'IDEMPOTENCY_KEY_IN_USE', RETRY, idempotencyKeyInUse()],
  [409, 'ALREADY_EXISTS', 'IDEMPOTENCY_RESPONSE_SEALED', {}, keptResponseSealed()],
  [422, 'INVALID_ARGUMENT', 'IDEMPOTENCY_KEY_REUSED', {}, idempotencyKeyReused()],
  [413, 'INVALID_ARGUMENT', 'BODY_TOO_LARGE', {}, bodyTooLarge()],
  [415, 'INVALID_ARGUMENT', 'UNSUPPORTED_MEDIA_TYPE', {}, unsupportedMediaType()],
  [
    429,
    'RESOURCE_EXHAUSTED',
    'TOO_MANY_IDEMPOTENCY_KEYS',
    { 'retry-after': '3600' },
    tooManyKeptResponses(3600),
  ],
  [429, 'RESOURCE_EXHAUSTED', 'TOO_MANY_PASSWORDS', RETRY, tooManyPasswords()],
  [429, 'RESOURCE_EXHAUSTED', 'TOO_MANY_REQUESTS', { 'retry-after': '42' }, rateLimited(42)],
  [500, 'INTERNAL', 'INTERNAL', {}, internal(new Error('broken'))],
  [429, 'RESOURCE_EXHAUSTED', 'TOO_MANY_CONCURRENT_REQUESTS', RETRY, tooManyConcurrentRequests()],
  [503, 'UNAVAILABLE', 'OVERLOADED', RETRY, overloaded()],
  [503, 'UNAVAILABLE', 'UNAVAILABLE', RETRY, unavailable(new Error('away'))],
])(
  'the HTTP status %i has the name %s, the reason %s and the headers %j',
  (code, status, reason, headers, error) => {
    expect(error).toMatchObject({ status, reason });
    expect(statusCodeOf(error)).toBe(code);
    expect(headersOf(error)).toEqual(headers);
    expect(error.message).toMatch(/^[A-Za-z].*\.$/);
  },
);

test('the error of a large body gives the limit', () => {
  expect(bodyTooLarge().message).toContain(String(MAX_BODY_BYTES));
});
