import { decodeTime } from 'ulid';
import { describe, expect, test } from 'vitest';
import {
  collectionOf,
  firstUlid,
  idGenerator,
  idOf,
  parseResourceName,
  parseUlid,
} from '../../../src/model/resource-name.ts';

const ULID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('a ULID', () => {
  test.each([
    ['in upper case', ULID],
    ['in lower case', ULID.toLowerCase()],
    ['in both', `${ULID.slice(0, 13)}${ULID.slice(13).toLowerCase()}`],
  ])('%s is accepted and returned in upper case', (_, text) => {
    expect(parseUlid(text)).toBe(ULID);
  });

  test.each(['00000000000000000000000000', '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])('may be the bound %s', (text) => {
    expect(parseUlid(text)).toBe(text);
    expect(parseUlid(text.toLowerCase())).toBe(text);
  });

  test.each([
    ['one beyond the largest', '80000000000000000000000000'],
    ['one far beyond the largest', 'ZZZZZZZZZZZZZZZZZZZZZZZZZZ'],
    ['one far beyond the largest, in lower case', 'zzzzzzzzzzzzzzzzzzzzzzzzzz'],
    ['25 characters', ULID.slice(1)],
    ['27 characters', `0${ULID}`],
    ['nothing', ''],
    ['a hyphen', `${ULID.slice(0, 25)}-`],
    ['a space', `${ULID.slice(0, 25)} `],
    ['a line break at its end', `${ULID}\n`],
    ...[...'ILOUilou'].map((letter) => [`the letter ${letter}`, `${ULID.slice(0, 25)}${letter}`]),
    // Their upper case is ASCII: I and S.
    ['the letter ı (U+0131)', `${ULID.slice(0, 25)}ı`],
    ['the letter ſ (U+017F)', `${ULID.slice(0, 25)}ſ`],
    // Its upper case is two letters, SS.
    ['the letter ß, as one letter', `${ULID.slice(0, 25)}ß`],
    ['the letter ß, as two letters', `${ULID.slice(0, 24)}ß`],
    ['full-width digits', `${ULID.slice(0, 25)}０`],
  ])('is refused with %s', (_, text) => {
    expect(parseUlid(text)).toBeUndefined();
  });
});

describe('a resource name', () => {
  test('of any of the collections is accepted, its ULID in either case', () => {
    const names = ['projects', 'wallets'].map((collection) =>
      parseResourceName(['projects', 'wallets'], `${collection}/${ULID.toLowerCase()}`),
    );
    expect(names).toEqual([`projects/${ULID}`, `wallets/${ULID}`]);
  });

  test('has a collection and a ULID', () => {
    const name = parseResourceName(['wallets'], `wallets/${ULID}`);
    expect(name && [collectionOf(name), idOf(name)]).toEqual(['wallets', ULID]);
  });

  test.each([
    ['of another collection', `apps/${ULID}`],
    ['of an unknown collection', `project/${ULID}`],
    ['of a collection in upper case', `PROJECTS/${ULID}`],
    ['without a collection', ULID],
    ['without a slash', `projects${ULID}`],
    ['with two slashes', `projects//${ULID}`],
    ['with a slash before it', `/projects/${ULID}`],
    ['with a slash after it', `projects/${ULID}/`],
    ['without a ULID', 'projects/'],
    ['of a malformed ULID', `projects/${ULID.slice(0, 25)}U`],
    ['below another', `projects/${ULID}/apps/${ULID}`],
  ])('is refused %s', (_, text) => {
    expect(parseResourceName(['projects', 'wallets'], text)).toBeUndefined();
  });
});

describe('generated ids', () => {
  const NOW = 1_767_225_600_123;

  test.each([
    ['within one millisecond', () => NOW],
    ['while the clock advances', (call: number) => NOW + call],
    ['while the clock is set back', (call: number) => NOW - 1000 * call],
    ['while the clock jumps back and forth', (call: number) => NOW + (call % 3) - 1],
  ])('are strictly increasing ULIDs %s', (_, at) => {
    let calls = 0;
    const newId = idGenerator(() => {
      calls += 1;
      return at(calls);
    });
    const ids = Array.from({ length: 500 }, newId);
    expect(ids.filter((id) => parseUlid(id) !== id)).toEqual([]);
    expect([...new Set(ids)].sort()).toEqual(ids);
  });

  test('contain the time of the clock', () => {
    expect(decodeTime(idGenerator(() => NOW)())).toBe(NOW);
  });
});

test('the first ULID of a time is before all others of the time, and after those before', () => {
  const timeMs = 1_767_225_600_123;
  const [id, earlier] = [idGenerator(() => timeMs)(), idGenerator(() => timeMs - 1)()];
  const first = firstUlid(timeMs);
  expect([id, first, earlier].toSorted()).toEqual([earlier, first, id]);
  expect(parseUlid(first)).toBe(first);
  expect(decodeTime(first)).toBe(timeMs);
  expect(firstUlid(-1)).toBe(firstUlid(0));
});
