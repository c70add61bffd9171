import { describe, expect, test } from 'vitest';
import { prefersHtml, responseMediaType } from '../../../src/graphql/media-type.ts';
import { statusCodeOf } from '../../../src/http/http-error.ts';
import { ApiError } from '../../../src/model/api-error.ts';

const JSON_TYPE = 'application/json';
const GRAPHQL_TYPE = 'application/graphql-response+json';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the media type of a response', () => {
  test.each([
    [undefined, JSON_TYPE],
    ['', JSON_TYPE],
    ['*/*', JSON_TYPE],
    ['application/*', JSON_TYPE],
    [JSON_TYPE, JSON_TYPE],
    [GRAPHQL_TYPE, GRAPHQL_TYPE],
    [`${JSON_TYPE};q=0.5, ${GRAPHQL_TYPE}`, GRAPHQL_TYPE],
    [`${GRAPHQL_TYPE};q=0, */*`, JSON_TYPE],
    [`${GRAPHQL_TYPE}; charset=utf-8, ${JSON_TYPE}; charset=utf-8`, GRAPHQL_TYPE],
    [`${JSON_TYPE};Charset="UTF-8";q=0.5`, JSON_TYPE],
    [`image/png, application/*;q=0.1`, JSON_TYPE],
    [BROWSER, JSON_TYPE],
  ])('for Accept: %s is %s', (accept, expected) => {
    expect(responseMediaType(accept)).toBe(expected);
  });

  test.each(['image/png', `${JSON_TYPE};q=0`, 'text/html', 'text/*', 'nonsense'])(
    'does not exist for Accept: %s, which is an error with the status 406',
    (accept) => {
      const error = errorOf(() => responseMediaType(accept));
      expect(error).toMatchObject({ reason: 'NOT_ACCEPTABLE' });
      expect(statusCodeOf(error)).toBe(406);
    },
  );
});

test.each([
  [undefined, false],
  ['', false],
  ['*/*', false],
  [JSON_TYPE, false],
  [`${JSON_TYPE}, text/html`, false],
  ['text/html', true],
  [BROWSER, true],
])('a client with Accept: %s prefers HTML: %s', (accept, expected) => {
  expect(prefersHtml(accept)).toBe(expected);
});

function errorOf(run: () => unknown): ApiError {
  try {
    run();
  } catch (error) {
    if (error instanceof ApiError) return error;
  }
  throw new Error('No ApiError was thrown.');
}
