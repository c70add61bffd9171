import { expect, test } from 'vitest';
import { eventOfEqualActs } from '../../../src/data/audit/equal-acts.ts';
import { idGenerator } from '../../../src/model/resource-name.ts';

const newId = idGenerator(Date.now);

test('equal acts have the id of the first, and others their own', () => {
  const [first, second, third] = [newId(), newId(), newId()];
  expect(eventOfEqualActs('a', first)).toBe(first);
  expect(eventOfEqualActs('b', second)).toBe(second);
  expect(eventOfEqualActs('a', third)).toBe(first);
  expect(eventOfEqualActs('b', third)).toBe(second);
});

test('an act whose place another one has taken gets an id of its own', () => {
  const first = newId();
  eventOfEqualActs('taken', first);
  // More acts than places.
  for (let n = 0; n < 120_000; n += 1) eventOfEqualActs(String(n), first);
  const last = newId();
  expect(eventOfEqualActs('taken', last)).toBe(last);
  expect(eventOfEqualActs('taken', newId())).toBe(last);
});
