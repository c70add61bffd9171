import { expect, test } from 'vitest';
import { createSeal } from '../../../src/credentials/sealed-text.ts';

const TEXT = '{"privateKey":"paw_key_…","title":"Café 🔑"}';

const { seal, open } = createSeal('token', 'key', 'request');

test('a sealed text is opened with the same secret, salt and context', () => {
  expect(open(seal(TEXT))).toBe(TEXT);
  expect(createSeal('token', 'key', 'request').open(seal(TEXT))).toBe(TEXT);
  expect(open(seal(''))).toBe('');
});

test('a sealed text differs each time, and does not contain the text', () => {
  const sealed = seal(TEXT);
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(seal(TEXT)).not.toBe(sealed);
  expect(Buffer.from(sealed, 'base64').toString()).not.toContain('privateKey');
});

test.each([
  ['secret', createSeal('other', 'key', 'request')],
  ['salt', createSeal('token', 'other', 'request')],
  ['context', createSeal('token', 'key', 'other')],
])('a sealed text is not opened with another %s', (_, other) => {
  expect(other.open(seal(TEXT))).toBeUndefined();
});

test('a sealed text that was changed or cut is not opened', () => {
  const bytes = Buffer.from(seal(TEXT), 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(open(changed.toString('base64'))).toBeUndefined();
    expect(open(bytes.subarray(0, index).toString('base64'))).toBeUndefined();
  }
});
