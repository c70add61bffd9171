import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ByteCache, countBytes } from '../../../src/model/byte-cache.ts';
import { heapGrowth } from '../../support/heap.ts';

const MAX_BYTES = 4_000_000;

// The short keys are parts of long texts, which a part can keep in memory.
test.each([
  ['short keys', 40_000, (n: number) => `${n} ${'x'.repeat(500)}`.slice(0, 20), () => ''],
  ['long keys', 20_000, (n: number) => `${n} ${'x'.repeat(500)}`, () => ''],
  ['the longest keys', 20_000, (n: number) => `${n} ${'x'.repeat(50_000)}`, () => ''],
  [
    'long keys with values',
    2000,
    (n: number) => `${n} ${'x'.repeat(5000)}`,
    (n: number) => `${n}ü€`.repeat(500),
  ],
])('a cache with %s stays within its bytes', async (_, count, keyOf, textOf) => {
  const cache = new ByteCache<string>(MAX_BYTES, countBytes);
  const megabytes = await heapGrowth(() => {
    for (let n = 0; n < count; n += 1) cache.set(keyOf(n), textOf(n));
  });
  expect(cache.get(keyOf(count - 1))).toBe(textOf(count - 1));
  expect(cache.get(keyOf(0))).toBeUndefined();
  expect(megabytes).toBeLessThan(MAX_BYTES / 1e6);
});

test('a value that is larger than the cache is not kept, and displaces nothing', () => {
  const cache = new ByteCache<string>(1000, countBytes);
  cache.set('small', 'value');
  cache.set('large', 'x'.repeat(1000));
  expect([cache.get('small'), cache.get('large')]).toEqual(['value', undefined]);
});

test('no key is found by the digest of another one', () => {
  const cache = new ByteCache<string>(10_000, countBytes);
  const key = 'x'.repeat(5000);
  cache.set(key, 'value');
  const digest = hash('sha256', key, 'base64url');
  expect([key, digest, `\0${digest}`].map((each) => cache.get(each))).toEqual([
    'value',
    undefined,
    undefined,
  ]);
});

test('no module has a cache of another type', () => {
  const importers = globSync('src/**/*.ts').filter((file) =>
    readFileSync(file, 'utf8').includes("'lru-cache'"),
  );
  expect(importers).toEqual(['src/model/byte-cache.ts']);
});
