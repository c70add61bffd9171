import { describe, expect, test } from 'vitest';
import { MAX_RESPONSE_BYTES, resultJson } from '../../src/graphql/response-size.ts';
import { ApiError } from '../../src/model/api-error.ts';

/** A result whose JSON has so many bytes, most of them in texts of `unit`. */
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

describe.each([
  ['plain letters', 'x'],
  ['control characters', '\u0001'],
  ['quotes', '"'],
  ['accents', 'é'],
  ['characters beyond the basic plane', '😀'],
  ['lone surrogates', '\ud800'],
])('of %s', (_name, unit) => {
  test('as many bytes as are allowed are sent as JSON', () => {
    const result = resultOf(MAX_RESPONSE_BYTES, unit);
    const json = JSON.stringify(result);
    expect(Buffer.byteLength(json)).toBe(MAX_RESPONSE_BYTES);
    expect(resultJson(result)).toBe(json);
  });

  test('one byte more is refused', () => {
    const result = resultOf(MAX_RESPONSE_BYTES + 1, unit);
    const refusal = resultJson(result);
    expect(refusal).toBeInstanceOf(ApiError);
    expect(refusal).toMatchObject({ reason: 'RESPONSE_TOO_LARGE' });
  });
});

test('an object that is in the result many times counts each time', () => {
  const wallet = { description: '\u0001'.repeat(2000) };
  const nodes = Array.from({ length: 100 }, () => wallet);
  expect(resultJson({ data: { nodes } })).toBe(JSON.stringify({ data: { nodes } }));
  const lists = Object.fromEntries(Array.from({ length: 5 }, (_, n) => [`a${n}`, nodes]));
  expect(resultJson({ data: lists })).toBeInstanceOf(ApiError);
});
