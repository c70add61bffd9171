import { expect, test } from 'vitest';
import { LruCache } from '../../src/model/lru-cache.ts';

const namesIn = (cache: LruCache<string>, names: string) =>
  [...names].filter((name) => cache.get(name) === `value of ${name}`).join('');

function fill(cache: LruCache<string>, names: string, size = 1): void {
  for (const name of names) cache.set(name, `value of ${name}`, size);
}

test('it keeps as much as it may, and forgets the oldest first', () => {
  const cache = new LruCache<string>(3);
  fill(cache, 'abc');
  expect(cache.get('d')).toBeUndefined();
  fill(cache, 'de');
  expect(namesIn(cache, 'abcde')).toBe('cde');
});

test('what was asked for outlives what was not', () => {
  const cache = new LruCache<string>(3);
  fill(cache, 'abc');
  expect(namesIn(cache, 'a')).toBe('a');
  fill(cache, 'de');
  expect(namesIn(cache, 'abcde')).toBe('ade');
});

test('what is new is kept also if all else was asked for', () => {
  const cache = new LruCache<string>(3);
  fill(cache, 'abc');
  expect(namesIn(cache, 'abc')).toBe('abc');
  fill(cache, 'd');
  expect(namesIn(cache, 'abcd')).toBe('bcd');
});

test('sizes count, also of what is put in again, and what is too large is not kept', () => {
  const cache = new LruCache<string>(10);
  fill(cache, 'a', 9);
  fill(cache, 'a', 2);
  fill(cache, 'bc', 4);
  expect(namesIn(cache, 'abc')).toBe('abc');
  fill(cache, 'd', 11);
  expect(namesIn(cache, 'abcd')).toBe('abc');
  cache.delete('b');
  fill(cache, 'e', 4);
  expect(namesIn(cache, 'abcde')).toBe('ace');
  cache.clear();
  expect(namesIn(cache, 'abcde')).toBe('');
});
