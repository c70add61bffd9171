import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { seal as sealOrRefuse, unseal } from '../../../src/credentials/sealed-text.ts';

const TEXT = '{"privateKey":"paw_key_…","title":"Café 🔑"}';

const seal = (text: string, secret: string, salt: string) =>
  sealOrRefuse(text, secret, salt) ?? expect.unreachable('It was refused.');

test('a sealed text is opened with the same secret and salt', () => {
  for (const text of [TEXT, '', 'd'.repeat(1_000_000)])
    expect(unseal(seal(text, 'token', 'key'), 'token', 'key')?.()).toBe(text);
});

test('a sealed text differs each time, and does not contain the text', () => {
  const sealed = seal(TEXT, 'token', 'key');
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(seal(TEXT, 'token', 'key')).not.toBe(sealed);
  expect(Buffer.from(sealed, 'base64').toString()).not.toContain('privateKey');
});

test.each([
  ['secret', 'other', 'key'],
  ['salt', 'token', 'other'],
])('a sealed text is not opened with another %s', (_, secret, salt) => {
  expect(unseal(seal(TEXT, 'token', 'key'), secret, salt)).toBeUndefined();
});

test('a sealed text that was changed or cut is not opened', () => {
  const bytes = Buffer.from(seal(TEXT, 'token', 'key'), 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    expect(unseal(changed.toString('base64'), 'token', 'key')).toBeUndefined();
    expect(unseal(bytes.subarray(0, index).toString('base64'), 'token', 'key')).toBeUndefined();
  }
});

test('a sealed text has at most 16 KB, and a text that needs more is refused', () => {
  // Two digits are compressed to one byte.
  expect(seal(randomBytes(10_000).toString('hex'), 'token', 'key').length).toBeLessThan(16_384);
  expect(sealOrRefuse(randomBytes(13_000).toString('hex'), 'token', 'key')).toBeUndefined();
});
