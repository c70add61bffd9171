import { buildSchema, GraphQLError } from 'graphql';
import { describe, expect, test } from 'vitest';
import { formatGraphqlError, graphqlError } from '../../../src/graphql/errors.ts';
import { InputViolations } from '../../../src/graphql/input-violations.ts';
import { ApiError, internal, resourceNotFound, STATUSES, unavailable } from '../../../src/model/api-error.ts';

const violations = new InputViolations(buildSchema('type Query { a: Int }'), true);

/** Formats an error that Apollo Server has formatted. Returns it with the logged errors. */
function format(thrown: unknown, code?: string) {
  const logged: ApiError[] = [];
  const formatted = { message: String(thrown), extensions: code === undefined ? {} : { code } };
  const error = formatGraphqlError(
    { formatted, thrown, hasChanged: false, requestId: 'request-1' },
    violations,
    (each) => logged.push(each),
  );
  return { error, logged };
}

describe('an ApiError', () => {
  test('has a code for each canonical status', () => {
    for (const status of STATUSES) {
      const { extensions } = graphqlError(new ApiError(status, 'R', 'M.'), 'id');
      expect(extensions?.['code']).toMatch(/^[A-Z_]+$/);
    }
  });

  test('thrown by a resolver is formatted with its path, and is not logged', () => {
    const thrown = new GraphQLError('wrapped', { originalError: resourceNotFound() });
    const logged: ApiError[] = [];
    const place = { path: ['updateWallet'], locations: [{ line: 1, column: 3 }] };
    const formatted = { message: 'wrapped', ...place };
    const error = formatGraphqlError(
      { formatted, thrown, hasChanged: false, requestId: 'request-1' },
      violations,
      (each) => logged.push(each),
    );
    expect(error).toEqual({ ...graphqlError(resourceNotFound(), 'request-1'), ...place });
    expect(logged).toEqual([]);
  });
});

describe('an unexpected error', () => {
  test.each([
    ['a TypeError', new TypeError('hush-hush')],
    ['a string', 'hush-hush'],
    ['a wrapped error', new GraphQLError('hush-hush', { originalError: new Error('hush-hush') })],
    ['an error of graphql-js at execution', new GraphQLError('Cannot return null: hush-hush')],
  ])('of the kind %s is masked and logged with its cause', (_, thrown) => {
    const { error, logged } = format(thrown);
    expect(error).toEqual(graphqlError(internal(undefined), 'request-1'));
    expect(logged).toMatchObject([{ status: 'INTERNAL' }]);
    expect(logged[0]?.cause).toBeDefined();
  });

  test.each([
    ['is logged if the database caused it', unavailable(new Error('away')), 1],
    ['is not logged if the server is stopping', unavailable(), 0],
  ])('of the status UNAVAILABLE %s', (_, thrown, count) => {
    expect(format(thrown).logged).toHaveLength(count);
  });
});

test('the message of a refused request has at most 500 characters', () => {
  const { message } = format(new GraphQLError('x'.repeat(10_000)), 'GRAPHQL_VALIDATION_FAILED').error;
  expect(message).toBe(`${'x'.repeat(500)}…`);
  expect(format(new GraphQLError('x'.repeat(500)), 'GRAPHQL_VALIDATION_FAILED').error.message).toHaveLength(
    500,
  );
});
