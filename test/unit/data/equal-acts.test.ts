import { expect, test } from 'vitest';
import { EqualActs } from '../../../src/data/audit/equal-acts.ts';
import { idGenerator } from '../../../src/model/resource-name.ts';

const newId = idGenerator(Date.now);

test('equal acts have the id of the first, and others their own', () => {
  const acts = new EqualActs();
  const [first, second, third] = [newId(), newId(), newId()];
  expect(acts.eventOf('a', first)).toBe(first);
  expect(acts.eventOf('b', second)).toBe(second);
  expect(acts.eventOf('a', third)).toBe(first);
  expect(acts.eventOf('b', third)).toBe(second);
});

test('an act whose place another one has taken gets an id of its own', () => {
  const acts = new EqualActs();
  const first = newId();
  acts.eventOf('a', first);
  // More acts than places.
  for (let n = 0; n < 120_000; n += 1) acts.eventOf(String(n), first);
  const last = newId();
  expect(acts.eventOf('a', last)).toBe(last);
  expect(acts.eventOf('a', newId())).toBe(last);
});
