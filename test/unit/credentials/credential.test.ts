import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import {
  type CredentialKind,
  createCredential,
  equalHashes,
  hashCredential,
  parseCredential,
} from '../../../src/credentials/credential.ts';
import { idGenerator } from '../../../src/model/resource-name.ts';

const KINDS: readonly CredentialKind[] = ['acct', 'app', 'key'];

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

const newId = idGenerator(Date.now);

describe.each(KINDS)('a credential of kind %s', (kind) => {
  const [accountId, serial] = [newId(), newId()];
  const credential = createCredential(kind, accountId, serial);

  test('consists of its prefix, two ids, 256 random bits and a checksum', () => {
    expect(credential).toMatch(new RegExp(`^paw_${kind}_${accountId}${serial}_[0-9a-f]{64}[0-9a-f]{8}$`));
  });

  test('needs no escaping in a header, a URL or a shell', () => {
    expect(credential).toMatch(/^\w+$/);
  });

  test('is parsed into its kind, owner and serial', () => {
    expect(parseCredential(credential)).toEqual({ kind, accountId, serial });
  });

  test('has another secret each time', () => {
    const made = Array.from({ length: 1000 }, () => createCredential(kind, accountId, serial));
    expect(new Set(made).size).toBe(1000);
    expect(new Set(made.map((each) => each.slice(-72, -8))).size).toBe(1000);
  });

  test('is refused after any change of one character', () => {
    const accepted = [...credential].flatMap((character, index) => {
      const [before, after] = [credential.slice(0, index), credential.slice(index + 1)];
      const replaced = PRINTABLE.filter((other) => other !== character).map(
        (other) => before + other + after,
      );
      const inserted = PRINTABLE.map((other) => before + other + character + after);
      return [...replaced, ...inserted, before + after].filter((text) => parseCredential(text) !== undefined);
    });
    expect(accepted).toEqual([]);
  });

  test('is refused if any two neighbours are swapped', () => {
    const traded = [...credential].map(
      (character, index) =>
        credential.slice(0, index) + (credential[index + 1] ?? '') + character + credential.slice(index + 2),
    );
    const changed = traded.filter((text) => text !== credential);
    expect(changed.length).toBeGreaterThan(100);
    expect(changed.filter((text) => parseCredential(text) !== undefined)).toEqual([]);
  });

  test.each([
    ['nothing', () => ''],
    ['a credential with an id in lower case', () => credential.replace(accountId, accountId.toLowerCase())],
    ['a line break at its end', () => `${credential}\n`],
    ['a space before it', () => ` ${credential}`],
    ['a credential twice', () => credential + credential],
    ['a credential without its checksum', () => credential.slice(0, -8)],
    [
      'the checksum of another',
      () => credential.slice(0, -8) + createCredential(kind, accountId, serial).slice(-8),
    ],
    ['the prefix of another kind', () => credential.replace(`_${kind}_`, kind === 'key' ? '_app_' : '_key_')],
  ])('is not parsed from %s', (_what, text) => {
    expect(parseCredential(text())).toBeUndefined();
  });
});

describe('the hash of a credential', () => {
  test('is its SHA-256 in hexadecimal digits', () => {
    const credential = createCredential('app', newId(), newId());
    expect(hashCredential(credential)).toBe(createHash('sha256').update(credential).digest('hex'));
    expect(hashCredential('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });

  test('equals itself, and no hash that differs in one digit or in its length', () => {
    const hash = hashCredential('abc');
    expect(equalHashes(hash, hashCredential('abc'))).toBe(true);
    expect(equalHashes('', '')).toBe(true);
    const others = [...hash].map(
      (digit, index) => hash.slice(0, index) + (digit === '0' ? '1' : '0') + hash.slice(index + 1),
    );
    for (const other of [...others, hash.slice(1), `${hash}0`, '', hash.toUpperCase()]) {
      expect(equalHashes(hash, other)).toBe(false);
      expect(equalHashes(other, hash)).toBe(false);
    }
  });
});
