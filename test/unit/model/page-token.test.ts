import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { ValidationError } from '../../../src/model/fields/fields.ts';
import { pageTokens } from '../../../src/model/lists/page-token.ts';
import { idGenerator, parseUlid, type Ulid } from '../../../src/model/resource-name.ts';

const KEY = Buffer.alloc(32, 7);
const ID = parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV') as Ulid;

const tokens = pageTokens(KEY);
const genuine = tokens.encode(ID);

const isAccepted = (token: unknown, filter?: string) => {
  try {
    tokens.position(filter)(token);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(ValidationError);
    return false;
  }
};

/** Returns a token of another version, with a valid authentication code. */
function withVersion(version: string): string {
  const place = version + ID;
  const code = createHash('sha256')
    .update(KEY.toString('hex') + place)
    .digest();
  return Buffer.concat([Buffer.from(place), code.subarray(0, 15)]).toString('base64url');
}

test('a token is URL-safe, and decoded to its item in every instance with the same key', () => {
  const { encode } = pageTokens(Uint8Array.from(KEY));
  for (const id of [ID, ...Array.from({ length: 100 }, idGenerator(Date.now))]) {
    expect(encode(id)).toMatch(/^[A-Za-z0-9_-]+$/);
    expect(tokens.position()(encode(id))).toBe(id);
  }
});

test('a token of a list with a filter is decoded only with this filter', () => {
  const filtered = tokens.encode(ID, 'title 4341');
  expect(tokens.position('title 4341')(filtered)).toBe(ID);
  const others = [undefined, '', 'title 43', 'title 434142', 'address 4341'];
  expect(others.filter((other) => isAccepted(filtered, other))).toEqual([]);
  expect(isAccepted(genuine, 'title 4341')).toBe(false);
});

test.each([undefined, null, ''])('%j is the start of the list', (token) => {
  expect(tokens.position()(token)).toBeUndefined();
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
  ['a token of another key', pageTokens(Buffer.alloc(32, 8)).encode(ID)],
  ...['0', '1', '3', '9'].map((version): [string, string] => [
    `a token of version ${version}`,
    withVersion(version),
  ]),
])('%s is refused', (_, token) => {
  expect(withVersion('2')).toBe(genuine);
  expect(isAccepted(token)).toBe(false);
});
