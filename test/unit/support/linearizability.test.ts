import { expect, test } from 'vitest';
import {
  explainViolation,
  type Fields,
  isLinearizable,
  type Operation,
} from '../../support/linearizability.ts';

const EMPTY = { title: '', description: '' };

const set = (start: number, end: number, fields: Fields, shown?: Fields): Operation => {
  return { text: 'update', set: fields, start, end, ...(shown && { shown }) };
};
const read = (start: number, end: number, shown: Fields): Operation => {
  return { text: 'read', set: {}, shown, start, end };
};

/** The operations on a token, which begin with its sign-in. */
const signIn: Operation = { text: 'sign in', set: { token: 'valid' }, start: 1, end: 2 };
const revoke = (start: number, end: number): Operation => {
  return { text: 'revoke', set: { token: 'ended' }, start, end };
};
const use = (start: number, end: number, token: 'valid' | 'ended') => read(start, end, { token });

const WRONG: Readonly<Record<string, readonly Operation[]>> = {
  'a stale read after an acknowledged write': [
    set(1, 2, { title: 'a' }),
    set(3, 4, { title: 'b' }),
    read(5, 6, { title: 'a' }),
  ],
  'an acknowledged write that is lost': [set(1, 2, { title: 'a' }), read(3, 4, { title: '' })],
  'a lost update: a write of one field that undoes a concurrent one of another': [
    set(1, 4, { title: 'a' }, { title: 'a', description: '' }),
    set(2, 3, { description: 'b' }, { title: '', description: 'b' }),
    read(5, 6, { title: '', description: 'b' }),
  ],
  'a write that comes back after it was overwritten': [
    set(1, 2, { title: 'a' }),
    set(3, 4, { title: 'b' }),
    read(5, 6, { title: 'b' }),
    read(7, 8, { title: 'a' }),
  ],
  'a read that goes back during a write': [
    set(1, 6, { title: 'a' }),
    read(2, 3, { title: 'a' }),
    read(4, 5, { title: '' }),
  ],
  'two reads that see two concurrent writes in opposite orders': [
    set(1, 10, { title: 'a' }),
    set(2, 11, { title: 'b' }),
    read(3, 4, { title: 'a' }),
    read(5, 6, { title: 'b' }),
    read(7, 8, { title: 'a' }),
  ],
  'half of a write': [
    set(1, 10, { title: 'a', description: 'a' }),
    read(2, 3, { title: 'a', description: '' }),
  ],
  'a value that no write has set, such as that of a refused one': [
    set(1, 2, { title: 'a' }),
    read(3, 4, { title: 'refused' }),
  ],
  'a write with an unknown result that takes effect before its start': [
    read(1, 2, { title: 'a' }),
    set(3, Infinity, { title: 'a' }),
  ],
  'a write with an unknown result that takes effect twice': [
    set(1, Infinity, { title: 'a' }),
    read(2, 3, { title: 'a' }),
    set(4, 5, { title: 'b' }),
    read(6, 7, { title: 'a' }),
  ],
  'a revoked token that works again': [signIn, revoke(3, 4), use(5, 6, 'ended'), use(7, 8, 'valid')],
  'a token that works after its revocation': [signIn, revoke(3, 4), use(5, 6, 'valid')],
  'a token that is refused without a revocation': [signIn, use(3, 4, 'ended'), revoke(5, 6)],
};

const RIGHT: Readonly<Record<string, readonly Operation[]>> = {
  'no operation': [],
  'operations one after the other': [
    set(1, 2, { title: 'a' }, { title: 'a', description: '' }),
    set(3, 4, { description: 'b' }, { title: 'a', description: 'b' }),
    read(5, 6, { title: 'a', description: 'b' }),
  ],
  'reads that see a concurrent write early and late': [
    set(1, 10, { title: 'a' }),
    read(2, 5, { title: 'a' }),
    read(3, 4, { title: '' }),
    read(6, 7, { title: 'a' }),
  ],
  'concurrent writes in the order opposite to their starts': [
    set(1, 6, { title: 'a' }),
    set(2, 5, { title: 'b' }),
    read(3, 4, { title: 'b' }),
    read(7, 8, { title: 'a' }),
  ],
  'a write with an unknown result that never takes effect': [
    set(1, Infinity, { title: 'a' }),
    read(2, 3, { title: '' }),
  ],
  'a write with an unknown result that takes effect at once': [
    set(1, Infinity, { title: 'a' }),
    read(2, 3, { title: 'a' }),
  ],
  'a write with an unknown result that takes effect after later writes': [
    set(1, Infinity, { title: 'a' }),
    set(2, 3, { title: 'b' }),
    read(4, 5, { title: 'b' }),
    read(6, 7, { title: 'a' }),
  ],
  'a token that works until its revocation': [
    signIn,
    use(3, 6, 'valid'),
    revoke(4, 8),
    use(5, 7, 'ended'),
    use(9, 10, 'ended'),
  ],
  'a revocation with an unknown result that takes effect later': [
    signIn,
    revoke(3, Infinity),
    use(4, 5, 'valid'),
    use(6, 7, 'ended'),
  ],
};

test.each(Object.entries(WRONG))('%s is not linearizable', (_, history) => {
  expect(isLinearizable(EMPTY, history)).toBe(false);
});

test.each(Object.entries(RIGHT))('%s: linearizable', (_, history) => {
  expect(isLinearizable(EMPTY, history)).toBe(true);
});

test('a violation in a long history is explained by the operations that it needs', () => {
  const long = Array.from({ length: 100 }, (_, n) => {
    const fields = { title: String(n - (n % 2)) };
    return n % 2 === 0 ? set(10 * n, 10 * n + 15, fields) : read(10 * n, 10 * n + 15, fields);
  });
  expect(isLinearizable(EMPTY, long)).toBe(true);
  expect(explainViolation(EMPTY, [...long, read(5000, 5001, { title: '20' })])).toBe(
    `No order of these operations explains their results, from {"title":"","description":""}:
  200 to 215: update, {"set":{"title":"20"}}
  980 to 995: update, {"set":{"title":"98"}}
  5000 to 5001: read, {"set":{},"shown":{"title":"20"}}`,
  );
});
