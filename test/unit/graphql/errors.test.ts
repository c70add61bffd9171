import { buildSchema, GraphQLError, parse, Source } from 'graphql';
import { describe, expect, test } from 'vitest';
import { formatGraphqlError, graphqlError } from '../../../src/graphql/errors.ts';
import { InputViolations } from '../../../src/graphql/input-violations.ts';
import {
  ApiError,
  accountTokenRequired,
  internal,
  invalidFields,
  resourceNotFound,
  STATUSES,
  tokenInvalid,
  tooManyPasswords,
  unavailable,
} from '../../../src/model/api-error.ts';

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
  test.each<[ApiError, string]>([
    [invalidFields([{ field: 'title', description: 'Required.' }]), 'BAD_USER_INPUT'],
    [tokenInvalid(), 'UNAUTHENTICATED'],
    [accountTokenRequired(), 'FORBIDDEN'],
    [resourceNotFound(), 'NOT_FOUND'],
    [tooManyPasswords(), 'RATE_LIMITED'],
    [unavailable(), 'UNAVAILABLE'],
    [internal(new Error('hidden')), 'INTERNAL_SERVER_ERROR'],
  ])('%o has the code %s', (error, code) => {
    const { message, status, reason, fieldViolations } = error;
    expect(graphqlError(error, 'request-1')).toEqual({
      message,
      extensions: {
        code,
        status,
        reason,
        requestId: 'request-1',
        ...(fieldViolations.length > 0 && { fieldViolations }),
      },
    });
  });

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

describe('a refused request', () => {
  test('has the code as its reason and the status INVALID_ARGUMENT', () => {
    const { error, logged } = format(new GraphQLError('Unknown operation.'), 'OPERATION_RESOLUTION_FAILURE');
    const code = 'OPERATION_RESOLUTION_FAILURE';
    expect(error).toEqual({
      message: 'Unknown operation.',
      extensions: { code, status: 'INVALID_ARGUMENT', reason: code, requestId: 'request-1' },
    });
    expect(logged).toEqual([]);
  });

  test('without a code but with the HTTP status 400 has the code BAD_REQUEST', () => {
    const thrown = new GraphQLError('No such hash.', { extensions: { http: { status: 400 } } });
    expect(format(thrown, 'INTERNAL_SERVER_ERROR').error.extensions).toMatchObject({ code: 'BAD_REQUEST' });
  });

  test('has a message of at most 500 characters', () => {
    const { message } = format(new GraphQLError('x'.repeat(10_000)), 'GRAPHQL_VALIDATION_FAILED').error;
    expect(message).toBe(`${'x'.repeat(500)}…`);
    expect(format(new GraphQLError('x'.repeat(500)), 'GRAPHQL_VALIDATION_FAILED').error.message).toHaveLength(
      500,
    );
  });

  test.each([
    ['{ a', 'Syntax error at line 1, column 4: unexpected end of the document.'],
    ['{ a }\n}', 'Syntax error at line 2, column 1: unexpected "}".'],
    ['{ a(b: "hush-hush) }', 'Syntax error at line 1, column 21: unexpected end of the document.'],
    ['{ a(b: 0123) }', 'Syntax error at line 1, column 9.'],
    ['{ "hush-hush" }', 'Syntax error at line 1, column 3.'],
  ])('because %s does not parse has a message without any value', (document, message) => {
    expect(format(syntaxErrorOf(document), 'GRAPHQL_PARSE_FAILED').error.message).toBe(message);
  });

  test('because it has too many tokens has a message that gives the limit', () => {
    const thrown = syntaxErrorOf('{ a b c d e }', { maxTokens: 3 });
    expect(format(thrown, 'GRAPHQL_PARSE_FAILED').error.message).toBe(
      'A document may have at most 1500 tokens.',
    );
  });
});

function syntaxErrorOf(document: string, options = {}): unknown {
  try {
    parse(new Source(document), options);
  } catch (error) {
    return error;
  }
  throw new Error('The document parses.');
}
