import { expect, test } from 'vitest';
import { seal as sealOrRefuse, unseal } from '../../../src/credentials/sealed-text.ts';

const TEXT = '{"privateKey":"paw_key_…","title":"Café 🔑"}';

const seal = (text: string, secret: string, salt: string) =>
  sealOrRefuse(text, secret, salt) ?? expect.unreachable('It was refused.');

// `test/api/idempotency.test.ts` seals and opens responses, with other tokens, and such as are too large.

test('a sealed text differs each time, and does not contain the text', () => {
  const sealed = seal(TEXT, 'token', 'key');
  expect(sealed).toMatch(/^[A-Za-z0-9+/]+=*$/);
  expect(seal(TEXT, 'token', 'key')).not.toBe(sealed);
  expect(Buffer.from(sealed, 'base64').toString()).not.toContain('privateKey');
});

test('a sealed text is opened with the same salt, and not with another one', () => {
  for (const text of [TEXT, '', 'd'.repeat(1_000_000)]) {
    const sealed = seal(text, 'token', 'key');
    expect(unseal(sealed, 'token', 'key')?.()).toBe(text);
    expect(unseal(sealed, 'token', 'other')).toBeUndefined();
  }
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
