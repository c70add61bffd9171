import { expect, test } from 'vitest';
import { parseAddress } from '../../../src/model/address.ts';

// Source: the test cases of EIP-55.
const VECTORS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
  '0xde709f2102306220921060314715629080e2fb77',
  '0x27b1fdb04752bbc536007a920d24acb045561c26',
  '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
  '0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB',
  '0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb',
];

test.each([...VECTORS, '0x1234567890123456789012345678901234567890'])(
  'the address %s is accepted with its checksum and in one case, and not with one letter in the wrong case',
  (address) => {
    const digits = address.slice(2);
    for (const text of [digits, digits.toLowerCase(), digits.toUpperCase()]) {
      expect(parseAddress(`0x${text}`)).toBe(address);
    }
    for (const [letter, index] of [...digits].map((each, at) => [each, at] as const)) {
      const other = letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase();
      const changed = `0x${digits.slice(0, index)}${other}${digits.slice(index + 1)}`;
      if (letter !== other) expect(parseAddress(changed)).toBeUndefined();
    }
  },
);

const DIGITS = '52908400098527886E0F7030069857D2E4169EE7';

test.each([
  ['nothing', ''],
  ['no digits', '0x'],
  ['39 digits', `0x${DIGITS.slice(1)}`],
  ['41 digits', `0x${DIGITS}0`],
  ['no prefix', DIGITS],
  ['the prefix 0X', `0X${DIGITS}`],
  ['two prefixes', `0x0x${DIGITS.slice(2)}`],
  ['a letter beyond F', `0x${DIGITS.slice(1)}G`],
  ['a digit that is not ASCII', `0x${DIGITS.slice(1)}٣`],
  ['a space before it', ` 0x${DIGITS}`],
  ['a line break after it', `0x${DIGITS}\n`],
])('an address with %s is refused', (_, text) => {
  expect(parseAddress(text)).toBeUndefined();
});
