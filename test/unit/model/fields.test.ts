import { expect, test } from 'vitest';
import {
  auditAction,
  integer,
  integerIn,
  network,
  text,
  time,
  title,
  ValidationError,
  type Validator,
} from '../../../src/model/fields/fields.ts';

// `test/api/contracts/openapi.test.ts` sends each field of REST what JSON can express, around its bounds.

test.each([' a\n\tb ', '\u200b', '\ufeff', 'a\u0301', "'; DROP TABLE app; --"])(
  'the text %j is kept unchanged',
  (value) => {
    expect(title(value)).toBe(value);
  },
);

test.each<[name: string, validator: Validator<unknown>, values: readonly unknown[], message: RegExp]>([
  ['text', text(0, 10), ['a\ud83e', '\udd8ab', '\udd8a\ud83e'], /^Must be well-formed Unicode/],
  [
    'an integer',
    integer(1, 100),
    [1.5, Number.NaN, Infinity, '1', 1n],
    /^Must be an integer from 1 to 100\.$/,
  ],
  [
    'a network',
    network,
    ['network_polygon', 'NETWORK_POLYGON\0', 'constructor'],
    /^Must be one of NETWORK_ETHEREUM, /,
  ],
  ['an action', auditAction, ['wallet', 'WALLET.UPDATE', 'constructor'], /^Must be one of account\.create, /],
  [
    'a time',
    time,
    [
      ...[undefined, 0, '', '2026-01-31', '2026-01-31T12:00:00', 'now', ' 2026'],
      // They do not exist.
      ...['2026-13-31T12:00:00Z', '2026-02-30T12:00:00Z', '2025-02-29T12:00:00Z', '2026-04-31T00:00:00Z'],
      ...['2026-01-31T24:00:00Z', '2026-01-31T12:00:00+24:00'],
    ],
    /^Must be a time such as /,
  ],
])('what is not %s is refused', (_, validate, values, message) => {
  for (const value of values) {
    expect(() => validate(value)).toThrow(ValidationError);
    expect(() => validate(value)).toThrow(message);
  }
});

test.each([
  ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
  ['2026-01-31T12:00:00.125Z', Date.UTC(2026, 0, 31, 12, 0, 0, 125)],
  ['2026-01-31T12:00:00+01:30', Date.UTC(2026, 0, 31, 10, 30)],
])('the time %s is accepted', (value, timeMs) => {
  expect(time(value)).toBe(timeMs);
});

test.each(['0', '10', '-1', '999999999'])('the text %j is read as an integer', (value) => {
  expect(integerIn(value)).toBe(Number(value));
});

test.each([undefined, '', ' 5', '5 ', '+5', '010', '-0', '0x5', '1e1', '1.5', '１', 'ten', '9999999999'])(
  'the text %j is left as it is, which is no integer',
  (value) => {
    expect(integerIn(value)).toBe(value);
  },
);
