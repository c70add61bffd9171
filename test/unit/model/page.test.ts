import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../src/model/api-error.ts';
import { type ConnectionArguments, parsePageRequest } from '../../../src/model/page.ts';
import { pageTokens } from '../../../src/model/page-token.ts';
import { parseUlid, type Ulid } from '../../../src/model/resource-name.ts';

const ID = parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV') as Ulid;
const tokens = pageTokens(Buffer.alloc(32, 7));
const cursor = tokens.encode(ID);

const parse = (input: ConnectionArguments) => parsePageRequest(input, tokens);

function fieldsAtFault(input: ConnectionArguments): readonly string[] {
  try {
    parse(input);
  } catch (error) {
    if (error instanceof ApiError) return error.fieldViolations.map(({ field }) => field);
    throw error;
  }
  return [];
}

test.each<[ConnectionArguments, object]>([
  [{}, { direction: 'forward', size: 10, position: undefined }],
  [{ first: 1 }, { direction: 'forward', size: 1, position: undefined }],
  [
    { first: 100, after: cursor },
    { direction: 'forward', size: 100, position: ID },
  ],
  [{ after: cursor }, { direction: 'forward', size: 10, position: ID }],
  [{ after: '' }, { direction: 'forward', size: 10, position: undefined }],
  [{ last: 1 }, { direction: 'backward', size: 1, position: undefined }],
  [
    { last: 100, before: cursor },
    { direction: 'backward', size: 100, position: ID },
  ],
  [{ before: cursor }, { direction: 'backward', size: 10, position: ID }],
  [{ before: '' }, { direction: 'backward', size: 10, position: undefined }],
  [
    { first: null, after: null, last: null, before: null },
    { direction: 'forward', size: 10, position: undefined },
  ],
  [
    { first: null, after: null, last: 3 },
    { direction: 'backward', size: 3, position: undefined },
  ],
])('%j requests the page %j', (input, request) => {
  expect(parse(input)).toEqual(request);
});

describe('a page request is refused', () => {
  test.each([0, 101, -1, 1.5, '', 'ten', '10', Number.NaN, Number.POSITIVE_INFINITY, true, [], {}])(
    'with the size %j, by the name of the argument',
    (size) => {
      expect(fieldsAtFault({ first: size })).toEqual(['first']);
      expect(fieldsAtFault({ last: size })).toEqual(['last']);
    },
  );

  test.each(['x', 5, true, ['x']])('with the cursor %j, by the name of the argument', (position) => {
    expect(fieldsAtFault({ after: position })).toEqual(['after']);
    expect(fieldsAtFault({ before: position })).toEqual(['before']);
  });

  test('with every argument at fault', () => {
    expect(fieldsAtFault({ first: 0, after: 'x' })).toEqual(['first', 'after']);
  });

  test.each([
    ['first', 'last'],
    ['after', 'before'],
    ['first', 'before'],
    ['after', 'last'],
    ['first', 'after', 'before'],
    ['first', 'after', 'last', 'before'],
  ])('in both directions, by the names of all arguments', (...fields) => {
    const all: Readonly<Record<string, unknown>> = { first: 1, after: cursor, last: 1, before: cursor };
    expect(fieldsAtFault(Object.fromEntries(fields.map((field) => [field, all[field]])))).toEqual(fields);
  });
});
