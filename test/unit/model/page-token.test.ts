import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ValidationError } from '../../../src/model/fields.ts';
import { pageTokens } from '../../../src/model/page-token.ts';
import { idGenerator, parseUlid, type Ulid } from '../../../src/model/resource-name.ts';

const KEY = Buffer.alloc(32, 7);
const ID = parseUlid('01ARZ3NDEKTSV4RRFFQ69G5FAV') as Ulid;

const tokens = pageTokens(KEY);
const genuine = tokens.encode(ID);

const isRefused = (token: unknown) => {
  try {
    tokens.position()(token);
    return false;
  } catch (error) {
    return error instanceof ValidationError;
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

test('a token is decoded to the item that it was created for', () => {
  const newId = idGenerator(Date.now);
  for (const id of [ID, ...Array.from({ length: 100 }, newId)]) {
    expect(tokens.position()(tokens.encode(id))).toBe(id);
  }
});

test('a token is URL-safe', () => {
  expect(genuine).toMatch(/^[A-Za-z0-9_-]+$/);
});

test('tokens of the same key are equal in every instance', () => {
  expect(pageTokens(Uint8Array.from(KEY)).encode(ID)).toBe(genuine);
});

test('a token of a list with a filter is decoded only with this filter', () => {
  const filtered = tokens.encode(ID, 'title 4341');
  expect(tokens.position('title 4341')(filtered)).toBe(ID);
  for (const other of [undefined, '', 'title 43', 'title 434142', 'address 4341']) {
    expect(() => tokens.position(other)(filtered)).toThrow(ValidationError);
  }
  expect(() => tokens.position('title 4341')(genuine)).toThrow(ValidationError);
});

test.each([undefined, null, ''])('%j is the start of the list', (token) => {
  expect(tokens.position()(token)).toBeUndefined();
});

describe('a token is refused', () => {
  test.each<[string, (code: number) => string]>([
    ['the next character', (code) => (code === 'z'.charCodeAt(0) ? 'a' : String.fromCharCode(code + 1))],
    ['the letter A', (code) => (code === 'A'.charCodeAt(0) ? 'B' : 'A')],
    ['a character outside base64url', () => '*'],
    // A decoder that uses only the low byte reads these as the original letter.
    ['a character 256 code points on', (code) => String.fromCharCode(code + 0x100)],
    ['a character 4096 code points on', (code) => String.fromCharCode(code + 0x1000)],
  ])('with %s at any one position', (_, change) => {
    const forged = [...genuine].map(
      (letter, at) => genuine.slice(0, at) + change(letter.charCodeAt(0)) + genuine.slice(at + 1),
    );
    expect(new Set([genuine, ...forged]).size).toBe(genuine.length + 1);
    expect(forged.filter((token) => !isRefused(token))).toEqual([]);
  });

  test('cut short at any position, at either end', () => {
    const cut = [...genuine.slice(1)].flatMap((_, at) => [genuine.slice(0, at + 1), genuine.slice(at + 1)]);
    expect(cut).toHaveLength(2 * (genuine.length - 1));
    expect(cut.filter((token) => !isRefused(token))).toEqual([]);
  });

  test.each<[string, unknown]>([
    ['a ULID', ID],
    ['the token after a space', ` ${genuine}`],
    ['the token before a space', `${genuine} `],
    ['the token with padding', `${genuine}=`],
    ['the token with one letter more', `${genuine}A`],
    ['the token with a NUL', `${genuine}\0`],
    ['the token twice', genuine + genuine],
    ['the token decoded', Buffer.from(genuine, 'base64url').toString('latin1')],
    ['letters beyond ASCII', 'é'.repeat(genuine.length)],
    ['a lone surrogate', '\ud800'],
    ['a long text', 'A'.repeat(100_000)],
    ['a list', [genuine]],
    ['an object', { toString: () => genuine }],
  ])('if it is %s', (_, token) => {
    expect(isRefused(token)).toBe(true);
  });

  test('of another key', () => {
    expect(isRefused(pageTokens(Buffer.alloc(32, 8)).encode(ID))).toBe(true);
  });

  test('of another version, even with a valid code', () => {
    expect(withVersion('2')).toBe(genuine);
    for (const version of ['0', '1', '3', '9']) expect(isRefused(withVersion(version))).toBe(true);
  });
});
