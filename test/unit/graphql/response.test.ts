import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { Call } from '../../../src/data/data-layer.ts';
import { type ExecutionState, GraphqlContext } from '../../../src/graphql/context.ts';
import { bodyOrRejection, storedBody } from '../../../src/graphql/response.ts';
import { ApiError } from '../../../src/model/errors.ts';

const [operation] = parse('mutation { first second }').definitions as [OperationDefinitionNode];
const mutation = { operation };
const keyed = { ...mutation, firstRequest: {} as NonNullable<ExecutionState['firstRequest']> };
const refused = { rejection: new ApiError('OVERLOADED') };

const DATA = { first: 1, second: null };
const errorAt = (reason: string, ...path: string[]) => ({ message: '', path, extensions: { reason } });
const ended = [errorAt('TOKEN_INVALID', 'second')];

function contextOf(state: Partial<ExecutionState>): GraphqlContext {
  const request = { reserve: () => undefined } as unknown as GraphqlContext['request'];
  const context = new GraphqlContext({} as Call, { requestId: 'r' } as GraphqlContext['client'], request);
  Object.assign(context.state, state);
  return context;
}

describe('in place of the whole response is sent', () => {
  test.each([
    ['the end of the token before a refusal of memory', refused, ended, 'TOKEN_INVALID'],
    ['the end of the token of mutations that have changed nothing', mutation, ended, 'TOKEN_INVALID', null],
    ['a refusal of memory', refused, undefined, 'OVERLOADED'],
    [
      'RESULT_UNKNOWN, if a mutation may have changed something',
      { ...mutation, ...refused },
      [],
      'RESULT_UNKNOWN',
    ],
    ['a refusal of memory, if mutations are undone', { ...keyed, ...refused }, [], 'OVERLOADED'],
  ] as const)('%s', (_, state, errors, reason, first: 1 | null = 1) => {
    const result = { data: { ...DATA, first }, ...(errors && { errors }) };
    expect(() => bodyOrRejection(result, contextOf(state))).toThrow(expect.objectContaining({ reason }));
  });
});

test.each([
  ['one of the mutations was made', { ...mutation }],
  ['the request has ended the token itself', { isSignedOut: true }],
])('the result is sent after the end of the token, if %s', (_, state) => {
  const { body, failure } = bodyOrRejection({ errors: ended, data: DATA }, contextOf(state));
  expect(JSON.parse(body)).toEqual({ errors: ended, data: DATA });
  expect(failure).toMatchObject({ reason: 'TOKEN_INVALID' });
});

test('the failure in the log is the first error that is sent', () => {
  const errors = [errorAt('INVALID_FIELD', 'first'), errorAt('INTERNAL', 'second')];
  expect(bodyOrRejection({ errors, data: null }, contextOf({})).failure).toMatchObject({
    reason: 'INVALID_FIELD',
  });
  const { body, failure } = bodyOrRejection({ errors, data: { first: 'x'.repeat(6e6) } }, contextOf({}));
  expect(failure).toMatchObject({ reason: 'RESPONSE_TOO_LARGE' });
  expect(JSON.parse(body)).toMatchObject({
    errors: [{ extensions: { reason: failure?.reason } }],
    data: null,
  });
  expect(bodyOrRejection(storedBody('kept'), contextOf(mutation))).toEqual({
    body: 'kept',
    failure: undefined,
  });
});
