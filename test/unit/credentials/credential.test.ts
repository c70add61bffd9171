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
  const [accountId, id] = [newId(), newId()];
  const credential = createCredential(kind, accountId, id);

  test('consists of its prefix, two ids, 256 random bits and a checksum, and is parsed into its parts', () => {
    expect(credential).toMatch(new RegExp(`^paw_${kind}_${accountId}${id}_[0-9a-f]{64}[0-9a-f]{8}$`));
    expect(parseCredential(credential)).toEqual({ kind, accountId, id });
  });

  test('has another secret each time', () => {
    const made = Array.from({ length: 1000 }, () => createCredential(kind, accountId, id));
    expect(new Set(made).size).toBe(1000);
    expect(new Set(made.map((each) => each.slice(-72, -8))).size).toBe(1000);
  });

  const change = (index: number, length: number, text: string) =>
    credential.slice(0, index) + text + credential.slice(index + length);

  test('is refused after any change of one character, or of two neighbours', () => {
    const changed = [...credential].flatMap((character, index) => [
      ...PRINTABLE.flatMap((other) => [change(index, 1, other), change(index, 0, other)]),
      change(index, 1, ''),
      change(index, 2, (credential[index + 1] ?? '') + character),
    ]);
    const accepted = changed.filter((text) => parseCredential(text) !== undefined);
    expect(new Set(accepted)).toEqual(new Set([credential]));
  });

  test.each([
    ['nothing', ''],
    ['a credential with an id in lower case', credential.replace(accountId, accountId.toLowerCase())],
    ['a line break at its end', `${credential}\n`],
    ['a space before it', ` ${credential}`],
    ['a credential twice', credential + credential],
    ['a credential without its checksum', credential.slice(0, -8)],
    ['the checksum of another', credential.slice(0, -8) + createCredential(kind, accountId, id).slice(-8)],
    ['the prefix of another kind', credential.replace(`_${kind}_`, kind === 'key' ? '_app_' : '_key_')],
  ])('is not parsed from %s', (_what, text) => {
    expect(parseCredential(text)).toBeUndefined();
  });
});

test('the hash of a credential is its SHA-256 in hexadecimal digits', () => {
  const credential = createCredential('app', newId(), newId());
  expect(hashCredential(credential)).toBe(createHash('sha256').update(credential).digest('hex'));
});

test('a hash equals itself, and no hash that differs in one digit or in its length', () => {
  const hash = hashCredential('abc');
  expect(equalHashes(hash, hashCredential('abc'))).toBe(true);
  const others = [...hash].map(
    (digit, index) => hash.slice(0, index) + (digit === '0' ? '1' : '0') + hash.slice(index + 1),
  );
  for (const other of [...others, hash.slice(1), `${hash}0`, '', hash.toUpperCase()]) {
    expect([equalHashes(hash, other), equalHashes(other, hash)]).toEqual([false, false]);
  }
});
