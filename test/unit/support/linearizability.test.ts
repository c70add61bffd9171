import { expect, test } from 'vitest';
import { explainViolation, isLinearizable, type Operation } from '../../support/linearizability.ts';

const EMPTY = { title: '', description: '' };

/**
 * Returns the operations of a text, such as `1-4 title=a -> title=a description=; 5-? token=ended`: the start and the end of
 * each, which is `?` if its result is unknown, the fields that it sets, and those that its response shows.
 */
function historyOf(text: string): readonly Operation[] {
  if (text === '') return [];
  return text.split('; ').map((operation) => {
    const [, start, end, set = '', shown] = /^(\d+)-(\d+|\?) ?(.*?)(?: ?-> (.*))?$/.exec(operation) ?? [];
    return {
      text: set === '' ? 'read' : 'update',
      set: fieldsOf(set),
      ...(shown !== undefined && { shown: fieldsOf(shown) }),
      start: Number(start),
      end: end === '?' ? Infinity : Number(end),
    };
  });
}

function fieldsOf(text: string): Readonly<Record<string, string>> {
  const fields = text.split(' ').filter((each) => each !== '');
  return Object.fromEntries(fields.map((field) => field.split('=')));
}

const WRONG = {
  'a stale read after an acknowledged write': '1-2 title=a; 3-4 title=b; 5-6 -> title=a',
  'an acknowledged write that is lost': '1-2 title=a; 3-4 -> title=',
  'a lost update: a write of one field that undoes a concurrent one of another':
    '1-4 title=a -> title=a description=; 2-3 description=b -> title= description=b; 5-6 -> title= description=b',
  'a write that comes back after it was overwritten':
    '1-2 title=a; 3-4 title=b; 5-6 -> title=b; 7-8 -> title=a',
  'a read that goes back during a write': '1-6 title=a; 2-3 -> title=a; 4-5 -> title=',
  'two reads that see two concurrent writes in opposite orders':
    '1-10 title=a; 2-11 title=b; 3-4 -> title=a; 5-6 -> title=b; 7-8 -> title=a',
  'half of a write': '1-10 title=a description=a; 2-3 -> title=a description=',
  'a value that no write has set, such as that of a refused one': '1-2 title=a; 3-4 -> title=refused',
  'a write with an unknown result that takes effect before its start': '1-2 -> title=a; 3-? title=a',
  'a write with an unknown result that takes effect twice':
    '1-? title=a; 2-3 -> title=a; 4-5 title=b; 6-7 -> title=a',
  'a revoked token that works again':
    '1-2 token=valid; 3-4 token=ended; 5-6 -> token=ended; 7-8 -> token=valid',
  'a token that works after its revocation': '1-2 token=valid; 3-4 token=ended; 5-6 -> token=valid',
  'a token that is refused without a revocation': '1-2 token=valid; 3-4 -> token=ended; 5-6 token=ended',
};

const RIGHT = {
  'no operation': '',
  'operations one after the other':
    '1-2 title=a -> title=a description=; 3-4 description=b -> title=a description=b; 5-6 -> title=a description=b',
  'reads that see a concurrent write early and late':
    '1-10 title=a; 2-5 -> title=a; 3-4 -> title=; 6-7 -> title=a',
  'concurrent writes in the order opposite to their starts':
    '1-6 title=a; 2-5 title=b; 3-4 -> title=b; 7-8 -> title=a',
  'a write with an unknown result that never takes effect': '1-? title=a; 2-3 -> title=',
  'a write with an unknown result that takes effect at once': '1-? title=a; 2-3 -> title=a',
  'a write with an unknown result that takes effect after later writes':
    '1-? title=a; 2-3 title=b; 4-5 -> title=b; 6-7 -> title=a',
  'a token that works until its revocation':
    '1-2 token=valid; 3-6 -> token=valid; 4-8 token=ended; 5-7 -> token=ended; 9-10 -> token=ended',
  'a revocation with an unknown result that takes effect later':
    '1-2 token=valid; 3-? token=ended; 4-5 -> token=valid; 6-7 -> token=ended',
};

test.each([
  ...Object.entries(WRONG).map(([name, history]) => [name, 'not linearizable', history] as const),
  ...Object.entries(RIGHT).map(([name, history]) => [name, 'linearizable', history] as const),
])('%s is %s', (_, expected, history) => {
  expect(isLinearizable(EMPTY, historyOf(history))).toBe(expected === 'linearizable');
});

test('a violation in a long history is explained by the operations that it needs', () => {
  const long = Array.from({ length: 50 }, (_, n) => {
    const start = 20 * n;
    return `${start}-${start + 15} title=${2 * n}; ${start + 10}-${start + 25} -> title=${2 * n}`;
  }).join('; ');
  expect(isLinearizable(EMPTY, historyOf(long))).toBe(true);
  expect(explainViolation(EMPTY, historyOf(`${long}; 5000-5001 -> title=20`))).toBe(
    `No order of these operations explains their results, from {"title":"","description":""}:
  200 to 215: update, {"set":{"title":"20"}}
  980 to 995: update, {"set":{"title":"98"}}
  5000 to 5001: read, {"set":{},"shown":{"title":"20"}}`,
  );
});
