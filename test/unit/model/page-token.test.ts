import { crc32 } from 'node:zlib';
import { expect, test } from 'vitest';
import { ValidationError } from '../../../src/model/fields/fields.ts';
import { encodePageToken, pageToken } from '../../../src/model/lists/page-token.ts';
import { idGenerator, parseUlid, type Ulid } from '../../../src/model/resource-name.ts';

const ID = parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV') as Ulid;

const genuine = encodePageToken(ID);

const isAccepted = (token: unknown, filter?: string) => {
  try {
    pageToken(filter)(token);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return false;
  }
};

/** Returns a token of another version, with a valid checksum. */
function withVersion(version: string): string {
  const place = version + ID;
  return btoa(place) + crc32(place).toString(16).padStart(8, '0');
}

test('a token is URL-safe, and decoded to its item', () => {
  for (const id of [ID, ...Array.from({ length: 100 }, idGenerator(Date.now))]) {
    expect(encodePageToken(id)).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(pageToken()(encodePageToken(id))).toBe(id);
  }
});

test('a token of a list with a filter is decoded only with this filter', () => {
  const filtered = encodePageToken(ID, 'title 4341');
  expect(pageToken('title 4341')(filtered)).toBe(ID);
  const others = [undefined, '', 'title 43', 'title 434142', 'address 4341'];
  expect(others.filter((other) => isAccepted(filtered, other))).toEqual([]);
  expect(isAccepted(genuine, 'title 4341')).toBe(false);
});

test.each([undefined, null, ''])('%j is the start of the list', (token) => {
  expect(pageToken()(token)).toBeUndefined();
});

test.each<[string, (code: number) => string]>([
  ['the next character', (code) => (code === 'z'.charCodeAt(0) ? 'a' : String.fromCharCode(code + 1))],
  ['the letter A', (code) => (code === 'A'.charCodeAt(0) ? 'B' : 'A')],
  ['a character outside base64url', () => '*'],
  // A decoder that uses only the low byte reads these as the original letter.
  ['a character 256 code points on', (code) => String.fromCharCode(code + 0x100)],
  ['a character 4096 code points on', (code) => String.fromCharCode(code + 0x1000)],
])('a token with %s at any one position is refused', (_, change) => {
  const forged = [...genuine].map(
    (letter, at) => genuine.slice(0, at) + change(letter.charCodeAt(0)) + genuine.slice(at + 1),
  );
  expect(new Set([genuine, ...forged]).size).toBe(genuine.length + 1);
  expect(forged.filter((token) => isAccepted(token))).toEqual([]);
});

test('a token that is cut short at either end is refused', () => {
  const cut = [...genuine.slice(1)].flatMap((_, at) => [genuine.slice(0, at + 1), genuine.slice(at + 1)]);
  expect(cut).toHaveLength(2 * (genuine.length - 1));
  expect(cut.filter((token) => isAccepted(token))).toEqual([]);
});

test.each<[string, unknown]>([
  ['a ULID', ID],
  ['a token after a space', ` ${genuine}`],
  ['a token before a space', `${genuine} `],
  ['a token with padding', `${genuine}=`],
  ['a token with one letter more', `${genuine}A`],
  ['a token with a NUL', `${genuine}\0`],
  ['a token twice', genuine + genuine],
  ['a decoded token', Buffer.from(genuine, 'base64url').toString('latin1')],
  ['letters beyond ASCII', 'é'.repeat(genuine.length)],
  ['a lone surrogate', '\ud800'],
  ['a long text', 'A'.repeat(100_000)],
  ['a list', [genuine]],
  ['an object', { toString: () => genuine }],
  ...['0', '1', '2', '9'].map((version): [string, string] => [
    `a token of version ${version}`,
    withVersion(version),
  ]),
])('%s is refused', (_, token) => {
  expect(withVersion('3')).toBe(genuine);
  expect(isAccepted(token)).toBe(false);
});
