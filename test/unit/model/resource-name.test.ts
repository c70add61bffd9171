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

test.each(['00000000000000000000000000', ULID, '7ZZZZZZZZZZZZZZZZZZZZZZZZZ'])(
  'the ULID %s is accepted in any case, and returned in upper case',
  (ulid) => {
    const lower = ulid.toLowerCase();
    for (const text of [ulid, lower, ulid.slice(0, 13) + lower.slice(13)]) expect(parseUlid(text)).toBe(ulid);
  },
);

test.each([
  ['one beyond the largest', '80000000000000000000000000'],
  ['25 characters', ULID.slice(1)],
  ['27 characters', `0${ULID}`],
  ['nothing', ''],
  ['a line break at its end', `${ULID}\n`],
  // The upper case of ı and ſ is ASCII: I and S. That of ß is two letters.
  ...[...'- ILOUilouıſß０'].map((character) => [`the character ${character}`, ULID.slice(0, 25) + character]),
  ['the letter ß, as two letters', `${ULID.slice(0, 24)}ß`],
])('a ULID with %s is refused', (_, text) => {
  expect(parseUlid(text)).toBeUndefined();
});

test.each(['projects', 'wallets'] as const)('a name of %s has a collection and a ULID', (collection) => {
  const name = parseResourceName(['projects', 'wallets'], `${collection}/${ULID.toLowerCase()}`);
  expect(name).toBe(`${collection}/${ULID}`);
  expect(name && [collectionOf(name), idOf(name)]).toEqual([collection, ULID]);
});

test.each([
  `apps/${ULID}`,
  `project/${ULID}`,
  `PROJECTS/${ULID}`,
  ULID,
  `projects${ULID}`,
  `projects//${ULID}`,
  `/projects/${ULID}`,
  `projects/${ULID}/`,
  'projects/',
  `projects/${ULID.slice(0, 25)}U`,
  `projects/${ULID}/apps/${ULID}`,
])('%s is not the name of a project or a wallet', (text) => {
  expect(parseResourceName(['projects', 'wallets'], text)).toBeUndefined();
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

  test('contain the time of the clock, and the first of a time is before them, and after earlier ones', () => {
    const [id, earlier] = [idGenerator(() => NOW)(), idGenerator(() => NOW - 1)()];
    const first = firstUlid(NOW);
    expect([id, first, earlier].toSorted()).toEqual([earlier, first, id]);
    expect(parseUlid(first)).toBe(first);
    expect([first, id].map((each) => decodeTime(each))).toEqual([NOW, NOW]);
    expect(firstUlid(-1)).toBe(firstUlid(0));
  });
});
