import { describe, expect, test } from 'vitest';
import {
  auditAction,
  boolean,
  clientMutationId,
  description,
  integer,
  integerIn,
  network,
  nullable,
  optional,
  password,
  privateKey,
  text,
  time,
  title,
  ValidationError,
  type Validator,
} from '../../../src/model/fields.ts';

/** Returns the error message, or undefined if the value is valid. */
function refusalOf(validate: Validator<unknown>, value: unknown): string | undefined {
  try {
    validate(value);
    return undefined;
  } catch (error) {
    if (error instanceof ValidationError) return error.message;
    throw error;
  }
}

describe('text', () => {
  const LENGTHS: readonly (readonly [string, Validator<unknown>, number, number])[] = [
    ['a title', title, 1, 200],
    ['a description', description, 0, 2000],
    ['a password', password, 32, 32],
    ['a private key', privateKey, 1, 1000],
    ['a clientMutationId', clientMutationId, 0, 2000],
  ];

  test.each(LENGTHS)('of %s is bounded in code points', (_, validate, min, max) => {
    for (const unit of ['a', '🦊', 'é']) {
      expect(validate(unit.repeat(min))).toBe(unit.repeat(min));
      expect(validate(unit.repeat(max))).toBe(unit.repeat(max));
      expect(refusalOf(validate, unit.repeat(max + 1))).toMatch(/^Must be .+ characters long\.$/);
      if (min > 0)
        expect(refusalOf(validate, unit.repeat(min - 1))).toMatch(/^Must be .+ characters long\.$/);
    }
  });

  test('of 16 emoji is not a password, although it has 32 UTF-16 units', () => {
    expect(refusalOf(password, '🦊'.repeat(16))).toBe('Must be exactly 32 characters long.');
  });

  test.each<[string, unknown, string]>([
    ['nothing', undefined, 'Required.'],
    ['null', null, 'Must be a string.'],
    ['a number', 5, 'Must be a string.'],
    ['a list', ['a'], 'Must be a string.'],
    ['an object', { length: 3 }, 'Must be a string.'],
    ['NUL', 'a\0b', 'Must not contain the character U+0000.'],
    ['a lone high surrogate', 'a\ud83e', 'Must be well-formed Unicode, without lone surrogates.'],
    ['a lone low surrogate', '\udd8ab', 'Must be well-formed Unicode, without lone surrogates.'],
    [
      'surrogates in the wrong order',
      '\udd8a\ud83e',
      'Must be well-formed Unicode, without lone surrogates.',
    ],
  ])('that is %s is refused', (_, value, message) => {
    expect(refusalOf(text(0, 10), value)).toBe(message);
  });

  test.each([' a\n\tb ', '\u200b', '\ufeff', 'a\u0301', "'; DROP TABLE app; --"])(
    '%j is kept unchanged',
    (value) => {
      expect(title(value)).toBe(value);
    },
  );
});

test.each([true, false])('%s is a boolean', (value) => {
  expect(boolean(value)).toBe(value);
});

test.each([undefined, null, 'true', 0, 1, '', []])('%j is not a boolean', (value) => {
  expect(refusalOf(boolean, value)).toMatch(value === undefined ? 'Required.' : 'Must be true or false.');
});

test.each([1, 50, 100])('%i is an integer from 1 to 100', (value) => {
  expect(integer(1, 100)(value)).toBe(value);
});

test.each([0, 101, 1.5, Number.NaN, Infinity, '1', null, undefined, true, 1n])(
  '%s is not an integer from 1 to 100',
  (value) => {
    expect(refusalOf(integer(1, 100), value)).toBe('Must be an integer from 1 to 100.');
  },
);

test.each([
  ['NETWORK_ETHEREUM', 'NETWORK_ETHEREUM'],
  ['NETWORK_ETHEREUM_RINKEBY', 'NETWORK_ETHEREUM_RINKEBY'],
  ['NETWORK_ETHEREUM_RINKERBY', 'NETWORK_ETHEREUM_RINKEBY'],
  ['NETWORK_POLYGON', 'NETWORK_POLYGON'],
  ['NETWORK_POLYGON_MUMBAI', 'NETWORK_POLYGON_MUMBAI'],
])('the network %s is read as %s', (value, expected) => {
  expect(network(value)).toBe(expected);
});

test.each([undefined, null, '', 1, 'NETWORK_BITCOIN', 'network_polygon', 'NETWORK_POLYGON\0', 'constructor'])(
  '%j is not a network',
  (value) => {
    expect(refusalOf(network, value)).toMatch(/^Must be NETWORK_ETHEREUM, /);
  },
);

describe('an optional field', () => {
  test('may be null only if it is nullable', () => {
    expect(optional(title)(undefined)).toBeUndefined();
    expect(refusalOf(optional(title), null)).toBe('Must be a string.');
    expect([nullable(title)(undefined), nullable(title)(null)]).toEqual([undefined, undefined]);
    expect(refusalOf(nullable(title), '')).toMatch(/^Must be /);
  });
});

describe('a time', () => {
  test.each([
    ['2026-01-31T12:00:00Z', Date.UTC(2026, 0, 31, 12)],
    ['2026-01-31T12:00:00.125Z', Date.UTC(2026, 0, 31, 12, 0, 0, 125)],
    ['2026-01-31T12:00:00+01:30', Date.UTC(2026, 0, 31, 10, 30)],
  ])('%s is accepted', (value, timeMs) => {
    expect(time(value)).toBe(timeMs);
  });

  test.each([undefined, 0, '', '2026-01-31', '2026-01-31T12:00:00', '2026-13-31T12:00:00Z', 'now', ' 2026'])(
    '%j is refused',
    (value) => {
      expect(refusalOf(time, value)).toBe('Must be a time such as 2026-01-31T12:00:00Z.');
    },
  );
});

test.each([undefined, '', 'wallet', 'WALLET.UPDATE', 'constructor'])('the action %j is refused', (value) => {
  expect(refusalOf(auditAction, value)).toMatch(/^Must be one of account\.create, .*sign_out\.$/);
  expect(auditAction('wallet.update')).toBe('wallet.update');
});

test.each([
  ['0', 0],
  ['10', 10],
  ['-1', -1],
  ['999999999', 999_999_999],
])('%j is the number %i', (text, number) => {
  expect(integerIn(text)).toBe(number);
});

test.each([undefined, '', ' 5', '5 ', '+5', '010', '-0', '0x5', '1e1', '1.5', '１', 'ten', '9999999999'])(
  '%j is left as it is, which is no number',
  (text) => {
    expect(integerIn(text)).toBe(text);
  },
);
