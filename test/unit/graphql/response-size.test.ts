import { expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, resultJson } from '../../../src/graphql/response-size.ts';
import { ApiError } from '../../../src/model/api-error.ts';

/** A result whose JSON has the given number of bytes, mostly in repetitions of `unit`. */
function resultOf(bytes: number, unit: string) {
  const unitBytes = Buffer.byteLength(JSON.stringify(unit)) - 2;
  const data = {
    flag: true,
    count: -12.5,
    none: null,
    left: undefined,
    time: new Date(0),
    list: [1, 'two', { three: [] }, {}],
    text: '',
    rest: '',
  };
  const left = bytes - Buffer.byteLength(JSON.stringify({ data }));
  data.text = unit.repeat(Math.floor(left / unitBytes));
  data.rest = 'x'.repeat(left % unitBytes);
  return { data };
}

test('a response has at most 5 MB, counted exactly for every kind of character', () => {
  // A letter, a control character, a quote, two bytes, four bytes, and a lone surrogate.
  const unit = 'x\u0001"é😀\ud800';
  const json = resultJson(resultOf(MAX_RESPONSE_BYTES, unit));
  expect(Buffer.byteLength(String(json))).toBe(MAX_RESPONSE_BYTES);
  const refusal = resultJson(resultOf(MAX_RESPONSE_BYTES + 1, unit));
  expect(refusal).toBeInstanceOf(ApiError);
  expect(refusal).toMatchObject({ reason: 'RESPONSE_TOO_LARGE' });
});

test('a response is written as JSON', () => {
  const result = resultOf(1000, 'é"\ud800');
  expect(resultJson(result)).toBe(JSON.stringify(result));
});

test('an object counts as often as the result contains it', () => {
  const wallet = { description: '\u0001'.repeat(2000) };
  const nodes = Array.from({ length: 100 }, () => wallet);
  expect(resultJson({ data: { nodes } })).toBe(JSON.stringify({ data: { nodes } }));
  const lists = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`a${n}`, nodes]));
  expect(resultJson({ data: lists })).toBeInstanceOf(ApiError);
});
