import { type OperationDefinitionNode, parse } from 'graphql';
import { describe, expect, test } from 'vitest';
import type { DataLayer } from '../../../src/data/data-layer.ts';
import { Context, type RequestState } from '../../../src/graphql/context.ts';
import { decide, textResult } from '../../../src/graphql/response.ts';
import type { Principal } from '../../../src/model/caller.ts';
import { ApiError } from '../../../src/model/errors.ts';

const [operation] = parse('mutation { first second }').definitions as [OperationDefinitionNode];
const mutation = { operation };
const keyed = { ...mutation, keyed: {} as NonNullable<RequestState['keyed']> };
const refused = { refusal: new ApiError('OVERLOADED') };

const DATA = { first: 1, second: null };
const errorAt = (reason: string, ...path: string[]) => ({ message: '', path, extensions: { reason } });
const ended = [errorAt('TOKEN_INVALID', 'second')];

function contextOf(state: Partial<RequestState>): Context {
  const data = { forRequest: () => ({}) } as unknown as DataLayer;
  const request = { claim: () => undefined } as unknown as Context['request'];
  const context = new Context(data, { requestId: 'r' } as Context['client'], {} as Principal, request);
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
    expect(() => decide(result, contextOf(state))).toThrow(expect.objectContaining({ reason }));
  });
});

test.each([
  ['one of the mutations was made', { ...mutation }],
  ['the request has ended the token itself', { isSignedOut: true }],
])('the result is sent after the end of the token, if %s', (_, state) => {
  const { body, failure } = decide({ errors: ended, data: DATA }, contextOf(state));
  expect(JSON.parse(body)).toEqual({ errors: ended, data: DATA });
  expect(failure).toMatchObject({ reason: 'TOKEN_INVALID' });
});

test('the failure in the log is the first error that is sent', () => {
  const errors = [errorAt('INVALID_FIELD', 'first'), errorAt('INTERNAL', 'second')];
  expect(decide({ errors, data: null }, contextOf({})).failure).toMatchObject({ reason: 'INVALID_FIELD' });
  const { body, failure } = decide({ errors, data: { first: 'x'.repeat(6e6) } }, contextOf({}));
  expect(failure).toMatchObject({ reason: 'RESPONSE_TOO_LARGE' });
  expect(JSON.parse(body)).toMatchObject({
    errors: [{ extensions: { reason: failure?.reason } }],
    data: null,
  });
  expect(decide(textResult('kept'), contextOf(mutation))).toEqual({ body: 'kept', failure: undefined });
});
